/** The catalogue "WebAuthn" against the passkey service: ceremonies that are changed in one thing, and how they end. Rows are only added. */

import { assert, assertEquals } from "@std/assert";
import type { WebAuthnFailure } from "../../auth/events.ts";
import type { CreateChange, GetChange } from "../auth/webauthn/_authenticator.ts";
import { CHANGED_ATTESTATIONS } from "../auth/webauthn/_changed_attestations.ts";
import type { ChangedCeremony, OpenCeremony } from "../auth/webauthn/_changed_ceremony.ts";
import { openRegistration, openSignIn } from "../auth/webauthn/_changed_ceremony.ts";
import { CHANGED_REGISTRATIONS } from "../auth/webauthn/_changed_registrations.ts";
import { CHANGED_SIGN_INS } from "../auth/webauthn/_changed_sign_ins.ts";
import { CHANGED_SIGNATURES } from "../auth/webauthn/_changed_signatures.ts";
import { OWN_REGISTRATIONS } from "../auth/webauthn/_own_registrations.ts";
import { OWN_SIGN_INS } from "../auth/webauthn/_own_sign_ins.ts";

/** What a client is told of a reason: the steps of a ceremony are not told apart, so that nobody learns how far a forgery got. */
function clientErrorOf(
  kind: "registration" | "sign-in",
  reason: WebAuthnFailure,
  isIdentified: boolean,
): readonly [status: number, code: string] {
  if (reason === "challenge_foreign" || reason === "challenge_unknown") {
    return [400, "invalid_challenge"];
  }
  if (reason === "credential_unknown" && !isIdentified) return [401, "credential_unknown"];
  return [kind === "registration" ? 400 : 401, "webauthn_failed"];
}

/** What the stores have of ada and eve. */
async function recordsOf({ people: { stores } }: OpenCeremony): Promise<unknown> {
  const { credentials, users } = stores;
  return await Promise.all(
    ["ada", "eve"].map(async (sub) => [await users.findBySub(sub), await credentials.list(sub)]),
  );
}

function defineTest<Change>(
  kind: "registration" | "sign-in",
  row: ChangedCeremony<Change>,
  open: (row: ChangedCeremony<Change>) => Promise<OpenCeremony>,
): void {
  const { why, ends, identifier } = row;
  Deno.test(`[ATTACKS] passkeys: a ${kind} with ${why} → ${ends}`, async () => {
    const ceremony = await open(row);
    const before = await recordsOf(ceremony);
    const { outcome, error } = await ceremony.verify();
    assertEquals(outcome, ends);
    if (outcome === "accept") return;
    assert(error !== undefined);
    const { status, code, problem: { headers: _, ...told } } = error;
    assertEquals([status, code], clientErrorOf(kind, outcome, identifier !== undefined));
    assertEquals(JSON.stringify(told), "{}");
    assertEquals(await recordsOf(ceremony), before);
  });
}

const REGISTRATIONS: readonly ChangedCeremony<CreateChange>[] = [
  ...CHANGED_REGISTRATIONS,
  ...CHANGED_ATTESTATIONS,
  ...OWN_REGISTRATIONS,
];

const SIGN_INS: readonly ChangedCeremony<GetChange>[] = [
  ...CHANGED_SIGN_INS,
  ...CHANGED_SIGNATURES,
  ...OWN_SIGN_INS,
];

for (const row of REGISTRATIONS) defineTest("registration", row, openRegistration);
for (const row of SIGN_INS) defineTest("sign-in", row, openSignIn);
