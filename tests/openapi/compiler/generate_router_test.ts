import { assertEquals, assertMatch } from "@std/assert";
import { toFileUrl } from "@std/path";
import {
  CLI,
  GENERATE,
  IMPORTS,
  INFO,
  NO_ROUTER,
  NOTES,
  PERMISSIONS,
  runDeno,
  withProject,
} from "../_cli.ts";

/** Runs the command and keeps its whole output. */
const RUN = ["run", ...PERMISSIONS, CLI, ...GENERATE, "--no-types"];

const GUARDED = `routerBuilder({ info: { title: "Guarded", version: "2.0.0" } })
  .prefix("/api")
  .withAuth({ guard: () => ({ sub: "ada" }), strategies: [{ name: "t", scheme: { type: "bearer" } }] })
  .controllers(NotesController)
  .build()`;

/** Where a router is, that no container has. */
const EXPORTS: readonly (readonly [where: string, source: string])[] = [
  ["the export router", `export const router = ${GUARDED};`],
  ["the default export", `export default ${GUARDED};`],
];

for (const [where, source] of EXPORTS) {
  Deno.test(`generate documents the prefix, the guard and the info of ${where}`, async () => {
    await withProject({ "c.ts": IMPORTS + NOTES + INFO + source }, async ({ folder, document }) => {
      const { code, stderr } = await runDeno([...RUN, "--controllers", "c.ts"], folder);
      assertEquals([code, stderr], [0, ""]);
      const { info, paths } = await document();
      assertEquals([info.title, info.version], ["Guarded", "2.0.0"]);
      assertEquals(Object.keys(paths), ["/api/notes", "/api/notes/{id}"]);
      assertEquals(paths["/api/notes"]?.get?.security, [{ bearer: [] }]);
    });
  });
}

Deno.test("generate notes that prefixes and guards are missing if there is no router", async () => {
  await withProject({ "c.ts": IMPORTS + NOTES + INFO }, async ({ folder }) => {
    const { code, stderr } = await runDeno([...RUN, "--controllers", "c.ts"], folder);
    assertEquals([code, stderr], [0, NO_ROUTER]);
  });
});

Deno.test("generate does not overwrite the controllers file", async () => {
  await withProject(
    { "c.ts": IMPORTS + NOTES + INFO },
    async ({ generateUntyped: generate, read }) => {
      const before = await read("c.ts");
      const { code, stderr } = await generate("--controllers", "c.ts", "--output", "./c.ts");
      assertEquals([code, stderr], [1, "Cannot write ./c.ts: it is the controllers file\n"]);
      assertEquals(await read("c.ts"), before);
    },
  );
});

for (const args of [["--check", "false"], ["--check=false"], ["--check=true"]]) {
  Deno.test(`generate rejects a value for --check: ${args.join(" ")}`, async () => {
    await withProject(
      { "c.ts": IMPORTS + NOTES + INFO },
      async ({ generateUntyped: generate, files }) => {
        const { code, stderr } = await generate("--controllers", "c.ts", ...args);
        assertEquals([code, stderr.split("\n", 1)[0]], [2, "Takes no value: --check"]);
        assertEquals(Object.keys(await files()), ["c.ts"]);
      },
    );
  });
}

Deno.test("generate names the file and line where the application fails", async () => {
  const files = {
    "c.ts": 'import "./deep/x.ts";\n',
    "deep/x.ts": "const at: { b?: { c: number } } = {};\nconsole.log(at.b!.c);\n",
  };
  await withProject(files, async ({ generateUntyped: generate }) => {
    const { code, stderr } = await generate("--controllers", "c.ts");
    assertEquals(code, 1);
    assertMatch(stderr, /^Cannot import c\.ts: .+ \(file:.+\/deep\/x\.ts:2:19\)\n$/);
  });
});

Deno.test("generate names a missing folder", async () => {
  await withProject(
    { "c.ts": IMPORTS + NOTES + INFO },
    async ({ folder, generateUntyped: generate }) => {
      const { stderr } = await generate("--controllers", "c.ts", "--output", "none/a.json");
      assertEquals(stderr, `Cannot write none/a.json: there is no folder ${folder}/none\n`);
    },
  );
});

Deno.test("generate fails if the application ends the process", async () => {
  const files = { "c.ts": 'import process from "node:process";\nprocess.exit();\n' };
  await withProject(files, async ({ generateUntyped: generate }) => {
    assertEquals((await generate("--controllers", "c.ts")).code, 1);
  });
});

Deno.test("generate does not document another library's router", async () => {
  const other = 'export default { routes: [{ path: "/x", method: "GET", handler() {} }] };\n';
  await withProject({ "c.ts": IMPORTS + NOTES + INFO + other }, async ({ folder, document }) => {
    const { code, stderr } = await runDeno([...RUN, "--controllers", "c.ts"], folder);
    assertEquals([code, stderr], [0, NO_ROUTER]);
    assertEquals(Object.keys((await document()).paths), ["/notes", "/notes/{id}"]);
  });
});

Deno.test("generate accepts a file URL and does not overwrite that file", async () => {
  await withProject(
    { "c.ts": IMPORTS + NOTES + INFO },
    async ({ folder, generateUntyped: generate }) => {
      const url = toFileUrl(`${folder}/c.ts`).href;
      assertEquals((await generate("--controllers", url)).code, 0);
      const { code, stderr } = await generate("--controllers", url, "--output", "c.ts");
      assertEquals([code, stderr], [1, "Cannot write c.ts: it is the controllers file\n"]);
    },
  );
});
