/** What `create()` is given by application code: authentications that are none. */

import { assertEquals, assertRejects } from "@std/assert";
import { createServices, START } from "../_services.ts";

const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };
const ADA_USER = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };

const UNSOUND: readonly [why: string, authentication: object][] = [
  ["an empty sub", { ...STAMPED, sub: "" }],
  ["a sub that is null", { ...STAMPED, sub: null }],
  ["a sub that is a number", { ...STAMPED, sub: 7 }],
  ["no sub", { securityStamp: "s1", authTime: START, amr: ["pwd"] }],
  ["an empty stamp", { ...STAMPED, securityStamp: "" }],
  ["a stamp that is null", { ...STAMPED, securityStamp: null }],
  ["no stamp", { sub: "u1", authTime: START, amr: ["pwd"] }],
  ["no time", { sub: "u1", securityStamp: "s1", amr: ["pwd"] }],
  ["a time as text", { ...STAMPED, authTime: `${START}` }],
  ["a time that is no number", { ...STAMPED, authTime: NaN }],
  ["a time in milliseconds", { ...STAMPED, authTime: START * 1_000 }],
  ["a time that has not come", { ...STAMPED, authTime: START + 301 }],
  ["no methods", { sub: "u1", securityStamp: "s1", authTime: START }],
  ["methods that are one text", { ...STAMPED, amr: "pwd" }],
  ["a user as the store gives it", { ...ADA_USER, version: "1" }],
  ["nothing", {}],
];
for (const [why, authentication] of UNSOUND) {
  Deno.test(`create() refuses an authentication with ${why}, and ends nothing`, async () => {
    const { sessions, stores, events } = createServices();
    await stores.users.create(ADA_USER);
    const { token, session } = await sessions.create(STAMPED);
    events.length = 0;
    const attempt = () => sessions.create(authentication as typeof STAMPED, { replaces: token });
    await assertRejects(attempt, TypeError, "Cannot create session");
    assertEquals((await stores.sessions.list("u1")).map(({ id }) => id), [session.id]);
    assertEquals(events, []);
  });
}

for (const authTime of [START + 300, START - 10 * 365 * 86_400, 0]) {
  Deno.test(`create() takes an authentication of ${authTime - START} s from now`, async () => {
    const { sessions, stores } = createServices();
    await stores.users.create(ADA_USER);
    const { token } = await sessions.create({ ...STAMPED, authTime });
    assertEquals((await sessions.verify(token))?.session.authTime, authTime);
  });
}
