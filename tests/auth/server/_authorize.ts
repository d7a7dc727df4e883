/**
 * What the authorization endpoint answers, in one word, and a site whose user signs in by an assignment.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { inMemoryAuthStores } from "@gatehouse/http";
import type { AuthorizationSubject } from "../../../auth/server/mod.ts";
import type { Authorization, AuthorizationStore } from "../../../auth/stores/server_types.ts";
import { START } from "../_services.ts";
import type { TestBrowser } from "../_browser.ts";
import { formOf, ISSUER, type ServerSite, serverSite, type SiteOptions } from "./_site.ts";

/** When the user of {@linkcode subjectSite} has signed in: before the request. */
export const SIGNED_IN_AT: number = START - 100;

/** A site whose user is a variable: nothing is hashed, and all members of the authentication can be chosen. */
export interface SubjectSite extends ServerSite {
  /** One browser. Who is signed in is the same in all. */
  readonly browser: TestBrowser;
  /** The calls and the records of the store of authorizations. */
  readonly codes: RecordedCodes;
  /** Who is signed in. Ada, `u1`, at first. */
  subject: AuthorizationSubject | undefined;
  /** Signs a user in now, in a new session. */
  enter(changes?: Partial<AuthorizationSubject>): void;
  /** Shows the consent page of a request. */
  page(params?: Readonly<Record<string, string | undefined>>): Promise<string>;
}

export function subjectSite(given: SiteOptions = {}): SubjectSite {
  const codes = recordedCodes();
  let sessions = 0;
  const site = serverSite({
    ...given,
    server: {
      users: undefined,
      codes: codes.store,
      authenticate: () => Promise.resolve(all.subject),
      ...given.server,
    },
  });
  const browser = site.app.browser();
  const all: SubjectSite = {
    ...site,
    browser,
    codes,
    subject: subjectOf({ sessionId: "session-0" }),
    enter(changes = {}) {
      sessions++;
      const authTime = site.app.clock.now;
      all.subject = subjectOf({ authTime, sessionId: `session-${sessions}`, ...changes });
    },
    async page(params) {
      const response = await site.authorize(browser, params);
      assertEquals(response.status, 200);
      return await response.text();
    },
  };
  return all;
}

function subjectOf(changes: Partial<AuthorizationSubject>): AuthorizationSubject {
  return { sub: "u1", securityStamp: "stamp", authTime: SIGNED_IN_AT, amr: ["pwd"], ...changes };
}

/** A store of authorizations, what is called, and what it has stored. */
export interface RecordedCodes {
  readonly store: AuthorizationStore;
  readonly calls: ("create" | "find" | "update")[];
  /** The last state of each record. */
  readonly records: Map<string, Authorization>;
}

/** The store does not expire records, unless it gets a clock: the server must compare the times. */
export function recordedCodes(now: () => number = () => 0): RecordedCodes {
  const { authorizations } = inMemoryAuthStores({ now });
  const calls: RecordedCodes["calls"] = [];
  const records: RecordedCodes["records"] = new Map();
  const store: AuthorizationStore = {
    ...authorizations,
    async create(authorization) {
      calls.push("create");
      await authorizations.create(authorization);
      records.set(authorization.id, authorization);
    },
    async find(id) {
      calls.push("find");
      return await authorizations.find(id);
    },
    async update(next, version) {
      calls.push("update");
      const outcome = await authorizations.update(next, version);
      if (outcome === "updated") records.set(next.id, next);
      return outcome;
    },
  };
  return { store, calls, records };
}

/**
 * What a response means: `consent`, `code`, an error that is redirected to the client, `sign-in: prompt` with the reason, `repeat`
 * (the same request by GET), `post: code` by a form, or an error page, `400 client_unknown`.
 *
 * It asserts what is true of all: nothing is cached or open to scripts of other origins (RFC 9700 §2.6), redirects are 303 (§4.12),
 * whatever goes to the client has `iss` (RFC 9207) and `state`, and from an error page nothing leads away.
 */
export async function answerOf(
  response: Response,
  { state = "s-1", to = "https://app.example/cb?" }: {
    readonly state?: string | null;
    readonly to?: string;
  } = {},
): Promise<string> {
  const { status, headers } = response;
  assertEquals(headers.get("Cache-Control"), "no-store");
  assertEquals([...headers.keys()].filter((name) => name.startsWith("access-control")), []);
  if (status !== 303) {
    assertEquals(headers.get("Location"), null);
    return await pageAnswer(response, state);
  }
  const location = headers.get("Location") ?? "";
  const { pathname, searchParams } = new URL(location, ISSUER);
  if (location.startsWith("/sign-in?")) return `sign-in: ${searchParams.get("reason")}`;
  if (location.startsWith("/") && pathname.endsWith("/oauth/authorize")) return "repeat";
  assert(location.startsWith(to), location);
  assertEquals(headers.get("Referrer-Policy"), "no-referrer"); // RFC 9700 §4.2
  return clientAnswer(searchParams, state);
}

function clientAnswer(parameters: URLSearchParams, state: string | null): string {
  assertEquals([parameters.getAll("iss"), parameters.get("state")], [[ISSUER], state]);
  const [code, error] = [parameters.get("code"), parameters.get("error")];
  assert((code === null) !== (error === null));
  return error ?? "code";
}

async function pageAnswer(response: Response, state: string | null): Promise<string> {
  const text = await response.clone().text();
  if (response.status !== 200) {
    return `${response.status} ${/<code>(\w+)<\/code>/.exec(text)?.[1]}`;
  }
  const { action, fields } = formOf(text);
  if (action.endsWith("/oauth/authorize")) return "consent";
  return `post: ${clientAnswer(new URLSearchParams(fields), state)}`;
}

/** The path to which the user comes back after the sign-in. */
export function returnPath(response: Response): string {
  return new URL(response.headers.get("Location") ?? "", ISSUER).searchParams.get("next") ?? "";
}

/** Sends a form to the authorization endpoint. */
export async function postForm(
  browser: TestBrowser,
  fields: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  return await browser.send("/oauth/authorize", {
    method: "POST",
    body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** The cookies of the requests of a browser that wait for the user: names and values. */
export function interactionCookies(
  { jar }: TestBrowser,
): readonly (readonly [name: string, value: string])[] {
  return jar.names().filter((name) => name.startsWith("__Host-ax-"))
    .map((name) => [name, jar.get(name) ?? ""]);
}
