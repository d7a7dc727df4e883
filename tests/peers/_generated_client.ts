/**
 * The client that `http client generate` has written for the example, in the shape of openapi-fetch's: the same walk uses both.
 *
 * @module
 */

import { createClient } from "../../examples/notes/assets/client.js";

/** Options of a call, as openapi-fetch has them. */
interface Call {
  readonly params?: Readonly<Record<"path" | "query" | "header", Readonly<Record<string, string>>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodySerializer?: (body: unknown) => unknown;
  readonly parseAs?: string;
}

/** Outcome of a call, without the types of its route. */
interface Outcome {
  readonly ok: boolean;
  readonly data?: unknown;
  readonly problem?: unknown;
  readonly response: Response;
}

/** Routes that were called. */
export const calledRoutes: Set<string> = new Set();

/** Creates a client. CSRF tokens of calls are dropped: this client has its own. */
export default function create(
  options: { readonly baseUrl: string; readonly fetch: (request: Request) => Promise<Response> },
): Readonly<Record<string, (path: string, call?: Call) => Promise<object>>> {
  const client = createClient(options) as (route: string, call: object) => Promise<Outcome>;
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [
    method,
    async (path: string, { params, headers, body, bodySerializer, parseAs }: Call = {}) => {
      const { "X-CSRF-Token": _, ...fields } = params?.header ?? {};
      calledRoutes.add(`${method} ${path}`);
      const { ok, data, problem, response } = await client(`${method} ${path}`, {
        params: params?.path,
        query: params?.query,
        headers: { ...fields, ...headers },
        body: bodySerializer === undefined ? body : bodySerializer(body),
      });
      const { status, headers: received, bodyUsed } = response;
      return {
        data: parseAs === "arrayBuffer" && data instanceof Blob ? await data.arrayBuffer() : data,
        error: ok || status === 304 ? undefined : problem,
        response: bodyUsed ? new Response(null, { status, headers: received }) : response,
      };
    },
  ]);
  return Object.fromEntries(methods);
}
