import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { withProject } from "../../../openapi/_cli.ts";
import { runNew, writeConfig } from "../../../openapi/_new_app.ts";

Deno.test("The applications that new writes have no type errors", async () => {
  await withProject({}, async ({ folder, deno }) => {
    for (const runtime of ["deno", "node"]) {
      await runNew(join(folder, runtime), "--runtime", runtime);
    }
    const files = ["deno/main.ts", "deno/main.test.ts", "node/serve.ts", "node/main.test.ts"];
    const checked = await deno("check", "--quiet", ...await writeConfig(folder), ...files);
    assertEquals(checked, { code: 0, stdout: "", stderr: "" });
  });
});
