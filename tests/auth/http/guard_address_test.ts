/** The address that events of refusals say: whatever goes wrong with it takes no refusal's place. */

import { authorizationDenied, json } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { codeOf } from "../../router/_helpers.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "./_app.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

const GOOD = { headers: { "X-Key": "good" } };
const BAD = { headers: { "X-Key": "bad" } };

interface App extends TestApp {
  /** How often the address was asked for. */
  readonly asked: () => number;
}

/** An application that cannot tell an address. */
function createApp(options: TestAppOptions = {}): App {
  let count = 0;
  const app = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationDenied("not on Sundays")),
    clientAddress: () => {
      count++;
      throw new Error("The proxy protocol is off");
    },
    ...options,
  });
  app.router.get("/denied", () => json(1), { authorization: { metadata: 1 } });
  return { ...app, asked: () => count };
}

Deno.test("createGuard() refuses though nobody can tell the address, and says so to the operator", async () => {
  const { router, events, warnings, errors } = createApp();
  assertEquals(await codeOf(router.request("/me", BAD)), [401, "invalid_key"]);
  assertEquals(await codeOf(router.request("/denied", GOOD)), [403, "access_denied"]);
  assertEquals(events.map(({ type }) => type), ["credential.refused", "authz.denied"]);
  const warning = "Cannot read the address of a refused request: clientAddress failed";
  assertEquals(warnings, [warning, warning]);
  assertEquals(errors, []);
});

Deno.test("createGuard() asks for no address where nobody is told of events", async () => {
  const { router, warnings, asked } = createApp({ events: undefined });
  assertEquals(await codeOf(router.request("/me", BAD)), [401, "invalid_key"]);
  assertEquals(await codeOf(router.request("/denied", GOOD)), [403, "access_denied"]);
  assertEquals([asked(), warnings], [0, []]);
});
