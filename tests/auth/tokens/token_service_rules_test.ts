/** The bounds of a token service's options, and stores that fail it. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { keyService } from "../../../auth/keys/key_service.ts";
import { refreshService } from "../../../auth/tokens/refresh_service.ts";
import { tokenService } from "../../../auth/tokens/token_service.ts";
import { untyped } from "../../router/_helpers.ts";
import { decode } from "../_decode.ts";
import { STAMPED, withStore } from "./_refresh.ts";
import { refusal } from "../_services.ts";
import { AUDIENCE, ISSUER, refreshTokenOf, withTokens } from "./_tokens.ts";

const PARTIES = { issuer: ISSUER, audience: AUDIENCE };

for (const lifetime of [1, 3_600, 2_592_000]) {
  Deno.test(`tokenService() takes a lifetime of ${lifetime} s`, async () => {
    const keys = keyService({ store: inMemoryAuthStores().keys, maxTokenAge: lifetime });
    const tokens = tokenService({ ...PARTIES, keys, lifetime });
    const { accessToken, expiresIn } = await tokens.issue({ ...STAMPED, authTime: 0 });
    const { iat, exp } = decode(accessToken).claims;
    assertEquals([Number(exp) - Number(iat), expiresIn], [lifetime, lifetime]);
  });
}

/** Beside a client of its own name, which must not hide them. */
const WRONG: readonly (readonly [why: string, parties: object, name: string])[] = [
  ["several audiences", { audience: [AUDIENCE, "https://admin.example.com"] }, "audience"],
  ["no audience", { audience: undefined }, "audience"],
  ["an empty audience", { audience: "" }, "audience"],
  ["several issuers", { issuer: [ISSUER] }, "issuer"],
];

for (const [why, parties, name] of WRONG) {
  Deno.test(`tokenService() for a client of its own name refuses ${why}`, () => {
    const keys = keyService({ store: inMemoryAuthStores().keys });
    const options = { ...PARTIES, keys, clientId: "app", ...parties };
    assertThrows(
      () => tokenService(untyped(options)),
      TypeError,
      `Cannot create token service: ${name} must be a non-empty string`,
    );
  });
}

Deno.test("tokenService() and refreshService() cannot be changed by who is given them", () => {
  const stores = inMemoryAuthStores();
  const keys = keyService({ store: stores.keys });
  const refresh = refreshService(stores);
  for (const service of [refresh, tokenService({ ...PARTIES, keys, refresh })]) {
    assert(Object.isFrozen(service));
  }
});

Deno.test("revoke() of a token service is done when it says so, and rejects where the store fails", async () => {
  let isDown = true;
  const { tokens } = await withTokens(withStore((store) => ({
    async revoke(by) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (isDown) throw new Error("The store is out of order");
      await store.revoke(by);
    },
  })));
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  await assertRejects(() => tokens.revoke(first), Error, "out of order");
  isDown = false;
  await tokens.revoke(first);
  await assertRejects(() => tokens.refresh(first));
});

Deno.test("refresh() keeps scopes of which nobody says that they were the service's", async () => {
  const { tokens, refresh } = await withTokens({ tokens: { scope: ["a"] } });
  const data = { clientId: AUDIENCE, audience: AUDIENCE }; // as a family of before has it
  const { refreshToken } = await refresh.issue(STAMPED, { scope: ["a", "b"], data });
  assertEquals((await tokens.refresh(refreshToken)).scope, ["a", "b"]);
});

Deno.test("refresh() of a service that gives no scopes any more grants none of those it had given", async () => {
  const { tokens, another } = await withTokens({ tokens: { scope: ["a", "b"] } });
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  const next = await another({ scope: undefined }).refresh(first);
  assertEquals([next.scope, decode(next.accessToken).claims["scope"]], [[], undefined]);
});

Deno.test("refresh() of another audience's token has ended its family when it says so", async () => {
  const { tokens, another, stores } = await withTokens(withStore((store) => ({
    async revoke(by) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await store.revoke(by);
    },
  })));
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  const { reason } = await refusal(() => another({ audience: "other" }).refresh(first));
  const [familyId = ""] = first.split(".");
  const family = await stores.refreshTokens.find(familyId);
  assertEquals([reason, family?.revoked], ["client_mismatch", true]);
});

Deno.test("refresh() answers nothing where a refresh service of another's does not ask for the tokens", async () => {
  const { tokens, another, refresh } = await withTokens();
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  const careless = { ...refresh, rotate: (token: string) => refresh.rotate(token) };
  const attempt = () => another({ refresh: careless }).refresh(first);
  await assertRejects(attempt, TypeError, "Cannot refresh tokens");
});
