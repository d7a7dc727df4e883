import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CONTROLLERS, type Project, runDeno } from "../_cli.ts";
import { runShared, withTypedProject } from "../compiler/_process.ts";

const CLIENT = ["http", "client", "generate"] as const;

/** A typed application. */
const TYPED = `import {
  createRouter, json, type Json, type PathParams, type QueryParams, type RequestSpec, type ResponseSpec,
} from "@gatehouse/http";

/** A note. */
export interface Note {
  id: string;
  /** 1 to 200 characters. */
  title: string;
  tags?: string[];
}

export const router = createRouter({ info: { title: "Notes", version: "1.0.0" } })
  .get<RequestSpec<QueryParams<{ q?: string }>>, ResponseSpec<Note[]>>("/notes", () => json([]))
  .post<RequestSpec<Json<{ title: string }>>, ResponseSpec<Note>>(
    "/notes",
    (req) => json({ id: "1", title: req.content.title }),
  )
  .get<RequestSpec<PathParams<{ id: string }>>, ResponseSpec<Note>>(
    "/notes/:id",
    (req) => json({ id: req.params.id, title: "a" }),
  );
`;

/** Uses the client of {@linkcode TYPED}. */
const PROGRAM = `import { createClient, type Note } from "./client.ts";
import { router } from "./app.ts";

const client = createClient({ baseUrl: "http://localhost", fetch: router.fetch });
const created = await client("POST /notes", { body: { title: "Milk" } });
if (!created.ok) throw new Error(created.problem.code);
const { id }: Note = created.data;
const read = await client("GET /notes/{id}", { params: { id } });
const missing = await client("GET /notes", { query: { q: "milk" } });
console.log(JSON.stringify([read.ok && read.data, missing.ok && missing.data]));
`;

/** Runs the command in the shared process. */
function generate({ folder }: Project, ...args: readonly string[]) {
  return runShared(folder, [...CLIENT, ...args]);
}

Deno.test("client generate writes a client that calls the application", async () => {
  await withTypedProject({ "app.ts": TYPED, "main.ts": PROGRAM }, async (project) => {
    assertEquals(await generate(project, "--controllers", "app.ts"), {
      code: 0,
      stdout: "Wrote client.ts (3 routes)\n",
      stderr: "",
    });
    const { folder, read } = project;
    assertStringIncludes(
      await read("client.ts"),
      `/** A note. */
export interface Note {
  id: string;
  /** 1 to 200 characters. */
  title: string;
  tags?: string[];
}
`,
    );
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const run = await runDeno(["run", "--no-check", `--config=${config}`, "main.ts"], folder);
    assertEquals(run.stdout, '[{"id":"1","title":"a"},[]]\n', run.stderr);
  });
});

Deno.test("client generate --check fails for a client that is missing or stale, and writes nothing", async () => {
  await withTypedProject({ "app.ts": TYPED }, async (project) => {
    const args = ["--controllers", "app.ts", "--no-types"];
    const check = () => generate(project, ...args, "--check");
    const outdated = {
      code: 1,
      stdout: "",
      stderr: "Out of date: client.ts (3 routes); run the command without --check\n",
    };
    assertEquals(await check(), outdated);
    assertEquals(Object.keys(await project.files()), ["app.ts"]);

    await generate(project, ...args);
    const text = await project.read("client.ts");
    const upToDate = { code: 0, stdout: "Up to date: client.ts (3 routes)\n", stderr: "" };
    assertEquals(await check(), upToDate);
    await project.write("client.ts", text.replaceAll("\n", "\r\n"));
    assertEquals(await check(), upToDate);

    const stale = text.replace("GET /notes/{id}", "GET /notes");
    await project.write("client.ts", stale);
    assertEquals(await check(), outdated);
    assertEquals(await project.read("client.ts"), stale);
  });
});

/** Outputs, and the files that are written. */
const OUTPUTS: readonly (readonly [output: string, files: readonly string[]])[] = [
  ["api.ts", ["api.ts"]],
  ["api.mts", ["api.mts"]],
  ["api.js", ["api.js", "api.d.ts"]],
  ["out/api.mjs", ["out/api.mjs", "out/api.d.mts"]],
];
for (const [output, files] of OUTPUTS) {
  Deno.test(`client generate writes ${files.join(" and ")} for --output ${output}`, async () => {
    const before = { "app.ts": TYPED, "out/.keep": "" };
    await withTypedProject(before, async (project) => {
      const args = ["--controllers", "app.ts", "--no-types", "--output", output];
      const run = await generate(project, ...args);
      assertEquals(run.stdout, `Wrote ${files.join(" and ")} (3 routes)\n`, run.stderr);
      const written = Object.keys(await project.files()).filter((name) => !(name in before));
      assertEquals(written.sort(), [...files].sort());
      assertEquals((await generate(project, ...args, "--check")).code, 0);
      if (files.length === 1) return;
      const [module = "", declarations = ""] = files;
      const name = declarations.replace("out/", "");
      assertStringIncludes(await project.read(module), `// @ts-self-types="./${name}"\n`);
      await project.write(declarations, "");
      assertEquals((await generate(project, ...args, "--check")).code, 1);
    });
  });
}

/** Outputs that are no modules, and why. */
const WRONG: readonly (readonly [output: string, message: RegExp])[] = [
  ["client.json", /^Cannot write client\.json: it must end in \.ts, \.mts, \.js or \.mjs\n$/],
  ["client", /must end in/],
  ["client.d.ts", /must end in/],
  ["client.tsx", /must end in/],
  ["app.ts", /^Cannot write app\.ts: it is the controllers file\n$/],
  ["missing/client.ts", /^Cannot write missing\/client\.ts: there is no folder /],
];
for (const [output, message] of WRONG) {
  Deno.test(`client generate rejects --output ${output}`, async () => {
    await withTypedProject({ "app.ts": TYPED }, async (project) => {
      const args = ["--controllers", "app.ts", "--no-types", "--output", output];
      const { code, stderr } = await generate(project, ...args);
      assertEquals(code, 1);
      assertMatch(stderr, message);
      assertEquals(await project.files(), { "app.ts": TYPED });
    });
  });
}

Deno.test("client generate has the options of openapi generate, and help", async () => {
  await withTypedProject({ "c.ts": CONTROLLERS }, async (project) => {
    const help = await generate(project, "--help");
    assertMatch(help.stdout, /^Usage: gatehouse http client generate /);
    const wrong = await generate(project, "--controllers", "c.ts", "--language", "ts");
    assertEquals([wrong.code, wrong.stdout], [2, ""]);
    assert(wrong.stderr.startsWith("Unknown option: --language\n\nUsage: "));
  });
});
