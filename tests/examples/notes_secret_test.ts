import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { readSecret } from "../../examples/notes/secret.ts";
import { StartError } from "../../examples/notes/start_error.ts";

const GIVEN = "a secret that only the tests know, kept";

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("readSecret() returns the given secret, and writes no file", async () => {
  await withFolder(async (folder) => {
    assertEquals(await readSecret({ given: GIVEN, folder }), GIVEN);
    assertEquals((await Array.fromAsync(Deno.readDir(folder))).length, 0);
  });
});

Deno.test("readSecret() generates a random secret once", async () => {
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
  name: "readSecret() writes a file that only its owner can read",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (folder) => {
      await readSecret({ given: undefined, folder });
      const { mode } = await Deno.stat(join(folder, "secret"));
      assertEquals((mode ?? 0) & 0o777, 0o600);
    });
  },
});

/** Why a secret is rejected, and the secret. */
const SHORT: readonly (readonly [string, string])[] = [
  ["of 31 bytes", "s".repeat(31)],
  ["of one byte", "s"],
  ["of 31 bytes and white space", ` ${"s".repeat(31)}\n`],
  ["of one letter", "s".repeat(64)],
];
for (const [why, secret] of SHORT) {
  Deno.test(`readSecret() rejects a secret ${why} in the file, without revealing it`, async () => {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(join(folder, "secret"), secret);
      const error = await assertRejects(
        () => readSecret({ given: undefined, folder }),
        StartError,
        "is shorter than 32 bytes, or not random; delete the file to have one made",
      );
      assertEquals(error.message.includes("sss"), false);
    });
  });
}

Deno.test("readSecret() rejects a given secret that is too short", async () => {
  await withFolder(async (folder) => {
    const error = await assertRejects(
      () => readSecret({ given: "t".repeat(31), folder }),
      StartError,
      "SECRET is shorter than 32 bytes, or not random",
    );
    assertEquals(error.message.includes("ttt"), false);
  });
});

Deno.test("readSecret() counts 16 characters of two bytes as 32 bytes", async () => {
  await withFolder(async (folder) => {
    const given = "àáâãäåæçèéêëìíîï";
    assertEquals(await readSecret({ given, folder }), given);
  });
});

Deno.test("readSecret() rejects a folder in place of the file", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "secret"));
    await assertRejects(() => readSecret({ given: undefined, folder }), StartError, "can't be");
  });
});

/** Secrets for a shared database that are rejected, and the message. */
const WITHOUT_FOLDER: readonly (readonly [given: string | undefined, refusal: string])[] = [
  [
    undefined,
    "SECRET is not set; all processes of one database need the same, of 32 bytes or more",
  ],
  ["", "SECRET is not set; all processes of one database need the same, of 32 bytes or more"],
  ["s".repeat(31), "SECRET is shorter than 32 bytes, or not random"],
];
for (const [given, refusal] of WITHOUT_FOLDER) {
  Deno.test(`readSecret() rejects ${given?.length ?? "no"} bytes for a shared database`, async () => {
    const { message } = await assertRejects(
      () => readSecret({ given, folder: undefined }),
      StartError,
    );
    assertEquals(message, refusal);
  });
}

Deno.test("readSecret() returns one secret to concurrent callers, and leaves no other file", async () => {
  await withFolder(async (folder) => {
    const asking = Array.from({ length: 20 }, () => readSecret({ given: undefined, folder }));
    assertEquals(new Set(await Promise.all(asking)).size, 1);
    const files = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assertEquals(files, ["secret"]);
  });
});
