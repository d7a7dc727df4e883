/** How many SQL statements a login takes, whatever the limits: at most 8 in all. */

import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { authStores } from "../../../auth/stores/repo.ts";
import { sqlAdapter } from "../../../auth/stores/engines/sql.ts";
import { ADA, EVE_PASSWORD, START } from "../_services.ts";
import { createTestApp, type TestApp } from "./_app.ts";

const MOST = 8;
const WRONG = { ...ADA, password: EVE_PASSWORD };

/** An application on SQLite, and the statements that it runs. */
async function createSqlApp(): Promise<TestApp & { statements: string[]; close: () => void }> {
  const database = new DatabaseSync(":memory:");
  const statements: string[] = [];
  const adapter = sqlAdapter({
    dialect: "sqlite",
    now: () => START, // one sweep, with the first write
    query(text, params) {
      statements.push(text);
      return database.prepare(text).all(...params);
    },
  });
  await adapter.migrate();
  const app = createTestApp({ stores: authStores(adapter) });
  await app.runtime.passwords.createUser({ ...ADA }, { sub: "u1" });
  return { ...app, statements, close: () => database.close() };
}

const V4 = "192.0.2.1";
const V6 = "2001:db8::1";

/** Fails from several addresses. */
async function failFrom(app: TestApp, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    assertEquals((await app.browser({ address }).login(WRONG)).status, 401);
  }
}

const LOGINS: readonly [
  why: string,
  address: string,
  before: (app: TestApp) => Promise<void>,
  isKnown?: true,
][] = [
  ["the first one", V4, async () => {}],
  ["over IPv6", V6, async () => {}],
  ["after failures of the same client", V4, (app) => failFrom(app, [V4, V4, V4, V4])],
  ["over IPv6, after failures of the same client", V6, (app) => failFrom(app, [V6, V6, V6, V6])],
  ["after failures of others", V4, (app) => failFrom(app, ["192.0.2.8", "192.0.2.9", V6])],
  ["on a known device", V4, async () => {}, true],
  ["on a known device, after failures of others", V6, (app) => failFrom(app, [V4, V6, V6]), true],
];
for (const [why, address, before, isKnown] of LOGINS) {
  Deno.test(`POST /auth/login takes at most ${MOST} SQL statements: ${why}`, async () => {
    const { statements, close, ...app } = await createSqlApp();
    const page = app.browser({ address });
    if (isKnown) {
      assertEquals((await page.login()).status, 200);
      await page.logout();
    }
    await before(app);
    await page.token();
    statements.length = 0;
    assertEquals((await page.login()).status, 200);
    assert(statements.length <= MOST, `${statements.length}:\n${statements.join("\n")}`);
    close();
  });
}

Deno.test("POST /auth/login takes equally many SQL statements for known and unknown accounts", async () => {
  const { statements, close, ...app } = await createSqlApp();
  for (const address of [V4, V6]) {
    const counts: number[] = [];
    for (const identifier of [ADA.identifier, "nobody@example.org"]) {
      const page = app.browser({ address });
      await page.token();
      statements.length = 0;
      assertEquals((await page.login({ ...WRONG, identifier })).status, 401);
      counts.push(statements.length);
    }
    // The first account of an address creates its records, the second one updates them
    assertEquals(counts[0], counts[1], address);
  }
  close();
});
