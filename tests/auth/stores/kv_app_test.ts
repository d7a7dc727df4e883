/** An application whose Deno KV fails: nobody gets by what cannot be noted, nobody is told why, and everybody goes on afterwards. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type DenoKv, denoKvAdapter } from "../../../auth/stores/kv.ts";
import { authStores } from "../../../auth/stores/repo.ts";
import { createTestApp } from "../http/_app.ts";
import { assertRefused, FAULT } from "../http/_routes.ts";
import { ADA, PASSWORD, START } from "../_services.ts";
import { hookedKv, kvFile } from "./_kv.ts";
import { holdFile } from "./_kv_processes.ts";

/** A file, and how the application has it open. */
interface Place {
  readonly path: string;
  kv: Deno.Kv;
  /** What its calls throw. */
  fault?: Error;
}

/** What happens to a file, and what Deno KV or the adapter says. */
interface Fault {
  readonly why: string;
  readonly says: string;
  /** Whether it can still be read. */
  readonly isReadable: boolean;
  /** @returns What ends it. */
  begin(place: Place): Promise<AsyncDisposable> | AsyncDisposable;
}

const FAULTS: readonly Fault[] = [
  {
    why: "a file of Deno KV that another process has locked for longer than is waited",
    says: "database is locked",
    isReadable: true,
    begin: ({ path }) => holdFile(path),
  },
  {
    why: "a Deno KV that fails",
    says: "disk I/O error",
    isReadable: false,
    begin(place) {
      place.fault = new TypeError("disk I/O error");
      return {
        [Symbol.asyncDispose]() {
          delete place.fault;
          return Promise.resolve();
        },
      };
    },
  },
  {
    why: "a Deno KV that is closed",
    says: "Deno KV is closed",
    isReadable: false,
    begin(place) {
      place.kv.close();
      return {
        async [Symbol.asyncDispose]() {
          place.kv = await Deno.openKv(place.path);
        },
      };
    },
  },
];

for (const { why, says, isReadable, begin } of FAULTS) {
  Deno.test(`registerAuth() on ${why} refuses what it cannot note, and goes on afterwards`, async () => {
    await using file = await kvFile();
    const place: Place = { path: file.path, kv: await Deno.openKv(file.path) };
    try {
      const clock = { now: START };
      const adapter = denoKvAdapter(failingKv(place), { now: () => clock.now });
      const app = createTestApp({ stores: authStores(adapter), clock });
      const ada = await app.signedIn();
      const cookies = ada.jar.field();
      const page = app.browser();
      await page.token();

      {
        await using _fault = await begin(place);
        const read = await ada.send("/me");
        if (isReadable) assertEquals(read.status, 200);
        else await assertRefused(read, FAULT);
        clock.now += 120; // a guard notes that the session is in use
        const written = [ada.send("/me"), ada.send("/maybe"), page.login()];
        for (const answer of await Promise.all(written)) await assertRefused(answer, FAULT);
        assertEquals((await ada.send("/public")).status, 200);
        assertEquals((await app.browser().send("/me")).status, 401, "who says nothing is unknown");
      }
      assertEquals(app.hasher.calls, [], "no password is looked at that is not counted");
      assertEquals(app.errors.length, isReadable ? 3 : 4, "who runs the application is told");
      for (const error of app.errors) assertStringIncludes(Deno.inspect(error), says);
      const told = Deno.inspect([app.errors, app.events, app.warnings], { depth: 20 });
      for (const secret of [ada.jar.get("__Host-sid") ?? "", PASSWORD, ADA.identifier]) {
        assert(secret !== "" && !told.includes(secret), "it says what nobody may hear");
      }

      assertEquals([(await ada.send("/me")).status, ada.jar.field()], [200, cookies]);
      assertEquals((await page.login()).status, 200);
    } finally {
      place.kv.close();
    }
  });
}

/** A database that fails, and may be another one afterwards. */
function failingKv(place: Place): DenoKv {
  const fail = () => {
    if (place.fault !== undefined) throw place.fault;
  };
  const current = () =>
    hookedKv(place.kv, {
      onRead: fail,
      onCommit(commit) {
        fail();
        return commit();
      },
    });
  return {
    getMany: (keys) => current().getMany(keys),
    list: (range, options) => current().list(range, options),
    atomic: () => current().atomic(),
  };
}
