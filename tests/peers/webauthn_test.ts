/** Ceremonies of passkeys: the same responses for the service and for SimpleWebAuthn, whose verdicts differ where a row says so. */

import { assert, assertEquals } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import { CHANGED_ATTESTATIONS } from "../auth/webauthn/_changed_attestations.ts";
import type { ChangedCeremony } from "../auth/webauthn/_changed_ceremony.ts";
import { CHANGED_REGISTRATIONS } from "../auth/webauthn/_changed_registrations.ts";
import { CHANGED_SIGNATURES } from "../auth/webauthn/_changed_signatures.ts";
import { CHANGED_SIGN_INS } from "../auth/webauthn/_changed_sign_ins.ts";
import { browser } from "./_simplewebauthn.ts";
import { runRegistration, runSignIn, type Verdicts } from "./_verdicts.ts";

/** Runs every row, so that one run shows all that is wrong. */
async function runRows<Change>(
  rows: readonly ChangedCeremony<Change>[],
  run: (row: ChangedCeremony<Change>) => Promise<Verdicts>,
): Promise<void> {
  const wrong: string[] = [];
  const differences: string[] = [];
  for (const row of rows) {
    const { why, ends, differs } = row;
    const { ours, accepted, peerAccepts } = await run(row);
    if (ours !== ends) wrong.push(`${why}: ${ours} instead of ${ends}`);
    if ((accepted !== peerAccepts) !== (differs !== undefined)) {
      wrong.push(`${why}: SimpleWebAuthn ${peerAccepts ? "accepts" : "refuses"}`);
    }
    if (differs !== undefined) differences.push(`${why} (${differs})`);
  }
  // deno-lint-ignore no-console -- where verdicts differ is part of the result
  console.log(
    `${rows.length} rows; SimpleWebAuthn accepts ${differences.length} that are refused here:\n  ${
      differences.join("\n  ")
    }`,
  );
  assertEquals(wrong, []);
}

Deno.test("verifyRegistration() and SimpleWebAuthn agree on changed registrations, but where a row names the step", () =>
  runRows(CHANGED_REGISTRATIONS, runRegistration));

Deno.test("verifyRegistration() and SimpleWebAuthn agree on changed attestation objects, but where a row names the step", () =>
  runRows(CHANGED_ATTESTATIONS, runRegistration));

Deno.test("verifyAuthentication() and SimpleWebAuthn agree on changed sign-ins, but where a row names the step", () =>
  runRows(CHANGED_SIGN_INS, runSignIn));

Deno.test("verifyAuthentication() and SimpleWebAuthn agree on changed signatures, but where a row names the step", () =>
  runRows(CHANGED_SIGNATURES, runSignIn));

Deno.test("encodeBase64Url() writes what @simplewebauthn/browser reads, and reads what it writes", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    const text = encodeBase64Url(bytes);
    assertEquals(browser.bufferToBase64URLString(bytes.buffer), text);
    assertEquals(new Uint8Array(browser.base64URLStringToBuffer(text)), bytes);
    assertEquals(decodeBase64Url(browser.bufferToBase64URLString(bytes.buffer)), bytes);
  }
  assert(!/[+/=]/.test(browser.bufferToBase64URLString(new Uint8Array(64).fill(0xfb).buffer)));
});
