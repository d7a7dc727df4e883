/** SQLite files that cannot be written or read: a clear error, no partial write, and recovery. */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { authStores } from "../../../auth/stores/repo.ts";
import { sqlAdapter } from "../../../auth/stores/engines/sql.ts";
import type { AuthStores, RefreshFamily } from "../../../auth/stores/types.ts";
import { createTestApp } from "../http/_app.ts";
import { assertRefused, FAULT } from "../http/_routes.ts";
import { START } from "../_services.ts";

/** A file and its connections. */
interface File {
  readonly path: string;
  /** The adapter's connection. */
  database: DatabaseSync;
  /** A second connection, which is like another process to SQLite. */
  readonly other: DatabaseSync;
}

/** A failure, and SQLite's message. */
interface Fault {
  readonly why: string;
  readonly message: string;
  /** Whether the file can still be read. */
  readonly isReadable: boolean;
  begin(file: File): void;
  end(file: File): void;
}

const FAULTS: readonly Fault[] = [
  {
    why: "a full disk",
    message: "database or disk is full",
    isReadable: true,
    begin({ database }) {
      const { page_count: pages } = database.prepare("PRAGMA page_count").get() ?? {};
      database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
    },
    end: ({ database }) => database.exec("PRAGMA max_page_count = 1000000"),
  },
  {
    why: "a read-only file",
    message: "attempt to write a readonly database",
    isReadable: true,
    begin: (file) => reopen(file, { readOnly: true }),
    end: (file) => reopen(file),
  },
  {
    why: "a file that another process has locked for writing",
    message: "database is locked",
    isReadable: true,
    begin: ({ other }) => other.exec("BEGIN IMMEDIATE"),
    end: ({ other }) => other.exec("ROLLBACK"),
  },
  {
    why: "a file that another process has locked exclusively",
    message: "database is locked",
    isReadable: false,
    begin(file) {
      file.database.exec("PRAGMA journal_mode = DELETE"); // with WAL readers need no lock
      file.other.exec("BEGIN EXCLUSIVE");
    },
    end: ({ other }) => other.exec("ROLLBACK"),
  },
  {
    why: "a closed connection",
    message: "database is not open",
    isReadable: false,
    begin: ({ database }) => database.close(),
    end: (file) => file.database = open(file.path),
  },
];

/** Long enough to need new pages in the file. */
const LONG = "secret ".repeat(10_000);

/** Writes of every kind that create records. */
const WRITES: readonly ((stores: AuthStores) => Promise<unknown>)[] = [
  ({ states }) => states.put("s1", { secret: LONG }, START + 60),
  ({ states }) => states.put("s2", { secret: LONG }, START + 60),
  ({ users }) => users.create({ ...USER, sub: "u2", identifier: LONG }),
  ({ refreshTokens }) => refreshTokens.create({ ...FAMILY, id: "f2", data: LONG }),
  ({ refreshTokens }) => refreshTokens.rotate({ ...ROTATION, toHash: LONG }),
];

for (const { why, message, isReadable, begin, end } of FAULTS) {
  Deno.test(`sqlAdapter() on ${why} rejects without a partial write and recovers`, async () => {
    await withFile(async (file, stores) => {
      await stores.states.put("s1", "old", START + 60);
      await stores.refreshTokens.create(FAMILY);
      begin(file);
      try {
        for (const write of WRITES) {
          const error = await assertRejects(() => write(stores), Error);
          assertMatch(error.message, /^Cannot (?:write|read) record: the database failed$/);
          assertStringIncludes(Deno.inspect(error), message);
          assertEquals(Deno.inspect(error).includes("secret"), false);
        }
      } finally {
        end(file);
      }
      assertEquals(await stores.states.consume("s1"), "old");
      assertEquals(await stores.states.consume("s2"), null);
      assertEquals(await stores.users.findBySub("u2"), null);
      assertEquals(await stores.refreshTokens.list("u1"), [FAMILY]);
      assertEquals(await stores.refreshTokens.rotate(ROTATION), "rotated");
    });
  });

  Deno.test(`registerAuth() on ${why} rejects logins and recovers`, async () => {
    await withFile(async (file, stores) => {
      const app = createTestApp({ stores });
      const ada = await app.signedIn();
      const page = app.browser();
      await page.token();
      begin(file);
      try {
        // the smallest writes still fit into the last page of a full file
        if (message !== "database or disk is full") await assertRefused(await page.login(), FAULT);
        const [me, maybe] = [await ada.send("/me"), await ada.send("/maybe")];
        assertEquals([me.status, maybe.status], isReadable ? [200, 200] : [500, 500]);
      } finally {
        end(file);
      }
      assertEquals((await page.login()).status, 200);
      assertEquals((await ada.send("/me")).status, 200);
    });
  });
}

Deno.test("sqlAdapter() does not retry on a database that is down, except to read the holder of a unique value", async () => {
  for (const [unique, most] of [[undefined, 1], ["u", 2]] as const) {
    let queries = 0;
    const { put } = sqlAdapter({
      dialect: "sqlite",
      query: () => Promise.reject(new Error(`down, at call ${++queries}`)),
    });
    const { cause } = await assertRejects(() => put("c", "k", { value: 1, unique }), Error);
    assertStringIncludes(Deno.inspect(cause), "down, at call 1");
    assertEquals(queries, most);
  }
});

Deno.test("sqlAdapter() rejects on a file that is not a database", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sqlite_" });
  try {
    const path = join(folder, "auth.sqlite");
    await Deno.writeTextFile(path, LONG);
    using database = new DatabaseSync(path);
    const { get } = sqlAdapter({
      dialect: "sqlite",
      query: (text, params) => database.prepare(text).all(...params),
    });
    const error = await assertRejects(() => get("users", "u1"), Error);
    assertEquals(error.message, "Cannot read record: the database failed");
    assertStringIncludes(Deno.inspect(error), "file is not a database");
    assertEquals(Deno.inspect(error).includes("secret"), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const USER = { sub: "u1", identifier: "ada", securityStamp: "stamp", createdAt: START };

const FAMILY: RefreshFamily = {
  id: "f1",
  sub: "u1",
  securityStamp: "stamp",
  currentHash: "first",
  generation: 0,
  revoked: false,
  createdAt: START,
  expiresAt: START + 600,
  familyExpiresAt: START + 3_600,
  authTime: START,
  amr: ["pwd"],
};

const ROTATION = {
  familyId: "f1",
  fromHash: "first",
  toHash: "second",
  now: START,
  expiresAt: START + 600,
};

async function withFile(run: (file: File, stores: AuthStores) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sqlite_" });
  try {
    const path = join(folder, "auth.sqlite");
    using other = open(path);
    const file: File = { path, database: open(path), other };
    const adapter = sqlAdapter({
      dialect: "sqlite",
      query: (text, params) => file.database.prepare(text).all(...params),
      now: () => START,
    });
    try {
      await adapter.migrate();
      await run(file, authStores(adapter));
    } finally {
      if (file.database.isOpen) file.database.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function open(path: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  const database = new DatabaseSync(path, options);
  if (options.readOnly !== true) database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA busy_timeout = 50");
  return database;
}

function reopen(file: File, options?: { readonly readOnly: boolean }): void {
  file.database.close();
  file.database = open(file.path, options);
}
