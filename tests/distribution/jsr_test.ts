/** The package from JSR, as Deno gets it: sources, checked against the manifest of their version. */

import { assertEquals, assertMatch } from "@std/assert";
import { assertHello, HELLO } from "./_hello.ts";
import { serveJsr } from "./_jsr_registry.ts";
import { openProject, type Project } from "./_projects.ts";

const DENO = Deno.execPath();

async function openDenoProject(url: string): Promise<Project> {
  const project = await openProject({ files: HELLO, env: { JSR_URL: url } });
  await Deno.remove(`${project.folder}/package.json`);
  await project.write("deno.json", "{}");
  return project;
}

Deno.test("deno add jsr: installs the package, which is checked, run, served, and has its command", async () => {
  await using registry = await serveJsr();
  await using project = await openDenoProject(registry.url);
  await project.run(DENO, "add", "jsr:@gatehouse/http");
  const { imports } = JSON.parse(await project.read("deno.json"));
  assertMatch(imports["@gatehouse/http"], /^jsr:@gatehouse\/http@\^\d/);

  assertHello(await project.run(DENO, "run", "--no-prompt", "call.js"));
  await project.write(
    "app.ts",
    'import { createRouter, json } from "@gatehouse/http";\n' +
      'export const info = { title: "Hello", version: "1.0.0" };\n' +
      'export const router = createRouter().get("/users/:id", (req) => json({ id: req.params.id }));\n' +
      "// @ts-expect-error: the path has no such parameter\n" +
      'router.get("/:id", (req) => json(req.params.name));\n',
  );
  await project.run(DENO, "check", "app.ts");

  const command = ["run", "--allow-all", "jsr:@gatehouse/http/cli", "http"];
  const generate = ["openapi", "generate", "--controllers", "app.ts", "--no-types"];
  assertMatch(await project.run(DENO, ...command, ...generate), /^Wrote openapi\.json/);
  const { paths } = JSON.parse(await project.read("openapi.json"));
  assertEquals(Object.keys(paths), ["/users/{id}", "/{id}"]);
  const { requests } = registry;
  assertEquals(requests.includes("/@gatehouse/http/meta.json"), true);

  const { npm } = JSON.parse(await project.read("deno.lock"));
  const names = Object.keys(npm).map((key) => key.replace(/(?<=.)@.*$/, ""));
  assertEquals(names.sort(), ["deno-std", "hono"]); // the first is what stands in for @std
});

Deno.test("Deno refuses a module that is not the one that the manifest describes", async () => {
  await using registry = await serveJsr({ tampered: "router/path.ts" });
  await using project = await openDenoProject(registry.url);
  const { code, stderr } = await project.attempt(DENO, "run", "jsr:@gatehouse/http/router");
  assertEquals(code === 0, false);
  assertMatch(stderr, /Integrity check failed/i);
});
