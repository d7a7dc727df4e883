/**
 * The paths of `hono/`.
 *
 * @module
 */

import type { Adapter } from "../_client.ts";

/** Better Auth's paths, and those that the version adds. */
export const adapter: Adapter = {
  notMet: {},
  register: (client, email, password) =>
    client.send("POST", "/api/auth/sign-up/email", { json: { email, password, name: email } }),
  signIn: (client, email, password) =>
    client.send("POST", "/api/auth/sign-in/email", { json: { email, password } }),
  signOut: (client, headers = {}) =>
    client.send("POST", "/api/auth/sign-out", { json: {}, headers }),
  mobileSignIn: (client, email, password) =>
    client.send("POST", "/mobile/sign-in", { json: { email, password } }),
  mobileRefresh: (client, refreshToken) =>
    client.send("POST", "/mobile/refresh", { json: { refreshToken } }),
  mobileRevoke: (client, { refreshToken }) =>
    client.send("POST", "/mobile/revoke", { json: { refreshToken } }),
  tokensOf: ({ accessToken, refreshToken, expiresIn }) => ({
    accessToken,
    refreshToken,
    expiresIn,
  }),
  createKey: (client, name, scope) => client.send("POST", "/keys", { json: { name, scope } }),
  keyOf: ({ id, key }) => ({ id, key }),
  listKeys: (client) => client.send("GET", "/keys"),
  revokeKey: (client, id) => client.send("DELETE", `/keys/${id}`),
  keyHeader: (key) => ({ "x-api-key": key }),
};
