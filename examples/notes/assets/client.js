// Written by gatehouse http client generate: change the API, and run the command again.
// deno-fmt-ignore-file
// deno-lint-ignore-file
/* eslint-disable */
// @ts-self-types="./client.d.ts"
/** Client of Notes. */

/**
 * Creates a client. Every refusal is a value; redirects are not followed.
 *
 * @throws {TypeError} If `baseUrl` is invalid, or missing outside of a page.
 */
export function createClient(options = {}) {
  return connect(API, options);
}

const API = {
  "csrf": "/auth/csrf",
  "refresh": "/tokens/refresh",
  "routes": {
    "POST /notes/{id}/attachments": {
      "body": "multipart/form-data"
    },
    "GET /notes/{id}/attachments/{name}": {
      "data": "blob"
    },
    "GET /changes": {
      "data": "events"
    }
  }
};

"use strict";
/**
 * Fills in the parameters of a path: `/notes/{id}`. A value stays one segment, whatever it is; that of the parameter `rest`
 * keeps its slashes.
 *
 * @throws {TypeError} If a value is missing, empty, `.` or `..`: URLs have no way to write these.
 */
function fillPath(template, values, rest) {
  return template.replace(/\{([^}]*)\}/g, (_, name) => {
    const value = values && Object.hasOwn(values, name) ? String(values[name] ?? "") : "";
    const segments = name === rest ? value.split("/") : [value];
    if (value === "" || segments.some((segment) => /^\.\.?$/.test(segment))) {
      throw new TypeError(`Cannot call ${template}: parameter ${name} must not be empty, "." or ".."`);
    }
    return segments.map(encodeURIComponent).join("/");
  });
}
/** A query with its `?`; empty without values. Arrays become parameters of the same name. */
function queryText(values = {}) {
  const text = String(searchParams(values));
  return text && `?${text}`;
}
/** The body of a request, and its media type unless that is in the body. */
function encodeBody(body, type = "application/json") {
  if (body === undefined)
    return {};
  if (body instanceof FormData || body instanceof URLSearchParams)
    return { body };
  if (type === "multipart/form-data")
    return { body: appendAll(new FormData(), body) };
  if (type === "application/x-www-form-urlencoded")
    return { body: searchParams(body) };
  if (isJsonType(type))
    return { body: JSON.stringify(body), type };
  return { body: body, type };
}
function searchParams(values) {
  return appendAll(new URLSearchParams(), values);
}
function appendAll(form, values) {
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) {
      if (one === undefined || one === null)
        continue;
      form.append(name, one);
    }
  }
  return form;
}
/** Reads the problem of a response that is not a success. */
async function readAnswer(response) {
  const { ok, status } = response;
  if (ok)
    return { response };
  const isJson = isJsonType(mediaType(response));
  const text = isJson ? await response.text() : void await response.body?.cancel();
  const problem = parsed(text) ?? {
    type: "about:blank",
    title: response.statusText,
    status,
    code: "unknown",
  };
  return { response, failure: { ok, status, problem, response } };
}
/**
 * Reads JSON; `undefined` if there is no body.
 *
 * @throws {TypeError} If the media type is another one.
 * @throws {SyntaxError} If the JSON is invalid.
 */
async function readJson(response) {
  const text = await response.text();
  if (text === "")
    return undefined;
  const type = mediaType(response);
  if (isJsonType(type))
    return JSON.parse(text);
  throw new TypeError(`Cannot read response: ${type || "no media type"} is not JSON`);
}
/** The media type of a response in lower case; empty if there is none. */
function mediaType({ headers }) {
  return (headers.get("Content-Type") ?? "").toLowerCase().replace(/\s*(?:;.*)?$/, "");
}
/** Whether a media type is JSON, RFC 6839 §3.1. */
function isJsonType(type) {
  return /^application\/(?:.*\+)?json$/.test(type);
}
function parsed(text = "") {
  try {
    return JSON.parse(text);
  }
  catch {
    return undefined;
  }
}
/** A timer that has to wait longer does not wait at all. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/**
 * Reads events. The data of each is JSON, or text as it is.
 *
 * @throws {Error} If the server refuses to open the stream again; `cause` is the outcome.
 * @throws {SyntaxError} If data is invalid JSON.
 */
async function* readEvents(first, isJson, { reopen, signal }) {
  const state = { id: "", retryMs: 3_000 };
  for (let response = first;;) {
    for await (const event of parseEvents(response, state, (error) => {
      if (!reopen)
        throw error;
    })) {
      yield isJson ? { ...event, data: JSON.parse(event.data) } : event;
    }
    if (!reopen)
      return;
    do {
      await pause(state.retryMs, signal);
      const answer = await reopen(state.id);
      response = answer?.response;
      if (response?.status === 204)
        return; // the server wants no further request
      if (response && (!response.ok || mediaType(response) !== "text/event-stream")) { // §9.2.3
        if (response.ok)
          await response.body?.cancel();
        throw new Error(`Cannot open stream again: status ${response.status}`, {
          cause: answer?.failure,
        });
      }
    } while (!response);
  }
}
/** The events of one response, §9.2.6. An event without its blank line is discarded. */
async function* parseEvents(response, state, onError) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isAfterCr = false;
  let event = "";
  let data = [];
  try {
    for (;;) {
      const { value, done } = await reader?.read().catch(onError) ?? { done: true };
      if (done)
        return;
      let text = decoder.decode(value, { stream: true });
      if (text === "")
        continue;
      if (isAfterCr)
        text = text.replace(/^\n/, "");
      isAfterCr = text.endsWith("\r"); // its line feed may follow
      const lines = text.split(/\r\n|\n|\r/);
      lines[0] = rest + lines[0]; // what is before has been looked through
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [, field = "", content = ""] = /^([^:]*)(?::\x20?(.*))?$/s.exec(line) ?? [];
        if (field === "event")
          event = content;
        if (field === "data")
          data.push(content);
        if (field === "id" && !content.includes("\0"))
          state.id = content;
        if (field === "retry" && /^\d+$/.test(content)) {
          state.retryMs = Math.min(Number(content), MAX_WAIT_MS);
        }
        if (line !== "")
          continue;
        if (data.length > 0) {
          yield { event: event || "message", id: state.id, data: data.join("\n") };
        }
        event = "";
        data = [];
      }
    }
  }
  finally {
    await reader?.cancel().catch(() => { });
  }
}
/** Waits. @throws The signal's reason when it aborts. */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      signal?.aborted ? reject(signal.reason) : resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted)
      end();
  });
}
/** CSRF tokens: fetched once, replaced by those in responses, and fetched again after a rejection. */
function csrfTokens(request) {
  let last;
  return async (secrets) => {
    const asked = last ??= request();
    const forget = () => {
      if (last === asked)
        last = undefined;
    };
    const issued = await asked.catch((error) => {
      forget();
      throw error;
    });
    const { header, csrfToken } = (issued.ok ? issued.data ?? {} : {});
    if (!header || !csrfToken) {
      forget();
      if (!issued.ok)
        return issued;
      throw new TypeError("Cannot read CSRF token: the response has none");
    }
    secrets[header] = csrfToken;
    return (outcome) => {
      const { csrfToken: next } = (outcome.ok ? outcome.data ?? {} : {});
      if (typeof next === "string") { // a sign-in: the token is bound to the session
        last = Promise.resolve({ ...issued, data: { header, csrfToken: next } });
      }
      const isRejected = codeOf(outcome) === "csrf_failed"; // the session may have ended in another tab
      if (isRejected)
        forget();
      return isRejected;
    };
  };
}
/**
 * Access tokens. One that is refused is exchanged once, by one request for all callers: a refresh token that is used twice is
 * taken for stolen, and the sign-in revoked.
 */
function accessTokens(store, exchange, lock) {
  let refreshing;
  /** @returns Whether there is another access token now. */
  async function refresh({ accessToken }) {
    const current = await store.get();
    if (current?.accessToken !== accessToken)
      return current !== undefined;
    const { refreshToken } = current;
    if (!refreshToken)
      return false;
    const outcome = await exchange(refreshToken);
    const next = await store.get();
    if (next?.refreshToken !== refreshToken)
      return next !== undefined; // signed in or out meanwhile
    const fresh = (outcome?.ok ? outcome.data ?? {} : {});
    const isFresh = typeof fresh.accessToken === "string";
    if (isFresh)
      await store.set({ ...current, ...fresh });
    else if (outcome && /^40[013]$/.test(`${outcome.status}`))
      await store.set(undefined);
    return isFresh;
  }
  return async (secrets) => {
    const used = await store.get();
    if (used === undefined)
      return () => false;
    secrets["Authorization"] = `Bearer ${used.accessToken}`;
    return (outcome) => {
      if (outcome.status !== 401 || !/^(?:token_expired|invalid_token)$/.test(codeOf(outcome))) {
        return false;
      }
      return refreshing ??= lock("gatehouse refresh", () => refresh(used))
        .finally(() => refreshing = undefined);
    };
  };
}
function codeOf(outcome) {
  const { code } = (outcome.ok ? {} : outcome.problem);
  return String(code);
}
/**
 * Creates the function that calls routes.
 *
 * @throws {TypeError} If `baseUrl` is invalid, or missing outside of a page.
 */
function connect(api, options = {}) {
  const { tokens, credentials } = options;
  const { location, navigator } = globalThis;
  // An absolute URL, since a path that starts with `//` names another host
  const base = new URL(options.baseUrl ?? "/", location?.href);
  const root = base.origin + base.pathname.replace(/\/+$/, "");
  const csrfPath = options.csrf ?? (tokens || credentials === "omit" ? false : api.csrf);
  const refreshPath = tokens?.refresh ?? api.refresh;
  const csrf = csrfPath ? csrfTokens(() => ask("GET", csrfPath)) : undefined;
  const access = tokens && accessTokens(tokens, async (refreshToken) => {
    if (!refreshPath)
      return;
    return await ask("POST", refreshPath, { refreshToken }).catch(() => undefined);
  }, (name, run) => navigator?.locks ? navigator.locks.request(name, run) : run());
  async function send(method, path, { headers, signal, init }, body) {
    const fields = new Headers(options.headers);
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value !== undefined)
        fields.set(name, value);
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
  async function ask(method, path, content) {
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
    async function exchange(lastEventId, isLast = false) {
      const secrets = {};
      const listeners = [];
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
      if (!answer.failure || isLast)
        return { ...answer, listeners };
      let isAgain = false;
      for (const onOutcome of listeners)
        isAgain = await onOutcome(answer.failure) || isAgain;
      return isAgain ? await exchange(lastEventId, true) : answer;
    }
    const { response, failure, listeners } = await exchange("");
    if (failure)
      return failure;
    const outcome = success(response, await readData(response, content?.data ?? "json", {
      signal,
      reopen: method === "GET" ? (id) => exchange(id).catch(() => undefined) : undefined,
    }));
    for (const onOutcome of listeners ?? [])
      await onOutcome(outcome);
    return outcome;
  };
}
function success(response, data) {
  return { ok: true, status: response.status, data, response };
}
/** Bytes in UTF-8 as a header field takes them, one character each. */
function bytesOf(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
/**
 * Reads the data of a successful response.
 *
 * @throws {TypeError} If its media type is not the documented one.
 * @throws {SyntaxError} If it is invalid JSON.
 */
async function readData(response, kind, stream) {
  const type = mediaType(response);
  const isEvents = type === "text/event-stream";
  if (response.status === 204)
    return undefined;
  if (kind === "any") {
    const actual = isJsonType(type) ? "json" : isEvents ? "textEvents" : "blob";
    return await readData(response, /^(?:text\/(?!event-)|$)/.test(type) ? "text" : actual, stream);
  }
  if (kind === "text")
    return await response.text();
  if (kind === "blob")
    return await response.blob();
  if (kind === "json")
    return await readJson(response);
  if (isEvents)
    return readEvents(response, kind === "events", stream);
  await response.body?.cancel();
  throw new TypeError(`Cannot read response: ${type || "no media type"} is not text/event-stream`);
}
