import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { readSecret } from "../../examples/notes/secret.ts";
import { StartError } from "../../examples/notes/start_error.ts";

const GIVEN = "a secret of at least 32 bytes, kept";

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("readSecret() takes the one that is given, and keeps no file", async () => {
  await withFolder(async (folder) => {
    assertEquals(await readSecret({ given: GIVEN, folder }), GIVEN);
    assertEquals((await Array.fromAsync(Deno.readDir(folder))).length, 0);
  });
});

Deno.test("readSecret() makes one that is its own, once", async () => {
  await withFolder(async (folder) => {
    const first = await readSecret({ given: undefined, folder });
    assertMatch(first, /^[\w-]{43}$/);
    assertEquals(await readSecret({ given: "", folder }), first);
    await withFolder(async (other) => {
      assertNotEquals(await readSecret({ given: undefined, folder: other }), first);
    });
  });
});

Deno.test({
  name: "readSecret() makes a file that only its owner reads",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (folder) => {
      await readSecret({ given: undefined, folder });
      const { mode } = await Deno.stat(join(folder, "secret"));
      assertEquals((mode ?? 0) & 0o777, 0o600);
    });
  },
});

/** Why a secret is refused, and the secret. */
const SHORT: readonly (readonly [string, string])[] = [
  ["of 31 bytes", "s".repeat(31)],
  ["of one byte", "s"],
  ["of spaces around less", ` ${"s".repeat(31)}\n`],
];
for (const [why, secret] of SHORT) {
  Deno.test(`readSecret() rejects one ${why} in the file, and does not repeat it`, async () => {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(join(folder, "secret"), secret);
      const error = await assertRejects(
        () => readSecret({ given: undefined, folder }),
        StartError,
        "is shorter than 32 bytes; delete the file to have one made",
      );
      assertEquals(error.message.includes("sss"), false);
    });
  });
}

Deno.test("readSecret() rejects a short one that is given", async () => {
  await withFolder(async (folder) => {
    const error = await assertRejects(
      () => readSecret({ given: "t".repeat(31), folder }),
      StartError,
      "SECRET is shorter than 32 bytes",
    );
    assertEquals(error.message.includes("ttt"), false);
  });
});

Deno.test("readSecret() takes 16 characters of two bytes for 32 bytes", async () => {
  await withFolder(async (folder) => {
    assertEquals(await readSecret({ given: "é".repeat(16), folder }), "é".repeat(16));
  });
});

Deno.test("readSecret() says that a file can't be read where a folder is in its place", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "secret"));
    await assertRejects(() => readSecret({ given: undefined, folder }), StartError, "can't be");
  });
});

/** What is given where processes share a database that other machines can have, too, and why that is refused. */
const WITHOUT_FOLDER: readonly (readonly [given: string | undefined, refusal: string])[] = [
  [
    undefined,
    "SECRET is not set; all processes of one database need the same, of 32 bytes or more",
  ],
  ["", "SECRET is not set; all processes of one database need the same, of 32 bytes or more"],
  ["s".repeat(31), "SECRET is shorter than 32 bytes"],
];
for (const [given, refusal] of WITHOUT_FOLDER) {
  Deno.test(`readSecret() makes none for a shared database where ${given?.length ?? "no"} bytes are given`, async () => {
    const { message } = await assertRejects(
      () => readSecret({ given, folder: undefined }),
      StartError,
    );
    assertEquals(message, refusal);
  });
}

Deno.test("readSecret() makes one for all who ask at once, and leaves no other file", async () => {
  await withFolder(async (folder) => {
    const asking = Array.from({ length: 20 }, () => readSecret({ given: undefined, folder }));
    assertEquals(new Set(await Promise.all(asking)).size, 1);
    const files = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assertEquals(files, ["secret"]);
  });
});
