/**
 * The program that every project runs, in JavaScript, so that every runtime does.
 *
 * @module
 */

import { assertEquals } from "@std/assert";

/** A router with a parameter, a query, a JSON body, and a refusal. */
const APP = `import { createRouter, json } from "@gatehouse/http";

export const router = createRouter()
  .get("/", () => json({ hello: "world" }))
  .get("/users/:id", (req) => json({ id: req.params.id, tab: req.query.tab }))
  .post("/echo", (req) => json(req.content, { status: 201 }));

export default router;
`;

/** Sends the requests, and prints what they got. */
const CALL = `import router from "./app.js";

const body = JSON.stringify({ a: [1] });
const headers = { "Content-Type": "application/json" };
const responses = [
  await router.request("/"),
  await router.request("/users/7?tab=posts"),
  await router.request("/echo", { method: "POST", headers, body }),
  await router.request("/users/7", { method: "PUT" }),
];
const seen = [];
for (const response of responses) seen.push([response.status, await response.json()]);
console.log(JSON.stringify(seen));
`;

/** Files of the program. */
export const HELLO: Readonly<Record<string, string>> = { "app.js": APP, "call.js": CALL };

/** Checks what `call.js` printed. */
export function assertHello(printed: string): void {
  const [index, user, echo, put] = JSON.parse(printed) as [number, Record<string, unknown>][];
  assertEquals(index, [200, { hello: "world" }]);
  assertEquals(user, [200, { id: "7", tab: "posts" }]);
  assertEquals(echo, [201, { a: [1] }]);
  assertEquals([put?.[0], put?.[1].status, put?.[1].code], [405, 405, "method_not_allowed"]);
}
