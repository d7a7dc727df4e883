/** The routes of passkeys: bodies of a wrong type, and names. */

import { assertEquals } from "@std/assert";
import { types } from "../_services.ts";
import { assertRefused, type Refusal } from "./_routes.ts";
import {
  ask,
  BASE,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyPath,
  register,
  withPasskey,
} from "./_passkeys.ts";

function violation(pointer: string, message: string): Refusal {
  const violations = [{ in: "body", pointer, message }];
  return { status: 422, code: "validation_failed", violations };
}

const NAME_REFUSED = violation("/name", "Expected 1 to 64 characters, without control characters");

const STRING = "Expected a string";
const FLAG = "Expected true or false";
const OBJECT = "Expected an object";

/** Bodies with members of a wrong type. */
const BODIES: readonly (readonly [
  path: PasskeyPath,
  json: unknown,
  pointer: string,
  message: string,
])[] = [
  ["register/options", [], "", OBJECT],
  ["register/options", null, "", OBJECT],
  ["register/options", { conditional: "true" }, "/conditional", FLAG],
  ["register/options", { conditional: null }, "/conditional", FLAG],
  [
    ...["register/options", { identifier: "eve" }, "/identifier"] as const,
    "Expected no identifier, since a user is signed in",
  ],
  [
    ...["register/options", { identifier: null }, "/identifier"] as const,
    "Expected no identifier, since a user is signed in",
  ],
  ["login/options", "ada", "", OBJECT],
  ["login/options", { identifier: 5 }, "/identifier", STRING],
  ["login/options", { identifier: null }, "/identifier", STRING],
  ["login/options", { identifier: ["ada"] }, "/identifier", STRING],
  ["login/verify", { remember: "yes" }, "/remember", FLAG],
  ["login/verify", { remember: null }, "/remember", FLAG],
  ["credentials/rename", [], "", OBJECT],
  ["credentials/rename", { name: "Phone" }, "/id", STRING],
  ["credentials/rename", { id: 1, name: "Phone" }, "/id", STRING],
  ["credentials/remove", [], "", OBJECT],
  ["credentials/remove", {}, "/id", STRING],
  ["credentials/remove", { id: { $ne: "" } }, "/id", STRING],
];

for (const [path, json, pointer, message] of BODIES) {
  Deno.test(`POST ${BASE}/${path} rejects ${JSON.stringify(json)} with 422`, async () => {
    const { app, page } = await withPasskey({ webauthn: { signUp: true } });
    await assertRefused(await ask(page, path, json), violation(pointer, message));
    assertEquals(app.events, []);
  });
}

for (const identifier of [5, null, [], {}]) {
  Deno.test(`POST ${BASE}/register/options rejects the identifier ${JSON.stringify(identifier)} of a sign-up with 422`, async () => {
    const page = createPasskeyApp({ webauthn: { signUp: true } }).browser();
    const response = await ask(page, "register/options", { identifier });
    await assertRefused(response, violation("/identifier", STRING));
  });
}

/** Names of passkeys, and what is stored; `undefined` if the name is refused. */
const NAMES: readonly (readonly [why: string, name: unknown, stored: string | undefined])[] = [
  ["64 characters", "a".repeat(64), "a".repeat(64)],
  ["64 characters outside the BMP", "🔑".repeat(64), "🔑".repeat(64)],
  ["blanks around it", "  Phone\t", "Phone"],
  ["HTML, which is text", "<script>", "<script>"],
  ["10 kB", "a".repeat(10_000), undefined],
  ["a control character", "Pho\u0000ne", undefined],
  ["an escape sequence", "\u001b[31mPhone", undefined],
  ["an isolate", "Pho\u2066ne", undefined],
  ["a joiner alone", "\u200d", undefined],
  ["a joiner, as part of an emoji", "Ada 👩‍💻", "Ada 👩‍💻"],
  ["a lone surrogate", "Pho\ud800ne", undefined],
  ["null", null, undefined],
  ["a number", 5, undefined],
  ["an object", {}, undefined],
];

for (const [why, name, stored] of NAMES) {
  Deno.test(`POST ${BASE}/register/verify ${stored === undefined ? "refuses" : "stores"} a name: ${why}`, async () => {
    const app = createPasskeyApp();
    const page = await app.signedIn();
    const response = await register(page, createAuthenticator(), { name });
    const records = await app.stores.credentials.list("u1");
    if (stored === undefined) {
      await assertRefused(response, NAME_REFUSED);
      return assertEquals([records, app.events], [[], []]);
    }
    assertEquals((await response.json()).credential.name, stored);
    assertEquals(records.map(({ name }) => name), [stored]);
  });

  Deno.test(`POST ${BASE}/credentials/rename ${stored === undefined ? "refuses" : "stores"} a name: ${why}`, async () => {
    const { app, page, passkey: { id } } = await withPasskey();
    const response = await ask(page, "credentials/rename", { id, name });
    const { name: after } = await app.stores.credentials.find(id) ?? {};
    if (stored === undefined) {
      await assertRefused(response, NAME_REFUSED);
      return assertEquals([after, app.events], ["Phone", []]);
    }
    assertEquals([response.status, await response.text(), after], [204, "", stored]);
    assertEquals(types(app.events), ["webauthn.renamed"]);
  });
}

Deno.test(`POST ${BASE}/register/verify refuses a name before the challenge is used`, async () => {
  const page = await createPasskeyApp().signedIn();
  const options = await bodyOf(ask(page, "register/options"));
  const response = await createAuthenticator().create(options);
  await assertRefused(await ask(page, "register/verify", { ...response, name: "" }), NAME_REFUSED);
  await bodyOf(ask(page, "register/verify", { ...response, name: "Phone" }), 201);
});

Deno.test(`POST ${BASE}/login/verify refuses a wrong remember before the challenge is used`, async () => {
  const { app, authenticator } = await withPasskey();
  const page = app.browser();
  const options = await bodyOf(ask(page, "login/options"));
  const response = await authenticator.get(options);
  const refused = await ask(page, "login/verify", { ...response, remember: 1 });
  await assertRefused(refused, violation("/remember", FLAG));
  await bodyOf(ask(page, "login/verify", response));
});

Deno.test("createAuthRoutes() does not blame the name of a passkey for another RangeError", async () => {
  const { page, passkey } = await withPasskey({
    wrap: ({ credentials }) => ({
      credentials: {
        ...credentials,
        rename: () => Promise.reject(new RangeError("the store is full")),
      },
    }),
  });
  const answer = await ask(page, "credentials/rename", { id: passkey.id, name: "Phone" });
  assertEquals([answer.status, (await answer.json()).code], [500, "internal_error"]);
});
