/** Ceremonies of passkeys: those of WebAuthn Level 3 §16, those that other libraries test with, and ones derived from them. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { decodeBase64Url } from "../../auth/_base64url.ts";
import type { WebAuthnFailure } from "../../auth/events.ts";
import type { AttestationEvidence } from "../../auth/webauthn/types.ts";
import { readVectors, testVectors } from "./_vectors.ts";
import {
  type Ceremony,
  fromLevel3,
  fromRecorded,
  type Level3Case,
  type RecordedCase,
  verifyCeremony,
  withOwnId,
} from "./_webauthn.ts";

/** Ed448, which Web Crypto does not have everywhere. */
const UNSUPPORTED: readonly number[] = [-53];

/** Where §7 refuses what SimpleWebAuthn accepts: the reasons that occur, and the step of the standard. */
const STEPS: Readonly<Partial<Record<WebAuthnFailure, string>>> = {
  attestation_malformed: "§7.1 step 13, CTAP 2.2 §8",
  credential_id_invalid: "§7.1 step 25",
  key_invalid: "§5.8.5, §7.1 step 20",
  response_malformed: "§5.1.3: id and rawId are the credential id in base64url",
};

function isFramed({ response: { response } }: Ceremony): boolean {
  try {
    const bytes = decodeBase64Url(String(response["clientDataJSON"]));
    const { crossOrigin, topOrigin } = JSON.parse(new TextDecoder().decode(bytes));
    return crossOrigin === true && topOrigin === undefined;
  } catch {
    return false; // not JSON
  }
}

async function checkLabel(recorded: Ceremony): Promise<void> {
  const ceremony = withOwnId(recorded);
  const { id, label, algorithm } = ceremony;
  if (ceremony !== recorded) {
    const verifyAttestation = () => ({ trusted: true } as const);
    const outcome = await verifyCeremony(recorded, { verifyAttestation });
    assert(outcome === "response_malformed" || outcome === "credential_id_invalid", id);
  }
  if (UNSUPPORTED.includes(algorithm)) {
    assertEquals(await verifyCeremony(ceremony), "algorithm_unsupported", id);
  } else if (label === "hook") await checkHook(ceremony);
  else if (isFramed(ceremony)) {
    assertEquals(await verifyCeremony(ceremony), "cross_origin", id);
    assertEquals(await verdictOf(ceremony, { insecureMissingTopOrigin: true }), label, id);
  } else assertEquals(await verdictOf(ceremony), label, `${id}: ${await verifyCeremony(ceremony)}`);
}

async function verdictOf(...given: Parameters<typeof verifyCeremony>): Promise<string> {
  return await verifyCeremony(...given) === "accept" ? "accept" : "reject";
}

/** Everything but the statement is right, and it reaches the hook decoded; the hook decides. */
async function checkHook(ceremony: Ceremony): Promise<void> {
  const { id, response, algorithm } = ceremony;
  const judged: AttestationEvidence[] = [];
  const judge = (trusted: boolean) => (evidence: AttestationEvidence) => {
    judged.push(evidence);
    return trusted ? { trusted } : { trusted, reason: "unknown make" };
  };
  assertEquals(await verifyCeremony(ceremony), "attestation_unsupported", id);
  assertEquals(await verifyCeremony(ceremony, { verifyAttestation: judge(true) }), "accept", id);
  assertEquals(
    await verifyCeremony(ceremony, { verifyAttestation: judge(false) }),
    "attestation_untrusted",
    id,
  );
  assertEquals(judged.length, 2, id);
  for (const evidence of judged) {
    assertEquals(evidence.credentialId, decodeBase64Url(response.id), id);
    assertEquals(evidence.algorithm, algorithm, id);
    assertNotEquals(evidence.statement.size, 0, id);
    assertEquals(evidence.clientDataHash.length, 32, id);
    const x5c = evidence.statement.get("x5c");
    assertEquals(evidence.x5c, x5c as typeof evidence.x5c, id);
  }
}

testVectors<RecordedCase>({
  file: "webauthn/derived.json",
  run: (test) => checkLabel(fromRecorded(test)),
});
testVectors<RecordedCase>({
  file: "webauthn/library-fixtures.json",
  run: (test) => checkLabel(fromRecorded(test)),
});
testVectors<Level3Case>({
  file: "webauthn/w3c-level3.json",
  run: (test) => checkLabel(fromLevel3(test)),
});

const ALL = [
  ...(readVectors<RecordedCase>("webauthn/derived.json") ?? []).map(fromRecorded),
  ...(readVectors<RecordedCase>("webauthn/library-fixtures.json") ?? []).map(fromRecorded),
  ...(readVectors<Level3Case>("webauthn/w3c-level3.json") ?? []).map(fromLevel3),
];

Deno.test({
  name:
    "verifyRegistrationResponse() accepts nothing that SimpleWebAuthn refuses, and refuses more where a step says so",
  ignore: ALL.length === 0,
  async fn() {
    const stricter = new Map<string, number>();
    let compared = 0;
    for (const ceremony of ALL) {
      const { id, label, algorithm, peerAccepts } = ceremony;
      if (label === "hook" || UNSUPPORTED.includes(algorithm) || peerAccepts === undefined) {
        continue;
      }
      const outcome = await verifyCeremony(ceremony, { insecureMissingTopOrigin: true });
      compared++;
      if ((outcome === "accept") === peerAccepts) continue;
      assert(outcome !== "accept", `${id}: accepted, and SimpleWebAuthn refuses it`);
      const step = STEPS[outcome];
      assert(step !== undefined, `${id}: ${outcome} is not explained`);
      const row = `${outcome} (${step})`;
      stricter.set(row, (stricter.get(row) ?? 0) + 1);
    }
    const total = [...stricter.values()].reduce((sum, count) => sum + count, 0);
    const rows = [...stricter].map(([row, count]) => `${count} ${row}`).join(", ");
    // deno-lint-ignore no-console -- where verdicts differ is part of the result
    console.log(`of ${compared}, SimpleWebAuthn accepts ${total} that are refused here: ${rows}`);
    assertNotEquals(total, 0);
  },
});
