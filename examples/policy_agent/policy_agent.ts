/**
 * An authorization manager that queries a policy agent: any server that implements the data API of the Open
 * Policy Agent, `POST /v1/data/<path of the rule>` with `{"input": …}`, answered by `{"result": true}`.
 *
 * Every error is a denial. The client gets the same 403 as for any other; the reason is only in the event
 * `authz.denied`. Answers are not cached, so that a changed policy takes effect immediately.
 *
 * @module
 */

import {
  authorizationAllowed,
  type AuthorizationContext,
  authorizationDenied,
  type AuthorizationManager,
  type Principal,
} from "@gatehouse/http";

/** Options of {@linkcode policyAgentManager}. */
export interface PolicyAgentOptions {
  /** URL of the rule: `http://127.0.0.1:8181/v1/data/notes/allow`. On another machine, `https`. */
  url: string;
  /** Timeout of an answer, from the first byte sent to the last one read, in milliseconds: 1 to 60,000. @default {500} */
  timeoutMs?: number;
  /** Bearer token by which the agent knows this service. */
  token?: string;
  /** Names of the principal's claims that are sent to the agent. @default {[]} */
  claims?: readonly string[];
  /** Allows `http` to another machine: anyone on the network path can read every query, and allow everything. */
  insecureHttp?: boolean;
  /** Sends the question; it has to obey `init.signal`. Replace it for client certificates. @default {fetch} */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** A decision is a few bytes; what is longer is none. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_TIMEOUT_MS = 60_000;

/**
 * Creates a manager that queries a policy agent.
 *
 * @throws {TypeError} If `url` is none, is `http` to another machine or holds a password, or `token` cannot be sent.
 * @throws {RangeError} If `timeoutMs` is not a whole number from 1 to 60,000.
 */
export function policyAgentManager(options: PolicyAgentOptions): AuthorizationManager {
  const { timeoutMs = 500, token, claims = [], fetch: send = fetch } = options;
  const url = checkUrl(options);
  const headers = headersFor(token);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw new RangeError(`${CANNOT}: timeoutMs must be an integer from 1 to ${MAX_TIMEOUT_MS}`);
  }

  return {
    async authorize(principal, context) {
      const question = writeQuestion(principal, context, claims);
      if (question === undefined) return denied("the question cannot be written as JSON");
      const { signal: client } = context.transport.request;
      const stop = new AbortController();
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        stop.abort();
      }, timeoutMs);
      try {
        const response = await send(url, {
          method: "POST",
          headers,
          body: question,
          redirect: "manual", // following a redirect would send the query to another party
          signal: AbortSignal.any([client, stop.signal]),
        });
        const refusal = await findRefusal(response);
        return refusal === undefined ? authorizationAllowed() : denied(refusal);
      } catch { // its message may quote the answer
        if (isLate) return denied(`timed out after ${timeoutMs} ms`);
        return denied(client.aborted ? "the client went away" : "the connection failed");
      } finally {
        clearTimeout(timer);
        stop.abort(); // cancels an answer that was not read completely
      }
    },
  };
}

const CANNOT = "Cannot create policy agent manager";
const LOOPBACK_REGEXP = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The answer is the permission: in the clear it may only travel within this machine. */
function checkUrl({ url, insecureHttp = false }: PolicyAgentOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`${CANNOT}: url must be an http or https URL`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError(`${CANNOT}: url must not contain a name or password; use token`);
  }
  if (parsed.protocol === "http:" && !insecureHttp && !LOOPBACK_REGEXP.test(parsed.hostname)) {
    throw new TypeError(`${CANNOT}: url is http to another machine; use https, or insecureHttp`);
  }
  return parsed.href;
}

function headersFor(token: string | undefined): Record<string, string> {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  if (token === undefined) return headers;
  if (!/^[\w.~+/-]+=*$/.test(token)) { // RFC 6750 §2.1
    throw new TypeError(`${CANNOT}: token must be a bearer token`);
  }
  return { ...headers, Authorization: `Bearer ${token}` };
}

/** The query: subject, action, and metadata of the route or field. `undefined` if it cannot be serialized as JSON. */
function writeQuestion(
  principal: Principal | undefined,
  { metadata, transport }: AuthorizationContext,
  claims: readonly string[],
): string | undefined {
  const subject = principal === undefined ? null : subjectOf(principal, claims);
  const action = actionOf(transport);
  try {
    return JSON.stringify({ input: { subject, action, metadata } });
  } catch {
    return undefined;
  }
}

function actionOf(transport: AuthorizationContext["transport"]): Readonly<Record<string, unknown>> {
  switch (transport.kind) {
    case "http": {
      const { request: { method }, route, params } = transport;
      return { method, route, params };
    }
    case "graphql": {
      const { type, field, args } = transport;
      return { type, field, args };
    }
  }
}

/** Listed by member, so that members which are added to principals later are not sent. */
function subjectOf(
  { sub, method, amr, acr, authTime, scope, claims = {} }: Principal,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const subject = { sub, method, amr, acr, authTime, scope };
  if (names.length === 0) return subject;
  const told = Object.entries(claims).filter(([name]) => names.includes(name));
  return { ...subject, claims: Object.fromEntries(told) };
}

/** Why an answer does not allow; `undefined` if it does. */
async function findRefusal(response: Response): Promise<string | undefined> {
  if (response.status !== 200) return `answered with status ${response.status}`;
  const type = response.headers.get("Content-Type") ?? "";
  if (!/^application\/json[ \t]*(?:;|$)/i.test(type)) return "the answer is not application/json";
  const text = await readText(response);
  if (text === undefined) return `the answer exceeds ${MAX_ANSWER_BYTES} bytes`;
  const answer = parseObject(text);
  if (answer === undefined) return "the answer is no JSON object";
  // Own members only; the agent omits the member where the rule is undefined
  if (!Object.hasOwn(answer, "result")) return "the rule is undefined";
  switch (answer.result) {
    case true:
      return undefined;
    case false:
      return "the rule is false";
    default:
      return "the rule is neither true nor false";
  }
}

async function readText({ body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function denied(reason: string): ReturnType<typeof authorizationDenied> {
  return authorizationDenied(`policy agent: ${reason}`);
}
