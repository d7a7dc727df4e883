/**
 * A program that uses the operations of passkeys by a client, with an authenticator in software for the browser's functions.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { OPENAPI_FETCH } from "./versions.ts";

const AUTHENTICATOR = toFileUrl(join(ROOT, "tests/auth/webauthn/_authenticator.ts")).href;
const TYPES = toFileUrl(join(ROOT, "auth/webauthn/types.ts")).href;

/** Exports `walkPasskeys`: the user of one browser adds a passkey, signs in with it in another, renames and removes it. */
export const PASSKEY_WALK: string = `import { assert, assertEquals } from "@std/assert";
import type createClient from "${OPENAPI_FETCH}";
import { createAuthenticator } from "${AUTHENTICATOR}";
import type { CreationOptionsJson, RequestOptionsJson } from "${TYPES}";
import type { paths } from "./api.ts";

type Client = ReturnType<typeof createClient<paths>>;

async function tokenOf(client: Client): Promise<{ header: { "X-CSRF-Token": string } }> {
  const { data } = await client.GET("/auth/csrf");
  assert(data !== undefined);
  return { header: { "X-CSRF-Token": data.csrfToken } };
}

export async function walkPasskeys(client: Client, phone: Client, origin: string): Promise<void> {
  const authenticator = createAuthenticator({ origin });
  const begun = await client.POST("/auth/webauthn/register/options", {
    params: await tokenOf(client),
    body: {},
  });
  assert(begun.data !== undefined);
  const created = await authenticator.create(begun.data as unknown as CreationOptionsJson);
  const registered = await client.POST("/auth/webauthn/register/verify", {
    params: await tokenOf(client),
    body: { ...created, name: "Laptop" },
  });
  assert(registered.data !== undefined);
  const { id, name }: { id: string; name?: string } = registered.data.credential;
  assertEquals([registered.response.status, name, registered.data.session], [201, "Laptop", undefined]);

  const options = await phone.POST("/auth/webauthn/login/options", {
    params: await tokenOf(phone),
    body: {},
  });
  assert(options.data !== undefined);
  const assertion = await authenticator.get(options.data as unknown as RequestOptionsJson);
  const signedIn = await phone.POST("/auth/webauthn/login/verify", {
    params: await tokenOf(phone),
    body: { ...assertion, remember: true },
  });
  assertEquals(signedIn.data?.principal.amr, ["pop", "user", "mfa"]);

  const renamed = await phone.POST("/auth/webauthn/credentials/rename", {
    params: await tokenOf(phone),
    body: { id, name: "Key" },
  });
  assertEquals(renamed.response.status, 204);
  const listed = await phone.GET("/auth/webauthn/credentials");
  assertEquals(listed.data?.credentials.map((one) => one.name), ["Key"]);
  assertEquals(listed.data?.signals.allAcceptedCredentials.allAcceptedCredentialIds, [id]);
  const removed = await phone.POST("/auth/webauthn/credentials/remove", {
    params: await tokenOf(phone),
    body: { id },
  });
  assertEquals([removed.response.status, removed.data, removed.error], [204, undefined, undefined]);
  const gone = await phone.POST("/auth/webauthn/credentials/remove", {
    params: await tokenOf(phone),
    body: { id },
  });
  assertEquals([gone.response.status, gone.error?.code], [404, "not_found"]);
  await phone.POST("/auth/logout", { params: await tokenOf(phone) });
}
`;
