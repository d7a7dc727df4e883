import { assertEquals, assertRejects } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import type { AuthEvent } from "../../../auth/events.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { webAuthnService } from "../../../auth/webauthn/service.ts";
import type {
  AttestationEvidence,
  AttestationVerdict,
  WebAuthnConfig,
} from "../../../auth/webauthn/types.ts";
import {
  type Attester,
  attester,
  createAuthenticator,
  NONE,
  selfAttester,
} from "./_authenticator.ts";

const CERTIFIED = attester("packed", new Map([["x5c", []]]));

type Judge = NonNullable<WebAuthnConfig["verifyAttestation"]>;
const trusting: Judge = () => ({ trusted: true });
const refusing: Judge = () => ({ trusted: false, reason: "another make" });
const failing: Judge = () => {
  throw new Error("the metadata service is away");
};

/** [why, attester, what is asked for, hook, detail of the refusal or how often the hook was asked] */
const REGISTRATIONS: readonly (readonly [
  why: string,
  attester: Attester,
  asked: "none" | "direct" | "enterprise",
  hook: Judge,
  ends: number | string | undefined,
])[] = [
  ["none, which nobody judges where nothing is asked for", NONE, "none", refusing, 0],
  ["self attestation where nothing is asked for", selfAttester(), "none", refusing, 0],
  ["none where the hook accepts it", NONE, "direct", trusting, 1],
  ["none where the hook demands a make", NONE, "direct", refusing, "another make"],
  [
    "self attestation where the hook demands a make",
    selfAttester(),
    "enterprise",
    refusing,
    "another make",
  ],
  ["certificates that the hook trusts, asked for or not", CERTIFIED, "none", trusting, 1],
  ["certificates that it does not trust", CERTIFIED, "direct", refusing, "another make"],
  ["a hook that fails", CERTIFIED, "direct", failing, "verifyAttestation failed"],
  ["a hook that fails, at none", NONE, "direct", failing, "verifyAttestation failed"],
  ["a hook that returns nothing", CERTIFIED, "direct", () => undefined as never, undefined],
];

for (const [why, attester, attestation, hook, ends] of REGISTRATIONS) {
  Deno.test(`verifyAttestation: ${why}`, async () => {
    const { users, credentials, states } = inMemoryAuthStores();
    await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
    const asked: AttestationEvidence[] = [];
    const events: AuthEvent[] = [];
    const service = webAuthnService({
      ...{ users, credentials, states, attestation },
      ...{ rpId: "example.com", rpName: "Example", origins: ["https://example.com"] },
      verifyAttestation: (evidence) => {
        asked.push(evidence);
        return hook(evidence);
      },
      events: (event) => void events.push(event),
      warn: () => {},
    });
    const options = await service.registrationOptions("u1", { browser: "b" });
    assertEquals(options.attestation, attestation);
    const response = await createAuthenticator().create(options, { attester });
    const verify = () => service.verifyRegistration(response, { browser: "b", sub: "u1" });
    if (typeof ends === "number") {
      await verify();
      assertEquals(asked.length, ends);
    } else {
      await assertRejects(verify, AuthError, "webauthn_failed");
      const [event] = events;
      assertEquals(event?.type === "webauthn.failed" && [event.reason, event.detail], [
        "attestation_untrusted",
        ends,
      ]);
    }
    assertEquals((await credentials.list("u1")).length, typeof ends === "number" ? 1 : 0);
  });
}

Deno.test("verifyAttestation is not asked about a credential whose id is not that of the response", async () => {
  const { users, credentials, states } = inMemoryAuthStores();
  await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
  let asked = 0;
  const service = webAuthnService({
    ...{ users, credentials, states, attestation: "direct" },
    ...{ rpId: "example.com", rpName: "Example", origins: ["https://example.com"] },
    verifyAttestation: () => ({ trusted: asked++ >= 0 }) as AttestationVerdict,
  });
  for (const [id, expected] of [["AAAA", 0], [undefined, 1]] as const) {
    const options = await service.registrationOptions("u1", { browser: "b" });
    const change = { attester: CERTIFIED, ...(id === undefined ? {} : { id }) };
    const response = await createAuthenticator().create(options, change);
    await service.verifyRegistration(response, { browser: "b", sub: "u1" }).catch(() => {});
    assertEquals(asked, expected);
  }
});
