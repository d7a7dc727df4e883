import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { packageModules, ROOT, runDeno } from "../../dev/_project.ts";

/** Imports what it is given, then says which globals are new. It runs without any permission. */
function importScript(urls: readonly string[]): string {
  return [
    `const before = new Set(Reflect.ownKeys(globalThis));`,
    ...urls.map((url) => `await import(${JSON.stringify(url)});`),
    `const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String);`,
    `console.log(JSON.stringify(added));`,
  ].join("\n");
}

Deno.test("Importing all modules needs no permission, adds no global and starts nothing", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const script = join(folder, "import_all.ts");
    const urls = packageModules().map((module) => toFileUrl(join(ROOT, module)).href);
    await Deno.writeTextFile(script, importScript(urls));
    const config = join(ROOT, "deno.json");
    const args = ["run", "--quiet", "--no-prompt", "--config", config, script];
    const output = await runDeno(args, { timeoutMs: 20_000 }); // A timer would keep it running
    assertEquals(output, { success: true, stdout: "[]\n", stderr: "" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Every module of the package can be imported", async () => {
  for (const module of packageModules()) { // So that a module without tests counts as not covered
    await import(toFileUrl(join(ROOT, module)).href);
  }
});
