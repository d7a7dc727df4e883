/**
 * Tokens of clients, and what is asked with them.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { AuthEvent, IssuedTokens, TokenRuntime } from "../../../auth/mod.ts";
import type { TestBrowser } from "../http/_app.ts";
import { staticClients } from "../../../auth/server/mod.ts";
import { basic, CLIENTS, type Params, SECRET, type ServerSite } from "./_site.ts";

/** A token response, RFC 6749 §5.1. */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** How a client authenticates: fields of the form, and header fields. */
interface Credentials {
  readonly form: Params;
  readonly headers: Readonly<Record<string, string>>;
}

const CREDENTIALS: Readonly<Record<string, Credentials>> = {
  web: { form: { client_id: undefined }, headers: basic("web", SECRET) },
  post: { form: { client_id: "post", client_secret: SECRET }, headers: {} },
};

/** The clients of tests, all of which get members of `current.change`; `null` deletes them. */
export function changingClients(): {
  readonly clients: ReturnType<typeof staticClients>;
  readonly current: { change: object | null };
} {
  const stored = staticClients(CLIENTS);
  const current: { change: object | null } = { change: {} };
  const clients = {
    async find(clientId: string) {
      const found = await stored.find(clientId);
      const { change } = current;
      return found === null || change === null ? null : { ...found, ...change };
    },
  };
  return { clients, current };
}

/** Tokens of a sign-in at the application itself, which no client has. */
export async function ownSignIn(site: ServerSite): Promise<IssuedTokens> {
  await site.signedIn();
  const user = await site.app.stores.users.findBySub("u1");
  return await (site.app.runtime as TokenRuntime).tokens.issue({
    sub: "u1",
    securityStamp: user?.securityStamp ?? "",
    authTime: site.app.clock.now,
    amr: ["pwd"],
  });
}

/** The credentials of a client. Without a secret it only says who it is. */
export function credentialsOf(clientId: string): Credentials {
  return CREDENTIALS[clientId] ?? { form: { client_id: clientId }, headers: {} };
}

/** Exchanges a code of a client, by its own credentials. */
export async function redeemAs(
  site: ServerSite,
  clientId: string,
  code: string,
  changes: Params = {},
): Promise<Response> {
  const { form, headers } = credentialsOf(clientId);
  const { redirectUris = [] } = await site.options.clients.find(clientId) ?? {};
  return await site.redeem(code, { redirect_uri: redirectUris[0], ...form, ...changes }, headers);
}

/** Refreshes as a client. */
export async function refreshAs(
  site: ServerSite,
  clientId: string,
  token: string,
  changes: Params = {},
): Promise<Response> {
  const { form, headers } = credentialsOf(clientId);
  return await site.token({
    grant_type: "refresh_token",
    refresh_token: token,
    ...form,
    ...changes,
  }, headers);
}

/** Revokes as a client. */
export async function revokeAs(
  site: ServerSite,
  clientId: string,
  token: string,
  changes: Params = {},
): Promise<Response> {
  const { form, headers } = credentialsOf(clientId);
  const fields = Object.entries({ token, ...form, ...changes });
  const given = fields.filter((field): field is [string, string] => field[1] !== undefined);
  const body = new URLSearchParams(given);
  return await site.send("/oauth/revoke", { method: "POST", headers, body });
}

/** The tokens of a successful response. */
export async function tokensOf(response: Response): Promise<Tokens> {
  const body = await response.json();
  assertEquals([response.status, body.error], [200, undefined]);
  return body;
}

/** Tokens that Ada grants to a client. */
export async function granted(
  site: ServerSite,
  params: Params = {},
  { browser }: { readonly browser?: TestBrowser } = {},
): Promise<Tokens> {
  const clientId = params["client_id"] ?? "spa";
  const code = await site.code(browser ?? await site.signedIn(), params);
  return await tokensOf(await redeemAs(site, clientId, code));
}

/** The header field of an access token. */
export function bearer(token: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

/** Asks UserInfo. */
export async function userinfo(site: ServerSite, token: string): Promise<Response> {
  return await site.send("/oauth/userinfo", { headers: bearer(token) });
}

/** Whether an access token and a refresh token of a client are valid: UserInfo, then a refresh. */
export async function isAlive(
  site: ServerSite,
  { access_token, refresh_token }: Pick<Tokens, "access_token" | "refresh_token">,
  clientId = "spa",
): Promise<readonly [userinfo: boolean, refresh: boolean]> {
  const info = await userinfo(site, access_token);
  const next = await refreshAs(site, clientId, refresh_token);
  await Promise.all([info.body?.cancel(), next.body?.cancel()]);
  return [info.status === 200, next.status === 200];
}

/** The reason of the last refusal. */
export function lastRefusal({ app }: ServerSite): string | undefined {
  const refused = app.events.filter((event): event is AuthEvent & { type: "token.refused" } =>
    event.type === "token.refused"
  );
  return refused.at(-1)?.reason;
}
