/**
 * A site whose clients are told that sessions have ended, and what they are told.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { AuthEvent } from "../../../auth/mod.ts";
import type { ClientInit } from "../../../auth/server/mod.ts";
import type { TestBrowser } from "../http/_app.ts";
import {
  CLIENTS,
  formOf,
  type Params,
  type ServerSite,
  serverSite,
  type SiteOptions,
} from "./_site.ts";

/** Where the browser may go after a sign-out at the client `spa`. */
export const BYE = "https://app.example/bye";

/** Members of the clients. */
const MEMBERS = {
  spa: {
    postLogoutRedirectUris: [BYE, `${BYE}?of=notes`],
    backchannelLogoutUri: "https://app.example/logout",
  },
  web: { backchannelLogoutUri: "https://web.example/logout?of=notes" },
  cli: { postLogoutRedirectUris: ["http://127.0.0.1/bye"] },
} as const;

/** The clients of other tests; some have places after a sign-out, and some want to be told. */
export const LOGOUT_CLIENTS: readonly ClientInit[] = CLIENTS.map((client) => ({
  ...client,
  ...MEMBERS[client.clientId as keyof typeof MEMBERS],
}));

/** A request that a client gets. */
export interface LogoutRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly token: string;
}

export interface LogoutSite extends ServerSite {
  /** What was sent, in the order of the URLs. */
  readonly sent: LogoutRequest[];
  /** Events, which the server gets as well. */
  readonly log: AuthEvent[];
  /** How clients answer. 200 at first. */
  answer: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** Resolves when everything is delivered. */
  settled(): Promise<void>;
  /** When everything is delivered: the clients that were told since the last time, sorted. */
  told(): Promise<readonly string[]>;
}

export function logoutSite({ server, app, ...given }: SiteOptions = {}): LogoutSite {
  const sent: LogoutRequest[] = [];
  const log: AuthEvent[] = [];
  const deliveries: Promise<void>[] = [];
  const site = serverSite({
    clients: LOGOUT_CLIENTS,
    ...given,
    app: {
      events(event) {
        log.push(event);
        site.server.onEvent(event);
      },
      ...app,
    },
    server: {
      logout: {
        async fetch(url, init) {
          const token = new URLSearchParams(init.body as URLSearchParams).get("logout_token");
          sent.push({ url, init, token: token ?? "" });
          return await all.answer(url, init);
        },
        waitUntil: (delivery) => void deliveries.push(delivery),
      },
      ...server,
    },
  });
  const all: LogoutSite = {
    ...site,
    sent,
    log,
    answer: () => new Response(),
    async settled() {
      while (deliveries.length > 0) await deliveries.shift();
    },
    async told() {
      await all.settled();
      return sent.splice(0).map(({ url }) => new URL(url).hostname.split(".")[0] ?? "").sort();
    },
  };
  return all;
}

/** A link of a client to the logout endpoint. */
export async function visitLogout(browser: TestBrowser, params: Params): Promise<Response> {
  const given = Object.entries(params).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  const path = `/oauth/logout?${new URLSearchParams(given)}`;
  return await browser.send(path, { headers: { "Sec-Fetch-Site": "cross-site" } });
}

/** Changes of the form. */
export interface AnswerChanges {
  readonly decision?: string;
  readonly fields?: Params;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Answers the page that asks whether to sign out. */
export async function answerLogout(
  site: LogoutSite,
  browser: TestBrowser,
  page: Response,
  { decision = "sign_out", fields = {}, headers = {} }: AnswerChanges = {},
): Promise<Response> {
  assertEquals(page.status, 200);
  const form = formOf(await page.text());
  const all = Object.entries({ ...form.fields, decision, ...fields });
  const given = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await browser.send(form.action, {
    method: "POST",
    body: new URLSearchParams(given).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  });
  await site.settled();
  return response;
}
