/**
 * The paths of `gatehouse/`.
 *
 * @module
 */

import type { Adapter, Client } from "../_client.ts";

/** Gatehouse's token routes, and the paths that the version adds. */
export const adapter: Adapter = {
  notMet: {},
  register: (client, email, password) => fromPage(client, "/register", { email, password }),
  signIn: (client, email, password) => fromPage(client, "/sign-in", { email, password }),
  signOut: (client, headers = {}) => client.send("POST", "/sign-out", { json: {}, headers }),
  mobileSignIn: (client, email, password) =>
    client.send("POST", "/tokens/login", { json: { identifier: email, password } }),
  mobileRefresh: (client, refreshToken) =>
    client.send("POST", "/tokens/refresh", { json: { refreshToken } }),
  mobileRevoke: (client, { refreshToken }) =>
    client.send("POST", "/tokens/logout", { json: { refreshToken } }),
  tokensOf: ({ accessToken, refreshToken, expiresIn }) => ({
    accessToken,
    refreshToken,
    expiresIn,
  }),
  createKey: (client, name, scope) => client.send("POST", "/keys", { json: { name, scope } }),
  keyOf: ({ id, key }) => ({ id, key }),
  listKeys: (client) => client.send("GET", "/keys"),
  revokeKey: (client, id) => client.send("DELETE", `/keys/${id}`),
  keyHeader: (key) => ({ "X-API-Key": key }),
};

/** Browsers say where a sign-in comes from, before there are cookies, too. */
function fromPage(client: Client, path: string, json: unknown): Promise<Response> {
  return client.send("POST", path, { json, headers: { Origin: client.origin } });
}
