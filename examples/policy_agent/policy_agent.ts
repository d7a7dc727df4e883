/**
 * An authorization manager that leaves the decision to a policy agent: any server that speaks the data API of the Open
 * Policy Agent, `POST /v1/data/<path of the rule>` with `{"input": …}`, answered by `{"result": true}`.
 *
 * Whatever goes wrong on the way is a denial. The client gets the same 403 as for any other; why is told to the event
 * `authz.denied` alone. No answer is kept, so that a changed policy holds at once.
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
  /** How long an answer may take, from the first byte sent to the last one read, in milliseconds: 1 to 60,000. @default {500} */
  timeoutMs?: number;
  /** Bearer token by which the agent knows this service. */
  token?: string;
  /** Names of the principal's claims that the agent is told. @default {[]} */
  claims?: readonly string[];
  /** Allows `http` to another machine: whoever is on the way reads every question, and can allow everything. */
  insecureHttp?: boolean;
  /** Sends the question; it has to obey `init.signal`. Replace it for client certificates. @default {fetch} */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** A decision is a few bytes; what is longer is none. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_TIMEOUT_MS = 60_000;

/**
 * Makes a manager that asks a policy agent.
 *
 * @throws {TypeError} If `url` is none, is `http` to another machine or holds a password, or `token` cannot be sent.
 * @throws {RangeError} If `timeoutMs` is not a whole number from 1 to 60,000.
 */
export function policyAgentManager(options: PolicyAgentOptions): AuthorizationManager {
  const { timeoutMs = 500, token, claims = [], fetch: send = fetch } = options;
  const url = checkUrl(options);
  const headers = headersFor(token);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw new RangeError(`${CANNOT}: timeoutMs is not a whole number from 1 to ${MAX_TIMEOUT_MS}`);
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
          redirect: "manual", // to follow would hand the question to somebody else
          signal: AbortSignal.any([client, stop.signal]),
        });
        const refusal = await findRefusal(response);
        return refusal === undefined ? authorizationAllowed() : denied(refusal);
      } catch { // its message may quote the answer
        if (isLate) return denied(`timed out after ${timeoutMs} ms`);
        return denied(client.aborted ? "the client went away" : "the connection failed");
      } finally {
        clearTimeout(timer);
        stop.abort(); // ends an answer that was not read to its end
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
    throw new TypeError(`${CANNOT}: url is no http or https URL`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError(`${CANNOT}: url holds a name or password; use token`);
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
    throw new TypeError(`${CANNOT}: token is no bearer token`);
  }
  return { ...headers, Authorization: `Bearer ${token}` };
}

/** What the agent is told: who asks, for what, and what the route says of itself. `undefined` if that is no JSON. */
function writeQuestion(
  principal: Principal | undefined,
  { metadata, transport: { request, route, params } }: AuthorizationContext,
  claims: readonly string[],
): string | undefined {
  const subject = principal === undefined ? null : subjectOf(principal, claims);
  const action = { method: request.method, route, params };
  try {
    return JSON.stringify({ input: { subject, action, metadata } });
  } catch {
    return undefined;
  }
}

/** Field by field: what a principal may have one day is no affair of the agent's until somebody says so. */
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
  // An inherited one would be somebody else's; the agent leaves it out where the rule is undefined
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
