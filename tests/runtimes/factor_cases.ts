/**
 * Journeys with a second factor through the routes, which have to go the same way on every runtime.
 *
 * @module
 */

import { totpCode, totpFactors } from "../../mod.ts";
import { createSite, outcome, type Page, type Site } from "./auth_site.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

const ADA = { identifier: "ada@example.org", password: "lovelace wrote the notes" };

/** A site where Ada has a second factor, and the code of the current time. */
interface Enrolled extends Site {
  readonly recoveryCodes: readonly string[];
  code(): Promise<string>;
}

function factorSite(): Site {
  return createSite({ secondFactors: totpFactors({ issuer: "Notes" }) });
}

async function enrol(): Promise<Enrolled> {
  const site = factorSite();
  const page = site.open();
  assertSame(await outcome(page.post("/auth/register", ADA)), "201");
  const { secret } = await (await page.post("/auth/second-factors/totp/start")).json();
  const code = () => totpCode(secret, site.clock.now);
  const confirmed = await page.post("/auth/second-factors/totp/confirm", { code: await code() });
  const { recoveryCodes } = await confirmed.json();
  assertSame([confirmed.status, recoveryCodes.length], [200, 10]);
  site.clock.now += 30;
  return { ...site, recoveryCodes, code };
}

const login = (page: Page) => outcome(page.post("/auth/login", ADA));
const complete = (page: Page, body: object) => page.post("/auth/login/second-factor", body);

/** The cases, in the order in which they run. */
export const factorCases: readonly RuntimeCase[] = [
  {
    name: "TOTP: the codes of RFC 6238 Appendix B",
    async run() {
      const secret = new TextEncoder().encode("12345678901234567890");
      const codes = [[59, "94287082"], [1_111_111_109, "07081804"], [20_000_000_000, "65353130"]];
      for (const [at, code] of codes) {
        assertSame(await totpCode(secret, Number(at), { digits: 8 }), code);
      }
    },
  },
  {
    name: "second factor: a login ends in mfa_required, and is completed by a code, once",
    async run() {
      const { open, code, clock } = await enrol();
      const page = open();
      const refused = await page.post("/auth/login", ADA);
      const { code: reason, factors } = await refused.json();
      assertSame([refused.status, reason, factors], [401, "mfa_required", [
        "totp",
        "recovery_code",
      ]]);
      assertSame([page.jar.has("__Host-mfa"), page.jar.has("__Host-sid")], [true, false]);
      assertSame(await outcome(page.get("/me")), "401 unauthenticated");
      const totp = await code();
      const wrong = totp === "000000" ? "000001" : "000000";
      assertSame(await outcome(complete(page, { totp: wrong })), "401 invalid_second_factor");
      const { principal } = await (await complete(page, { totp })).json();
      assertSame(principal.amr, ["pwd", "otp", "mfa"]);
      assertSame(page.jar.has("__Host-mfa"), false);
      assertSame(await outcome(page.get("/mfa")), "200");
      const other = open();
      assertSame(await login(other), "401 mfa_required");
      assertSame(await outcome(complete(other, { totp })), "401 invalid_second_factor");
      clock.now += 300;
      assertSame(await outcome(complete(other, { totp: await code() })), "401 mfa_expired");
    },
  },
  {
    name: "second factor: a recovery code, once; a remembered browser; step-up; removal",
    async run() {
      const { open, code, clock, recoveryCodes: [recoveryCode] } = await enrol();
      const page = open();
      assertSame(await login(page), "401 mfa_required");
      const proof = { recoveryCode, rememberBrowser: true };
      assertSame(await outcome(complete(page, proof)), "200");
      assertSame(await outcome(page.post("/auth/logout")), "204");
      assertSame(await login(page), "200");
      assertSame(await outcome(page.get("/mfa")), STEP_UP);
      assertSame(await outcome(page.post("/auth/second-factors/remove")), STEP_UP);
      const used = page.post("/auth/step-up", { recoveryCode });
      assertSame(await outcome(used), "401 invalid_second_factor");
      assertSame(await outcome(page.post("/auth/step-up", { totp: await code() })), "200");
      assertSame(await outcome(page.get("/mfa")), "200");
      const listed = await (await page.get("/auth/second-factors")).json();
      assertSame(listed.recoveryCodes, 9);
      assertSame(await outcome(page.post("/auth/logout")), "204");
      clock.now += 30 * 86_400;
      assertSame(await login(page), "401 mfa_required");
      assertSame(await outcome(complete(page, { totp: await code() })), "200");
      assertSame(await outcome(page.post("/auth/second-factors/remove")), "204");
      assertSame(await login(open()), "200");
    },
  },
  {
    name: "second factor: five browsers with one code at once, one session",
    async run() {
      const { open, code } = await enrol();
      const pages = Array.from({ length: 5 }, open);
      for (const page of pages) assertSame(await login(page), "401 mfa_required");
      const totp = await code();
      const got = await Promise.all(pages.map((page) => outcome(complete(page, { totp }))));
      assertSame(got.filter((one) => one === "200").length, 1);
      assertSame(got.filter((one) => one === "401 invalid_second_factor").length, 4);
    },
  },
];

const STEP_UP = "401 insufficient_authentication";
