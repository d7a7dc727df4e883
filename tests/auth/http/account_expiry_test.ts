/** Accounts that have expired, at the routes of API clients, passkeys and providers. */

import {
  type AuthStores,
  createTokenRoutes,
  emailAccounts,
  inMemoryAuthStores,
  mountAuthRoutes,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { ADA, OTHER_PASSWORD, PASSWORD, START } from "../_services.ts";
import { ACCOUNTS, codeOf, createAccountApp, MAIL } from "./_accounts.ts";
import { ask, createAuthenticator, createPasskeyApp, register } from "./_passkeys.ts";
import { JWT } from "./_token_routes.ts";
import { oauthApp, signInWith } from "./oauth/_oauth.ts";

const DAY = 86_400;
const UNVERIFIED = { unverified: { expiresIn: DAY, since: 0 } } as const;
const EXPIRING = emailAccounts({ ...ACCOUNTS, deliver() {}, ...UNVERIFIED });

/** Ada's account, `u1`, which expires. */
async function squat({ users }: AuthStores): Promise<void> {
  const user = { sub: "u1", identifier: MAIL, securityStamp: "s", createdAt: START };
  assertEquals(await users.create(user), "created");
}

Deno.test("createTokenRoutes() refuse an account that has expired, and free its identifier", async () => {
  const app = createAccountApp({ accounts: UNVERIFIED, jwt: JWT });
  mountAuthRoutes(app.router, createTokenRoutes({ runtime: app.runtime }), "/tokens");
  await app.runtime.passwords.createUser({ ...ADA }, { sub: "u1" });
  const client = app.browser();
  app.clock.now += DAY - 1;
  assertEquals(await codeOf(client.post("/tokens/login", ADA)), "200");
  app.clock.now += 1;
  assertEquals(await codeOf(client.post("/tokens/login", ADA)), "401 invalid_credentials");
  const body = { ...ADA, password: OTHER_PASSWORD };
  assertEquals(await codeOf(client.post("/tokens/register", body)), "201");
  assertEquals(await app.stores.users.findBySub("u1"), null);
  assertEquals((await app.delivered()).map(({ kind }) => kind), ["verify_email"]);
  assertEquals(await codeOf(client.post("/tokens/register", body)), "409 identifier_unavailable");
});

Deno.test("POST /tokens/register takes an address, and rejects a wrong one", async () => {
  const app = createAccountApp({ jwt: JWT });
  mountAuthRoutes(app.router, createTokenRoutes({ runtime: app.runtime }), "/tokens");
  const body = { identifier: "ada", password: PASSWORD };
  const wrong = app.browser().post("/tokens/register", { ...body, email: "x" });
  assertEquals(await codeOf(wrong), "400 invalid_identifier");
  const right = app.browser().post("/tokens/register", { ...body, email: MAIL });
  assertEquals(await codeOf(right), "201");
  assertEquals((await app.delivered()).map(({ to }) => to), [MAIL]);
});

Deno.test("POST /webauthn/register frees the identifier of an account that has expired", async () => {
  for (const [seconds, status] of [[DAY - 1, 409], [DAY, 201]] as const) {
    const clock = { now: START };
    const app = createPasskeyApp({ clock, webauthn: { signUp: true }, accounts: EXPIRING });
    await squat(app.stores);
    clock.now += seconds;
    const page = app.browser();
    if (status === 409) {
      const refused = ask(page, "register/options", { identifier: MAIL });
      assertEquals(await codeOf(refused), "409 identifier_unavailable");
      continue;
    }
    const options = { identifier: MAIL };
    const response = await register(page, await createAuthenticator(), { options });
    assertEquals([response.status, (await response.json()).user.identifier], [status, MAIL]);
    await new Promise((resolve) => setTimeout(resolve)); // the message is delivered in the next turn
  }
});

Deno.test("GET /oauth/:provider/callback frees the identifier of an account that has expired", async () => {
  for (const [seconds, status] of [[DAY - 1, 409], [DAY, 303]] as const) {
    const clock = { now: START };
    const stores = inMemoryAuthStores({ now: () => clock.now });
    const app = oauthApp({ clock, stores, accounts: EXPIRING });
    await squat(stores);
    clock.now += seconds;
    const response = await signInWith(app.browser(), app.one);
    assertEquals(response.status, status, await response.text());
    assertEquals(await stores.users.findBySub("u1") === null, status === 303);
  }
});
