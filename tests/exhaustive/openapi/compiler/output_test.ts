import { assert, assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../../../dev/_project.ts";
import { CLI, namesIn, PERMISSIONS, withProject, withRouter } from "../../../openapi/_cli.ts";

/** An application with a document of some megabytes. */
const LARGE = withRouter(`() => {
  const router = createRouter();
  const openapi = { description: "x".repeat(2000) };
  for (let i = 0; i < 1000; i++) router.get(\`/a\${i}\`, () => json(1), { openapi });
  return router;
}`);

Deno.test("generate replaces a document atomically", async () => {
  const loop = `import { runCli } from ${JSON.stringify(toFileUrl(CLI).href)};
    for (let i = 0; i < 12; i++) {
      const code = await runCli(
        ["http", "openapi", "generate", "--controllers", "c.ts", "--no-types", "--title", i % 2 ? "odd" : "even"],
        { print() {}, printError: console.error },
      );
      if (code !== 0) Deno.exit(code);
    }`;
  await withProject(
    { "c.ts": LARGE, "loop.ts": loop },
    async ({ folder, deno, generateUntyped: generate, document }) => {
      await generate("--controllers", "c.ts", "--title", "odd");
      let running = true;
      const config = join(ROOT, "deno.json");
      const writer = deno("run", ...PERMISSIONS, "--config", config, "loop.ts")
        .finally(() => running = false);
      const titles: unknown[] = [];
      for (; running; await new Promise((resolve) => setTimeout(resolve))) {
        const { info, paths } = await document();
        assertEquals(Object.keys(paths).length, 1000);
        if (titles.at(-1) !== info.title) titles.push(info.title);
      }
      assertEquals(await writer, { code: 0, stdout: "", stderr: "" });
      assert(titles.length > 2, `saw ${titles.length} documents`);
      assertEquals(await namesIn(folder), ["c.ts", "loop.ts", "openapi.json"]);
    },
  );
});

Deno.test("generate leaves one complete document if it runs concurrently", async () => {
  await withProject({ "c.ts": LARGE }, async ({ folder, generateUntyped: generate, document }) => {
    const titles = Array.from({ length: 6 }, (_, i) => `run ${i}`);
    const runs = await Promise.all(
      titles.map((title) => generate("--controllers", "c.ts", "--title", title)),
    );
    assertEquals(runs.map(({ code, stderr }) => `${code}${stderr}`), titles.map(() => "0"));
    const { info, paths } = await document();
    assertEquals([titles.includes(String(info.title)), Object.keys(paths).length], [true, 1000]);
    assertEquals(await namesIn(folder), ["c.ts", "openapi.json"]);
  });
});
