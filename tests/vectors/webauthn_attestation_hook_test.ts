/**
 * Registrations with statements for the hook, from the W3C's test vectors and other libraries' fixtures: they pass every other
 * check, and `examples/attestation/packed.ts` judges the statement.
 *
 * @module
 */

import { AuthError, inMemoryAuthStores, webAuthnService } from "@gatehouse/http/auth";
import { assertEquals, assertExists } from "@std/assert";
import { encodeBase64Url } from "../../auth/_base64url.ts";
import type { AuthEvent } from "../../auth/events.ts";
import type { AttestationEvidence } from "../../auth/webauthn/types.ts";
import { packedAttestation } from "../../examples/attestation/packed.ts";
import { readVectors, testVectors } from "./_vectors.ts";

interface Registration {
  readonly id: string;
  readonly ceremony: string;
  readonly project: string;
  readonly fmt: string;
  readonly alg: number;
}

/** Binary members are hexadecimal. */
interface W3cCase extends Registration {
  readonly rpId: string;
  readonly origin: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly expected: { readonly credentialId: string };
}

interface LibraryCase extends Registration {
  readonly expectedRPID: string;
  readonly expectedOrigin: string;
  readonly response: unknown;
  /** Of certificates too. */
  readonly result: "valid" | "invalid";
}

const NOW = Date.UTC(2026, 0, 1) / 1_000;
const UNPINNED = "attestation_untrusted: no chain to a pinned root";
const ALGORITHMS = [-8, -7, -35, -257] as const;

/** Registers a recorded response with the hook. @returns `registered`, or the reason and detail of the event. */
async function register(
  response: unknown,
  { rpId, origin, rootsOf }: {
    readonly rpId: string;
    readonly origin: string;
    readonly rootsOf: (evidence: AttestationEvidence) => readonly Uint8Array[];
  },
): Promise<string> {
  const { users, credentials } = inMemoryAuthStores();
  await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
  let state: unknown; // of whichever challenge the response has
  const events: AuthEvent[] = [];
  const service = webAuthnService({
    ...{ rpId, rpName: "Vectors", origins: [origin], users, credentials },
    userVerification: "preferred",
    algorithms: ALGORITHMS,
    states: {
      put: (_, value) => Promise.resolve(void (state = value)),
      consume: () => Promise.resolve(state),
      claim: () => Promise.resolve("claimed"),
    },
    verifyAttestation: (evidence) =>
      packedAttestation({ rootsOf: () => rootsOf(evidence), now: () => NOW })(evidence),
    events: (event) => void events.push(event),
  });
  await service.registrationOptions("u1", { browser: "b" });
  try {
    await service.verifyRegistration(response, { sub: "u1", browser: "b" });
    return "registered";
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const failed = events.find((event) => event.type === "webauthn.failed");
    assertExists(failed);
    return [failed.reason, failed.detail].filter((part) => part !== undefined).join(": ");
  }
}

function isForHook({ ceremony, project }: Registration): boolean {
  return ceremony === "registration" && project.startsWith("hook");
}

/** Why a case is not judged by this hook, or `undefined`. */
function refusalOf({ fmt, alg }: Registration): string | undefined {
  if (!ALGORITHMS.some((known) => known === alg)) return "algorithm_unsupported";
  if (fmt !== "packed") return "attestation_untrusted: not packed, or no certificates";
  return undefined;
}

const [w3cRoot] = readVectors(
  "webauthn/w3c-level3.json",
  ({ attestationRootCert }: { attestationRootCert: string }) => [hex(attestationRootCert)],
) ?? [];

testVectors<W3cCase>({
  file: "webauthn/w3c-level3.json",
  skip: (test) => isForHook(test) ? undefined : "not for the hook",
  async run(test) {
    const { rpId, origin, clientDataJSON, attestationObject, expected: { credentialId } } = test;
    const [id, ...parts] = [credentialId, clientDataJSON, attestationObject]
      .map((bytes) => encodeBase64Url(hex(bytes)));
    const [clientData, object] = parts;
    const members = { clientDataJSON: clientData, attestationObject: object };
    const response = { type: "public-key", id, rawId: id, response: members };
    const judged = (rootsOf: () => readonly Uint8Array[]) =>
      register(response, { rpId, origin, rootsOf });

    assertExists(w3cRoot);
    assertEquals(await judged(() => [w3cRoot]), refusalOf(test) ?? "registered");
    assertEquals(await judged(() => []), refusalOf(test) ?? UNPINNED);
  },
});

testVectors<LibraryCase>({
  file: "webauthn/library-fixtures.json",
  skip: (test) =>
    isForHook(test) && test.fmt === "packed" ? undefined : "not packed with certificates",
  async run(test) {
    const { expectedRPID: rpId, expectedOrigin: origin, response } = test;
    // Their roots are not among the vectors: the authenticator's own certificate is pinned, as in some metadata
    const ownCertificate = ({ x5c = [] }: AttestationEvidence) => x5c.slice(0, 1);
    const verdict = test.result === "valid"
      ? "registered"
      : "attestation_untrusted: aaguid of another make";
    const pinned = await register(response, { rpId, origin, rootsOf: ownCertificate });
    assertEquals(pinned, verdict);
    const unpinned = await register(response, {
      ...{ rpId, origin },
      rootsOf: ({ x5c = [] }) => w3cRoot === undefined ? x5c.slice(1) : [w3cRoot],
    });
    assertEquals(unpinned, UNPINNED);
  },
});

function hex(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((text.match(/../g) ?? []).map((byte) => parseInt(byte, 16)));
}
