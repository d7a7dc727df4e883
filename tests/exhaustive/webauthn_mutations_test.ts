/** Mutants of real ceremonies of passkeys: the shared vectors that verify, and those of the software authenticator. */

import { assert, assertEquals } from "@std/assert";
import { CEREMONY_MUTANTS } from "../_effort.ts";
import { verifyCeremony } from "../vectors/_webauthn.ts";
import { realCeremonies } from "./_webauthn_ceremonies.ts";
import { runMutations } from "./_webauthn_mutations.ts";

Deno.test("verifyCeremony() accepts the ceremonies that mutants are made of", async () => {
  const ceremonies = await realCeremonies();
  for (const ceremony of ceremonies) {
    const hook = { verifyAttestation: () => ({ trusted: true } as const) };
    assertEquals(await verifyCeremony(ceremony, hook), "accept", ceremony.id);
  }
});

Deno.test(`verifyRegistrationResponse() and verifyAuthenticationResponse() accept none of ${CEREMONY_MUTANTS} mutants, but where they differ in what is not verified`, async () => {
  const run = await runMutations(await realCeremonies(), { count: CEREMONY_MUTANTS, seed: 7_112 });
  // deno-lint-ignore no-console -- the number of mutants and the reasons are part of the result
  console.log(run);
  assert(run.longestMs < 1_000);
  // Mutants that all fail at the first check would prove nothing
  assert(Object.keys(run.refused).length >= 15, JSON.stringify(run.refused));
  assert((run.refused["signature_invalid"] ?? 0) > CEREMONY_MUTANTS / 20);
});
