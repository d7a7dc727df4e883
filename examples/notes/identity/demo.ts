/**
 * What Notes ID begins with: two users, two clients, and what these may ask for.
 *
 * @module
 */

import {
  type AuthStores,
  inMemoryAuthStores,
  type JwtClaims,
  type PasswordHasher,
  passwordService,
} from "@gatehouse/http";
import { type ScopeInfo, staticClients } from "@gatehouse/http/auth/server";
import type { IdentityOptions } from "./identity.ts";

/** Users of Notes ID, by their subject ids. */
export const USERS: Readonly<Record<string, { readonly name: string; readonly email: string }>> = {
  ada: { name: "Ada Lovelace", email: "ada@example.com" },
  charles: { name: "Charles Babbage", email: "charles@example.com" },
};

/** The password of all of them, which the page to sign in shows. */
export const DEMO_PASSWORD = "seven brass wheels turn";

/** What clients may ask for, in the words of the consent page. */
export const SCOPES: Readonly<Record<string, ScopeInfo>> = {
  openid: { description: "Know who you are" },
  profile: { description: "See your name" },
  email: { description: "See your e-mail address" },
  offline_access: { description: "Keep access while you are signed out" },
};

/** Stores in memory, with the users. */
export async function demoStores(
  options: { readonly hasher?: PasswordHasher } = {},
): Promise<AuthStores> {
  const stores = inMemoryAuthStores();
  const passwords = passwordService({ users: stores.users, throttle: "insecureSkip", ...options });
  await Promise.all(
    Object.entries(USERS).map(([sub, { email: identifier }]) =>
      passwords.createUser({ identifier, password: DEMO_PASSWORD }, { sub })
    ),
  );
  return stores;
}

/** The claims of a user. The server leaves out those that were not granted. */
export function claimsOf(sub: string): JwtClaims | undefined {
  const user = USERS[sub];
  return user && { ...user, email_verified: true };
}

/** The notes service, which has a secret, and a program on the user's device, which cannot keep one. */
export function clientsOf(
  { notesOrigin, clientSecret }: Pick<IdentityOptions, "notesOrigin" | "clientSecret">,
): ReturnType<typeof staticClients> {
  return staticClients([
    {
      clientId: "notes",
      name: "Notes",
      redirectUris: [`${notesOrigin}/auth/oauth/notes-id/callback`],
      secret: clientSecret,
      scope: ["openid", "profile", "email"],
    },
    {
      clientId: "notes-cli",
      name: "Notes on the command line",
      type: "native",
      redirectUris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    },
  ]);
}
