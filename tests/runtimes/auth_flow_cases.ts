/**
 * Journeys through the routes of authentication: what a person does in a browser has to go the same way on every runtime.
 *
 * @module
 */

import { createSite, outcome, START } from "./auth_site.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

const ADA = { identifier: "ada@example.org", password: "lovelace wrote the notes" };
const WRONG = { ...ADA, password: "babbage built engines" };
const OWN = { "Sec-Fetch-Site": "same-origin" };

/** Names and attributes of the cookies that an answer sets. */
function cookies(response: Response): string[] {
  return response.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, ""));
}

const BARE = "Path=/; Secure; HttpOnly; SameSite=Lax";
const KEPT = "Path=/; Max-Age=34560000; Secure; HttpOnly; SameSite=Lax";

/** The cases, in the order in which they run. */
export const authFlowCases: readonly RuntimeCase[] = [
  {
    name: "auth flow: somebody registers, is in, signs out, and signs in again",
    async run() {
      const page = createSite().open();
      assertSame(await outcome(page.get("/me")), "401 unauthenticated");
      const made = await page.post("/auth/register", ADA);
      assertSame(cookies(made), [
        `__Host-sid; ${BARE}`,
        `__Host-csrf; ${BARE}`,
        `__Host-dev; ${KEPT}`,
      ]);
      const { principal, user } = await made.json();
      assertSame([made.status, user.identifier, principal.amr], [201, ADA.identifier, ["pwd"]]);
      assertSame(await (await page.get("/me")).json(), { sub: user.sub, method: "session" });
      const { session } = await (await page.get("/auth/session")).json();
      assertSame([session.createdAt, session.expiresAt], [START, START + 86_400]);
      assertSame(await outcome(page.post("/notes")), "201");
      const ended = await page.post("/auth/logout");
      assertSame([ended.status, ended.body === null, page.jar.has("__Host-sid")], [
        204,
        true,
        false,
      ]);
      assertSame(await outcome(page.get("/me")), "401 unauthenticated");
      assertSame(await outcome(page.post("/auth/login", WRONG)), "401 invalid_credentials");
      assertSame(await outcome(page.post("/auth/login", ADA)), "200");
      assertSame(await outcome(page.get("/me")), "200");
    },
  },
  {
    name: "auth flow: a login replaces a planted session, and a lasting one is kept for 30 days",
    async run() {
      const { open, clock } = createSite();
      const eve = open();
      await eve.post("/auth/register", { ...ADA, identifier: "eve" });
      const planted = eve.jar.get("__Host-sid") ?? "";
      const page = open();
      await page.post("/auth/register", ADA);
      page.jar.set("__Host-sid", planted);
      const response = await page.post("/auth/login", { ...ADA, remember: true });
      assertSame(cookies(response)[0], `__Host-sid; ${KEPT.replace("34560000", "2592000")}`);
      assertSame(page.jar.get("__Host-sid") === planted, false);
      assertSame(await outcome(eve.get("/me")), "401 session_expired");
      assertSame(eve.jar.has("__Host-sid"), false);
      clock.now += 604_799;
      assertSame(await outcome(page.get("/me")), "200");
      clock.now += 604_800;
      assertSame(await outcome(page.get("/me")), "401 session_expired");
    },
  },
  {
    name: "auth flow: what other sites send is refused, and what carries no token",
    async run() {
      const page = createSite().open();
      await page.post("/auth/register", ADA);
      for (
        const headers of [
          { "Sec-Fetch-Site": "cross-site" },
          { "Sec-Fetch-Site": "same-site" },
          { Origin: "https://evil.example" },
          { Origin: "null" },
          { ...OWN, "X-CSRF-Token": "" },
          { "X-CSRF-Token": `${"0".repeat(64)}.${"0".repeat(64)}` },
        ]
      ) {
        assertSame(await outcome(page.post("/auth/logout", {}, headers)), "403 csrf_failed");
      }
      assertSame(
        await outcome(page.post("/notes", {}, { "Sec-Fetch-Site": "same-site" })),
        "403 csrf_failed",
      );
      assertSame(await outcome(page.get("/me")), "200");
      const own = { Origin: "https://example.com" };
      assertSame(await outcome(page.post("/auth/logout", {}, own)), "204");
    },
  },
  {
    name: "auth flow: what is no body of ours is refused",
    async run() {
      const page = createSite().open();
      const long = { ...ADA, more: "a".repeat(16_384) };
      assertSame(await outcome(page.post("/auth/login", long)), "413 payload_too_large");
      assertSame(await outcome(page.post("/auth/login", [])), "422 validation_failed");
      assertSame(await outcome(page.post("/auth/login", {})), "400 invalid_identifier");
      const weak = { ...ADA, password: "aaaaaaaaaaaaaaaaaaaa" };
      assertSame(await outcome(page.post("/auth/register", weak)), "422 weak_password");
      const plain = { ...OWN, "Content-Type": "text/plain" };
      assertSame(await outcome(page.post("/auth/login", ADA, plain)), "415 unsupported_media_type");
    },
  },
  {
    name: "auth flow: guesses are throttled, until the time that is said",
    async run() {
      const { open, clock } = createSite();
      await open().post("/auth/register", ADA);
      const page = open();
      for (let i = 0; i < 5; i++) {
        assertSame(await outcome(page.post("/auth/login", WRONG)), "401 invalid_credentials");
      }
      const response = await page.post("/auth/login", ADA);
      assertSame([response.status, response.headers.get("Retry-After")], [429, "30"]);
      clock.now += 29;
      assertSame(await outcome(page.post("/auth/login", ADA)), "429 throttled");
      clock.now += 1;
      assertSame(await outcome(page.post("/auth/login", ADA)), "200");
    },
  },
];
