/** The command `gatehouse` of the installed package. */

import { assertEquals, assertMatch } from "@std/assert";
import { openInstalled, type Project } from "./_projects.ts";
import { readTools } from "./_tools.ts";
import { COMPILERS } from "./versions.ts";

const { node20, node22, node24, bun } = readTools();

const SOURCE = `import { createRouter, json } from "@gatehouse/http";

export const info = { title: "Pets", version: "1.0.0" };
export const router = createRouter().get("/pets/:id", (req) => json({ id: req.params.id }));
`;

/** The same with a schema that only types have. */
const TYPED =
  `import { createRouter, json, type RequestSpec, type ResponseSpec } from "@gatehouse/http";

interface Pet {
  readonly id: string;
}

export const info = { title: "Pets", version: "1.0.0" };
export const router = createRouter()
  .get<RequestSpec, ResponseSpec<Pet>>("/pets", () => json({ id: "1" }));
`;

/** A program that calls the application by its client. */
function callOf(file: string, client: string): string {
  return `import { createClient } from "./${client}";
import { router } from "./${file}";

const call = createClient({ baseUrl: "http://localhost", fetch: router.fetch });
console.log(JSON.stringify((await call("GET /pets/{id}", { params: { id: "a/b" } })).data));
`;
}

const GENERATE = ["http", "openapi", "generate", "--controllers"];

let project: Project;

Deno.test.beforeAll(async () => {
  project = await openInstalled({
    files: { "app.js": SOURCE, "app.ts": SOURCE, "typed.ts": TYPED, "public/a.txt": "a" },
  });
  const version = COMPILERS.typescript5.replace(/.*@/, ""); // the pages install TypeScript 6
  await project.run("npm", "install", `typescript@${version}`);
});

Deno.test.afterAll(async () => await project[Symbol.asyncDispose]());

/** A runtime, what runs the command on it, and the file of the application. */
type Row = readonly [name: string, command: string | undefined, file: string];

const ROWS: readonly Row[] = [
  ["Node 20", node20, "app.js"],
  ["Node 22", node22, "app.ts"],
  ["Node 24", node24, "app.ts"],
  ["Bun", bun, "app.ts"],
];

for (const [name, program = "", file] of ROWS) {
  const run = (...args: readonly string[]) =>
    project.run(program, "node_modules/.bin/gatehouse", ...args);

  Deno.test({
    name: `gatehouse http openapi generate writes the document of ${file} on ${name}`,
    ignore: program === "",
    async fn() {
      const output = `${name.replace(" ", "")}.json`;
      const printed = await run(...GENERATE, file, "--output", output, "--no-types");
      assertMatch(printed, /^Wrote /);
      const { info, paths } = JSON.parse(await project.read(output));
      assertEquals([info.title, Object.keys(paths)], ["Pets", ["/pets/{id}"]]);
    },
  });

  Deno.test({
    name: `gatehouse http client generate writes a client that calls ${file} on ${name}`,
    ignore: program === "",
    async fn() {
      const output = `${name.replace(" ", "")}.mjs`;
      const args = ["--controllers", file, "--output", output, "--no-types"];
      assertMatch(
        await run("http", "client", "generate", ...args),
        /^Wrote \S+\.mjs and \S+\.d\.mts/,
      );
      await project.write(`call_${output}`, callOf(file, output));
      assertEquals((await project.run(program, `call_${output}`)).trim(), '{"id":"a/b"}');
    },
  });

  Deno.test({
    name: `gatehouse http static package writes a package on ${name}`,
    ignore: program === "",
    async fn() {
      const folder = name.replace(" ", "");
      const args = ["--directory", "public", "--format", "js", "--output-dir", folder];
      assertMatch(await run("http", "static", "package", ...args), /^Wrote /);
      assertMatch(await project.read(`${folder}/static-assets.js`), /a\.txt/);
    },
  });
}

Deno.test("npx gatehouse is the command, and a wrong word a usage error", async () => {
  assertMatch(await project.run("npx", "gatehouse", "--help"), /^Usage: gatehouse http/);
  const { code, stderr } = await project.attempt("npx", "gatehouse", "http", "fly");
  assertEquals(code, 2);
  assertMatch(stderr, /^Unknown command: http fly/);
});

Deno.test({
  name: "gatehouse says what an older Node needs for an application in TypeScript",
  ignore: node20 === undefined,
  async fn() {
    const { code, stderr } = await project.attempt("npx", "gatehouse", ...GENERATE, "app.ts");
    assertEquals(code, 1);
    assertMatch(stderr, /Node runs TypeScript from version 22\.18 on/);
  },
});

// The pages on Node and Bun do the same on Node 24 and on Bun, with TypeScript 6
Deno.test({
  name: "gatehouse http openapi generate reads types by the project's compiler on Node 22",
  ignore: node22 === undefined,
  async fn() {
    const args = [...GENERATE, "typed.ts", "--output", "typed.json"];
    await project.run(node22 ?? "", "node_modules/.bin/gatehouse", ...args);
    const { components } = JSON.parse(await project.read("typed.json"));
    assertEquals(components.schemas.Pet.required, ["id"]);
  },
});
