/** Settings that the notes service rejects, and the messages, which do not reveal their values. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openEngine } from "../../examples/notes/engine.ts";
import { readOrigin, readPort } from "../../examples/notes/settings.ts";
import { StartError } from "../../examples/notes/start_error.ts";

Deno.test("readPort() and readOrigin() return their defaults without a value", () => {
  for (const text of [undefined, ""]) {
    assertEquals([readPort(text), readOrigin(text)], [8000, undefined]);
  }
  assertEquals([readPort("0"), readPort("65535")], [0, 65_535]);
  assertEquals(readOrigin("https://notes.example"), "https://notes.example");
});

for (const port of ["80x", "-1", "65536", "1e3", " 80", "0x50", "8000.0"]) {
  Deno.test(`readPort() rejects ${JSON.stringify(port)}`, () => {
    const error = assertThrows(() => readPort(port), StartError);
    assertEquals(error.message, "PORT must be an integer from 0 to 65535");
  });
}

for (const origin of ["localhost:8000", "http://localhost:8000/", "ftp://localhost", "notes"]) {
  Deno.test(`readOrigin() rejects ${origin}`, () => {
    const error = assertThrows(() => readOrigin(origin), StartError);
    assertEquals(error.message, "ORIGIN must be an origin such as http://localhost:8000");
  });
}

const UNUSABLE: readonly (readonly [env: Readonly<Record<string, string>>, message: string])[] = [
  [
    { REDIS_URL: "redis://notes:hunter2@127.0.0.1:1" },
    "cannot connect to REDIS_URL: ECONNREFUSED",
  ],
  [
    { REDIS_URL: "redis://notes:hunter2@127.0.0.1:port" },
    "cannot connect to REDIS_URL: TypeError",
  ],
  [{ DATABASE_URL: "mysql://hunter2@db/notes" }, "DATABASE_URL must start with postgres://"],
  [{ REDIS_URL: "127.0.0.1:6379" }, "REDIS_URL must start with redis://"],
  [
    { DATABASE_URL: "postgres://db/notes", REDIS_URL: "redis://db" },
    "DATABASE_URL and REDIS_URL are both set; unset one of them",
  ],
];

for (const [{ DATABASE_URL, REDIS_URL }, message] of UNUSABLE) {
  const given = [DATABASE_URL, REDIS_URL].filter((url) => url !== undefined).join(" and ");
  Deno.test(`openEngine() rejects ${given}`, async () => {
    const options = { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL, folder: "unused" };
    const error = await assertRejects(() => openEngine(options), StartError);
    assertEquals(error.message, message);
  });
}
