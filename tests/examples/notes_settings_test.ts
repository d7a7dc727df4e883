/** Settings that the notes service rejects, and the messages, which do not reveal their values. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { authStores, memoryAdapter } from "@gatehouse/http/auth";
import { createApp } from "../../examples/notes/app.ts";
import { LIVE_ASSETS } from "../../examples/notes/assets.ts";
import { openEngine } from "../../examples/notes/engine.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { readIdentityPort, readOrigin, readPort } from "../../examples/notes/settings.ts";
import { StartError } from "../../examples/notes/start_error.ts";

Deno.test("readPort() and readOrigin() return their defaults without a value", () => {
  for (const text of [undefined, ""]) {
    assertEquals([readPort(text), readOrigin(text)], [8000, undefined]);
  }
  assertEquals([readPort("0"), readPort("65535")], [0, 65_535]);
});

const ADAPTER = memoryAdapter();
const PARTS = {
  store: recordNoteStore(ADAPTER),
  stores: authStores(ADAPTER),
  secret: "a secret that only the tests know, kept",
  assets: LIVE_ASSETS,
};

const ORIGINS: readonly string[] = [
  "https://notes.example",
  "https://notes.example:8443",
  "https://my.notes.example",
  "http://localhost:8000",
  "http://localhost",
  "https://localhost:8000",
  "http://notes.localhost:8000",
];
for (const origin of ORIGINS) {
  Deno.test(`readOrigin() returns ${origin}, where browsers have passkeys`, () => {
    assertEquals(readOrigin(origin), origin);
    createApp({ ...PARTS, origin }); // throws where they have none
  });
}

for (const port of ["80x", "-1", "65536", "1e3", " 80", "0x50", "8000.0"]) {
  Deno.test(`readPort() rejects ${JSON.stringify(port)}`, () => {
    const error = assertThrows(() => readPort(port), StartError);
    assertEquals(error.message, "PORT must be an integer from 0 to 65535");
  });
}

/** `OIDC_PORT` beside a port and an origin of the service, and the port of Notes ID. */
const IDENTITY_PORTS: readonly (readonly [
  text: string | undefined,
  port: number,
  origin: string | undefined,
  expected: number | undefined,
])[] = [
  [undefined, 8000, undefined, 8001],
  ["", 8000, undefined, 8001],
  ["9000", 8000, undefined, 9000],
  ["0", 8000, undefined, 0],
  [undefined, 0, undefined, 0],
  [undefined, 65_535, undefined, 0],
  ["off", 8000, undefined, undefined],
  // Its users have a public password
  [undefined, 8000, "https://notes.example", undefined],
  ["9000", 8000, "https://notes.example", undefined],
];
for (const [text, port, origin, expected] of IDENTITY_PORTS) {
  Deno.test(`readIdentityPort() returns ${expected} for ${text} at ${origin ?? port}`, () => {
    assertEquals(readIdentityPort(text, { port, origin }), expected);
  });
}

for (const text of ["none", "65536", "-1", "OFF"]) {
  Deno.test(`readIdentityPort() rejects ${text}`, () => {
    const options = { port: 8000, origin: undefined };
    const error = assertThrows(() => readIdentityPort(text, options), StartError);
    assertEquals(error.message, "OIDC_PORT must be off, or an integer from 0 to 65535");
  });
}

const NO_ORIGINS: readonly (readonly [why: string, origin: string])[] = [
  ["no scheme", "localhost:8000"],
  ["a path", "http://localhost:8000/"],
  ["a path of a domain", "https://notes.example/"],
  ["another scheme", "ftp://localhost"],
  ["a word", "notes"],
  ["http, where browsers store no session", "http://notes.example"],
  ["an address, which has no passkeys", "https://127.0.0.1:8000"],
  ["an address of version 6", "https://[::1]:8000"],
  ["a name that is no domain", "https://notes"],
  ["a name that ends with that of this machine", "http://evil-localhost"],
  ["upper case", "https://Notes.example"],
  ["a user", "https://ada@notes.example"],
];
for (const [why, origin] of NO_ORIGINS) {
  Deno.test(`readOrigin() rejects ${why}: ${origin}`, () => {
    const error = assertThrows(() => readOrigin(origin), StartError);
    assertEquals(
      error.message,
      "ORIGIN must be an origin such as https://notes.example.com or http://localhost:8000",
    );
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
