/** The hook that judges attestations, and stores that fail. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { AuthError } from "../../../auth/error.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import type { AttestationEvidence } from "../../../auth/webauthn/types.ts";
import { attester } from "./_authenticator.ts";
import type { Encodable } from "./_cbor.ts";
import {
  BROWSER,
  CLIENT,
  createAuthenticator,
  createScene,
  refusal,
  register,
  signIn,
  START,
} from "./_passkeys.ts";

const BYTE = Uint8Array.of(5);
const CERTIFIED = {
  aaguid: new Uint8Array(16).fill(1),
  attester: attester(
    "x-new",
    new Map<Encodable, Encodable>([["sig", BYTE], ["x5c", [BYTE, BYTE]]]),
  ),
};

Deno.test("verifyAttestation gets what the authenticator sent, and keeps its format", async () => {
  const given: AttestationEvidence[] = [];
  const scene = await createScene({
    verifyAttestation(evidence) {
      given.push(evidence);
      return { trusted: true };
    },
  });
  const { service, stores } = scene;
  const phone = createAuthenticator();
  const response = await phone.create(
    await service.registrationOptions("ada", { browser: BROWSER }),
    CERTIFIED,
  );
  const { credential } = await service.verifyRegistration(response, {
    browser: BROWSER,
    sub: "ada",
  });
  const record = await stores.credentials.find(credential.id);
  const [evidence] = given;
  assert(evidence !== undefined && given.length === 1);
  const { authenticatorData, clientDataJSON } = response.response;
  const { authData, clientDataHash, credentialId, publicKey, ...rest } = evidence;
  assertEquals(encodeBase64Url(authData), authenticatorData);
  const hash = await crypto.subtle.digest(
    "SHA-256",
    Uint8Array.fromBase64(String(clientDataJSON), { alphabet: "base64url" }),
  );
  assertEquals(clientDataHash, new Uint8Array(hash));
  assertEquals(encodeBase64Url(credentialId), credential.id);
  assertEquals(encodeBase64Url(publicKey), record?.publicKey);
  assertEquals(rest, {
    fmt: "x-new",
    statement: new Map<string, unknown>([["sig", BYTE], ["x5c", [BYTE, BYTE]]]) as never,
    aaguid: "01010101-0101-0101-0101-010101010101",
    algorithm: -7,
    x5c: [BYTE, BYTE],
  });
  assertEquals(record?.fmt, "x-new");
});

Deno.test("verifyAttestation gets x5c only if it is an array of byte strings", async () => {
  const given: AttestationEvidence[] = [];
  const scene = await createScene({
    verifyAttestation(evidence) {
      given.push(evidence);
      return { trusted: true };
    },
  });
  for (const x5c of [BYTE, [BYTE, "x"], "x"] as const) {
    const statement = new Map<Encodable, Encodable>([["x5c", x5c as Encodable]]);
    await register(scene, createAuthenticator(), {
      change: { attester: attester("x", statement) },
    });
  }
  assertEquals(given.map((evidence) => "x5c" in evidence), [false, false, false]);
});

const VERDICTS: readonly (readonly [
  what: string,
  verdict: () => unknown,
  detail: string | undefined,
  warnings: number,
])[] = [
  ["does not trust", () => ({ trusted: false, reason: "unknown root" }), "unknown root", 0],
  ["gives no reason", () => ({ trusted: false }), undefined, 0],
  ["gives a reason that is not text", () => ({ trusted: false, reason: {} }), undefined, 0],
  [
    "throws",
    () => {
      throw new Error("secret of the hook");
    },
    "verifyAttestation failed",
    1,
  ],
  ["rejects", () => Promise.reject(new Error("secret of the hook")), "verifyAttestation failed", 1],
];

for (const [what, verdict, detail, warnings] of VERDICTS) {
  Deno.test(`verifyRegistration() refuses a certificate whose hook ${what}`, async () => {
    const scene = await createScene({ verifyAttestation: verdict as never });
    const error = await refusal(() =>
      register(scene, createAuthenticator(), { change: CERTIFIED })
    );
    assertEquals([error.status, error.code, error.message], [
      400,
      "webauthn_failed",
      "webauthn_failed",
    ]);
    assertEquals(scene.events, [{
      ...{ type: "webauthn.failed", at: START, ceremony: "registration" },
      ...{ reason: "attestation_untrusted", sub: "ada", ...CLIENT },
      ...(detail === undefined ? {} : { detail }),
    }]);
    assertEquals(scene.warnings.length, warnings);
    assertEquals(await scene.stores.credentials.list("ada"), []);
  });
}

/** Methods of stores that a ceremony needs. */
const METHODS: readonly (readonly [
  ceremony: "registration" | "sign-in",
  store: "credentials" | "states" | "users",
  method: string,
])[] = [
  ["registration", "users", "findBySub"],
  ["registration", "states", "put"],
  ["registration", "states", "consume"],
  ["registration", "credentials", "list"],
  ["registration", "credentials", "create"],
  ["sign-in", "states", "put"],
  ["sign-in", "states", "consume"],
  ["sign-in", "credentials", "find"],
  ["sign-in", "users", "findBySub"],
  ["sign-in", "credentials", "updateSignCount"],
];

for (const [ceremony, store, method] of METHODS) {
  Deno.test(`webAuthnService() lets nobody in, and loses nothing, when ${store}.${method}() rejects in a ${ceremony}`, async () => {
    const down = { now: false };
    const wrap = (stores: AuthStores) => {
      const inner = stores[store] as unknown as Record<string, (...args: unknown[]) => unknown>;
      const failing = async (...args: unknown[]) => {
        if (down.now) throw new Error("the store is down");
        return await inner[method]?.(...args);
      };
      return { [store]: { ...inner, [method]: failing } } as Partial<AuthStores>;
    };
    const scene = await createScene({ wrap });
    const phone = createAuthenticator();
    const { id } = await register(scene, phone);
    scene.events.length = 0;
    down.now = true;
    const error = await assertRejects(
      () => ceremony === "sign-in" ? signIn(scene, phone) : register(scene),
      Error,
      "the store is down",
    );
    assert(!(error instanceof AuthError));
    down.now = false;
    assertEquals(scene.events, []);
    const [record, ...others] = await scene.stores.credentials.list("ada");
    assertEquals([record?.id, record?.signCount, record?.lastUsedAt], [id, 0, undefined]);
    assertEquals(others, []);
    assertEquals((await signIn(scene, phone)).credentialId, id);
  });
}

/** Records as engines return them: compared as they are, they would let in who must stay out. */
const RECORDS: readonly (readonly [
  what: string,
  store: "credentials" | "users",
  method: string,
  members: Readonly<Record<string, unknown>>,
])[] = [
  ["a user without stamp", "users", "findBySub", { securityStamp: undefined }],
  ["a user whose subject id is a number", "users", "findBySub", { sub: 5 }],
  ["a passkey whose counter is text", "credentials", "find", { signCount: "0" }],
  ["a passkey whose backup eligibility is a number", "credentials", "find", { backupEligible: 1 }],
];

for (const [what, store, method, members] of RECORDS) {
  Deno.test(`webAuthnService() rejects ${what}, with a TypeError`, async () => {
    const wrong = { now: false };
    const wrap = (stores: AuthStores) => {
      const inner = stores[store] as unknown as Record<string, (...args: unknown[]) => unknown>;
      const reading = async (...args: unknown[]) => {
        const record = await inner[method]?.(...args);
        return wrong.now ? { ...record as object, ...members } : record;
      };
      return { [store]: { ...inner, [method]: reading } } as Partial<AuthStores>;
    };
    const scene = await createScene({ wrap });
    const phone = createAuthenticator();
    await register(scene, phone);
    wrong.now = true;
    await assertRejects(() => signIn(scene, phone), TypeError);
    if (store === "users") await assertRejects(() => register(scene), TypeError);
  });
}
