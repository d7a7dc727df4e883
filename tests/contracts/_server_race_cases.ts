/**
 * Expected results of races at an authorization server in several processes.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { AuthStores } from "../../auth/stores/types.ts";
import { type Course, type RaceCase, runRaces } from "./_race_cases.ts";
import { countDelivery } from "./_race_server.ts";
import {
  allowDevice,
  beginDevice,
  countGrants,
  decide,
  exchangeCode,
  proofOf,
  push,
  refresh,
  showForm,
  signAssertion,
  useAssertion,
  usePushed,
  userinfoStatus,
} from "./_server_races.ts";

const REFUSED = "400 invalid_grant";
const ANSWERED = "404 interaction_unknown";

const CASES: readonly RaceCase[] = [
  {
    race: "exchangeCode",
    why: "gives tokens for a code once, and ends the grant",
    prepare: allowedCode,
    async check({ outcomes }, stores, prize) {
      await assertGrantEnded(stores, prize, winnerOf(outcomes, REFUSED));
    },
  },
  {
    race: "refresh",
    why: "gives tokens for a refresh token once, and ends the grant",
    async prepare(stores, prize) {
      const tokens = JSON.parse(await exchangeCode(stores, await allowedCode(stores, prize)));
      return tokens.refresh_token;
    },
    async check({ outcomes }, stores, prize) {
      await assertGrantEnded(stores, prize, winnerOf(outcomes, REFUSED));
    },
  },
  {
    race: "prove",
    why: "accepts a DPoP proof once, AS39",
    prepare: (_, prize) => proofOf(prize),
    check({ outcomes }) {
      assertEquals(winnerOf(outcomes, "400 invalid_dpop_proof"), REFUSED); // for its refresh token, after the proof
    },
  },
  {
    race: "consent",
    why: "issues one code for a consent",
    prepare: async (stores, prize) => JSON.stringify(await showForm(stores, prize)),
    async check({ outcomes }, stores, prize) {
      await assertValidCode(stores, prize, winnerOf(outcomes, ANSWERED));
    },
  },
  {
    race: "decide",
    why: "takes one of two decisions",
    prepare: async (stores, prize) => JSON.stringify(await showForm(stores, prize)),
    async check({ outcomes }, stores, prize) {
      const answer = winnerOf(outcomes, ANSWERED);
      if (answer !== "access_denied") return await assertValidCode(stores, prize, answer);
      assertEquals(await countGrants(stores, prize), 0);
    },
  },
  {
    race: "usePushed",
    why: "issues one code for a pushed request (AS33)",
    prepare: push,
    async check({ outcomes }, stores, prize) {
      const code = codeOf(winnerOf(outcomes, "400 request_uri_unknown"));
      const tokens = JSON.parse(await exchangeCode(stores, code, "own"));
      assertEquals([typeof tokens.access_token, await countGrants(stores, prize)], ["string", 1]);
    },
  },
  {
    race: "enterUserCode",
    why: "gives a device to one of the browsers in which its code is entered, AS35",
    prepare: async (stores) => (await beginDevice(stores)).user_code,
    check({ outcomes }) {
      assertEquals(winnerOf(outcomes, "404").startsWith("__Host-ax-"), true);
      return Promise.resolve();
    },
  },
  {
    race: "pollDevice",
    why: "lets one poll of a device through, 8628-3.5",
    prepare: async (stores) => (await beginDevice(stores)).device_code,
    check({ outcomes }) {
      assertEquals(winnerOf(outcomes, "400 slow_down"), "400 authorization_pending");
      return Promise.resolve();
    },
  },
  {
    race: "exchangeDeviceCode",
    why: "gives tokens for a device code once, and ends the grant, AS35",
    prepare: allowDevice,
    async check({ outcomes }, stores, prize) {
      const tokens = JSON.parse(winnerOf(outcomes, REFUSED));
      assertEquals(await userinfoStatus(stores, tokens.access_token), 401);
      assertEquals(await countGrants(stores, prize), 0);
    },
  },
  {
    race: "assertion",
    why: "authenticates a client by an assertion once",
    prepare: (_, prize) => signAssertion(prize),
    async check({ outcomes }, stores, prize) {
      assertEquals(winnerOf(outcomes, "400 invalid_client"), "authenticated");
      assertEquals(await useAssertion(stores, await signAssertion(prize)), "400 invalid_client");
      const next = await signAssertion(`${prize}, another`);
      assertEquals(await useAssertion(stores, next), "authenticated");
    },
  },
  {
    race: "endSession",
    why: "tells a client once that a session has ended, and ends its grant",
    async prepare(stores, prize) {
      const code = codeOf(await usePushed(stores, prize, await push(stores, prize)));
      await exchangeCode(stores, code, "own");
      assertEquals(await countGrants(stores, prize), 1);
    },
    async check({ outcomes }, stores, prize) {
      assertEquals([...new Set(outcomes)], ["ended"]);
      assertEquals(await countDelivery(stores, prize), 2); // the one of now after one
      assertEquals(await countGrants(stores, prize), 0);
    },
  },
];

/** Runs every race, each as a step of a test. */
export async function runServerRaces(t: Deno.TestContext, course: Course): Promise<void> {
  await runRaces(t, course, CASES);
}

/** A code of a user who has allowed the request. */
async function allowedCode(stores: AuthStores, sub: string): Promise<string> {
  const form = await showForm(stores, sub);
  return codeOf(await decide(stores, { sub, form, decision: "allow" }));
}

function codeOf(answer: string): string {
  return answer.replace(/^code /, "");
}

/** The one result that differs from the others. */
function winnerOf(outcomes: readonly string[], others: string): string {
  const [winner = "none", ...more] = outcomes.filter((outcome) => outcome !== others);
  assertEquals(more, []);
  return winner;
}

async function assertGrantEnded(stores: AuthStores, sub: string, answer: string): Promise<void> {
  const tokens = JSON.parse(answer);
  const status = await userinfoStatus(stores, tokens.access_token);
  assertEquals([status, await refresh(stores, tokens.refresh_token)], [401, REFUSED]);
  assertEquals(await countGrants(stores, sub), 0);
}

async function assertValidCode(stores: AuthStores, sub: string, answer: string): Promise<void> {
  const tokens = JSON.parse(await exchangeCode(stores, codeOf(answer)));
  const status = await userinfoStatus(stores, tokens.access_token);
  assertEquals([status, await countGrants(stores, sub)], [200, 1]);
}
