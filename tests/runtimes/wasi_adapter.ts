/**
 * The records of stores over HTTP: each call is a request, with the method's name and its arguments.
 *
 * @module
 */

import type { StorageAdapter } from "../../auth/stores/adapter.ts";

/** One call. */
interface RecordCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The adapter of a client. */
export function httpAdapter(url: string): StorageAdapter {
  async function call<T>(method: string, ...args: unknown[]): Promise<T> {
    const body = JSON.stringify({ method, args } satisfies RecordCall);
    const response = await fetch(url, { method: "POST", body });
    if (!response.ok) throw new Error(`Cannot ${method} record: status ${response.status}`);
    return await response.json() as T;
  }
  return {
    get: (...args) => call("get", ...args),
    find: (...args) => call("find", ...args),
    list: (...args) => call("list", ...args),
    put: (...args) => call("put", ...args),
    delete: (...args) => call("delete", ...args),
    atomic: { cas: (...args) => call("cas", ...args) },
  };
}

/** The server's side. */
export async function respondCall(adapter: StorageAdapter, request: Request): Promise<Response> {
  const { method, args } = await request.json() as RecordCall;
  const methods = { ...adapter, ...adapter.atomic } as unknown as Readonly<
    Record<string, (...args: readonly unknown[]) => unknown>
  >;
  return Response.json(await methods[method]?.(...args) ?? null);
}
