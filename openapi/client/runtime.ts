/**
 * The run time of a generated client, over `fetch` alone.
 *
 * @module
 */

import {
  accessTokens,
  csrfTokens,
  type Lock,
  type OnOutcome,
  type Secrets,
} from "./credentials.ts";
import { readEvents, type StreamOptions } from "./event_stream.ts";
import { encodeBody, fillPath, queryText, type Values } from "./request_parts.ts";
import {
  type Answer,
  isJsonType,
  mediaType,
  type Outcome,
  readAnswer,
  readJson,
} from "./response_parts.ts";
import type { CallOptions, ClientOptions } from "./runtime_types.ts";

/** What the run time has to know of the document. */
export interface Api {
  /** Path of the route that issues CSRF tokens. */
  readonly csrf?: string;
  /** Path of the route that exchanges refresh tokens. */
  readonly refresh?: string;
  /** Routes with anything but JSON, such as `POST /files`. */
  readonly routes: Readonly<Record<string, RouteContent>>;
}

/** How a route differs from one of JSON. */
export interface RouteContent {
  /** Media type of the request body. */
  readonly body?: string;
  /** Form of successful responses; `any` goes by their media type. The data of `events` is JSON, that of `textEvents` text. */
  readonly data?: "text" | "blob" | "events" | "textEvents" | "any";
  /** The path parameter that is the rest of the path. */
  readonly rest?: string;
}

/** Options of a call, without the types of its route. */
export interface AnyCall extends CallOptions {
  readonly params?: Values;
  readonly query?: Values;
  readonly body?: unknown;
}

/** The parts of a page that other hosts lack. */
interface Page {
  readonly location?: { readonly href: string };
  readonly navigator?: { readonly locks?: { readonly request: Lock } };
}

/** What a route responds with, and what a credential does about it. */
interface Exchange extends Answer {
  readonly listeners?: readonly ((outcome: Outcome) => unknown)[];
}

/**
 * Creates the function that calls routes.
 *
 * @throws {TypeError} If `baseUrl` is invalid, or missing outside of a page.
 */
export function connect(
  api: Api,
  options: ClientOptions = {},
): (route: string, call?: AnyCall) => Promise<Outcome> {
  const { tokens, credentials } = options;
  const { location, navigator }: Page = globalThis as object;
  // An absolute URL, since a path that starts with `//` names another host
  const base = new URL(options.baseUrl ?? "/", location?.href);
  const root = base.origin + base.pathname.replace(/\/+$/, "");
  const csrfPath = options.csrf ?? (tokens || credentials === "omit" ? false : api.csrf);
  const refreshPath = tokens?.refresh ?? api.refresh;
  const csrf = csrfPath ? csrfTokens(() => ask("GET", csrfPath)) : undefined;
  const access = tokens && accessTokens(
    tokens,
    async (refreshToken) => {
      if (!refreshPath) return;
      return await ask("POST", refreshPath, { refreshToken }).catch(() => undefined);
    },
    (name, run) => navigator?.locks ? navigator.locks.request(name, run) : run(),
  );

  async function send(
    method: string,
    path: string,
    { headers, signal, init }: CallOptions,
    body?: BodyInit,
  ): Promise<Answer> {
    const fields = new Headers(options.headers);
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value !== undefined) fields.set(name, value);
    }
    const request = new Request(root + path, {
      redirect: "manual", // one to another origin takes along all header fields but Authorization, Fetch §4.5
      ...(credentials && { credentials }), // workerd refuses the member
      ...init,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      method,
      headers: fields,
    });
    return await readAnswer(await (options.fetch ?? fetch)(request));
  }

  /** A request of the client's own. */
  async function ask(method: string, path: string, content?: unknown): Promise<Outcome> {
    const { body, type } = encodeBody(content);
    const call = { headers: { "Content-Type": type }, signal: options.signal };
    const answer = await send(method, path, call, body);
    return answer.failure ?? success(answer.response, await readJson(answer.response));
  }

  return async (route, call = {}) => {
    const [method = "", template = ""] = route.split(/ (.*)/s);
    const content = api.routes[route];
    const path = fillPath(template, call.params, content?.rest) + queryText(call.query);
    const { body, type } = encodeBody(call.body, content?.body);
    const isSafe = /^(?:GET|HEAD|OPTIONS)$/.test(method);
    const signals = [options.signal, call.signal].filter((one) => one !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    const own = [isSafe ? undefined : csrf, access].filter((one) => one !== undefined);

    /** Sends the request with its credentials; once again if one was refused and there is another. */
    async function exchange(lastEventId: string, isLast = false): Promise<Exchange> {
      const secrets: Secrets = {};
      const listeners: OnOutcome[] = [];
      for (const attach of own) {
        const onOutcome = await attach(secrets);
        if (typeof onOutcome !== "function") {
          return { response: onOutcome.response, failure: onOutcome };
        }
        listeners.push(onOutcome);
      }
      const headers = {
        "Content-Type": type,
        "Last-Event-ID": lastEventId ? bytesOf(lastEventId) : undefined,
        ...call.headers,
        ...secrets,
      };
      const answer = await send(method, path, { headers, signal, init: call.init }, body);
      if (!answer.failure || isLast) return { ...answer, listeners };
      let isAgain = false;
      for (const onOutcome of listeners) isAgain = await onOutcome(answer.failure) || isAgain;
      return isAgain ? await exchange(lastEventId, true) : answer;
    }

    const { response, failure, listeners } = await exchange("");
    if (failure) return failure;
    const outcome = success(
      response,
      await readData(response, content?.data ?? "json", {
        signal,
        reopen: method === "GET" ? (id) => exchange(id).catch(() => undefined) : undefined,
      }),
    );
    for (const onOutcome of listeners ?? []) await onOutcome(outcome);
    return outcome;
  };
}

function success(response: Response, data: unknown): Outcome {
  return { ok: true, status: response.status, data, response };
}

/** Bytes in UTF-8 as a header field takes them, one character each. */
function bytesOf(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/**
 * Reads the data of a successful response.
 *
 * @throws {TypeError} If its media type is not the documented one.
 * @throws {SyntaxError} If it is invalid JSON.
 */
async function readData(
  response: Response,
  kind: "json" | NonNullable<RouteContent["data"]>,
  stream: StreamOptions,
): Promise<unknown> {
  const type = mediaType(response);
  const isEvents = type === "text/event-stream";
  if (response.status === 204) return undefined;
  if (kind === "any") {
    const actual = isJsonType(type) ? "json" : isEvents ? "textEvents" : "blob";
    return await readData(response, /^(?:text\/(?!event-)|$)/.test(type) ? "text" : actual, stream);
  }
  if (kind === "text") return await response.text();
  if (kind === "blob") return await response.blob();
  if (kind === "json") return await readJson(response);
  if (isEvents) return readEvents(response, kind === "events", stream);
  await response.body?.cancel();
  throw new TypeError(`Cannot read response: ${type || "no media type"} is not text/event-stream`);
}
