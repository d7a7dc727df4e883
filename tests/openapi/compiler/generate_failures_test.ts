import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { BARE, CONTROLLERS, type Files, IMPORTS, INFO, withProject, withRouter } from "../_cli.ts";

/** Reasons for failure, files, and what stderr must contain. */
const FAILURES: readonly (readonly [string, Files, readonly string[]])[] = [
  ["the file is not there", {}, ["Cannot import c.ts"]],
  ["the file is a folder", { "c.ts/x.ts": CONTROLLERS }, ["Cannot import c.ts"]],
  ["the file is not a script", { "c.ts": "<html>" }, ["Cannot import c.ts", "c.ts:1:"]],
  ["the file has a syntax error", { "c.ts": `${CONTROLLERS}\nclass {` }, ["Cannot import c.ts"]],
  ["the file throws", { "c.ts": `throw new Error("no database");` }, ["import c.ts: no database"]],
  ["the file throws a text", { "c.ts": `throw "no database";` }, ["import c.ts: no database"]],
  ["the file throws nothing", { "c.ts": `throw undefined;` }, ["Cannot import c.ts"]],
  ["the file throws what has no text", { "c.ts": `throw Object.create(null);` }, [
    "Cannot import c.ts",
  ]],
  [
    "the file imports what is not there",
    { "c.ts": `import "./notes.ts";\n${CONTROLLERS}` },
    ["Cannot import c.ts", "notes.ts"],
  ],
  [
    "the file imports what has a syntax error",
    { "c.ts": `import "./notes.ts";\n${CONTROLLERS}`, "notes.ts": "class {" },
    ["Cannot import c.ts", "notes.ts"],
  ],
  ["the file needs a permission", { "c.ts": `Deno.listen({ port: 0 });` }, [
    "Cannot import c.ts",
    "net access",
  ]],
  ["no controller is imported", { "c.ts": INFO }, ["c.ts imports no class with @Controller"]],
  ["the file is empty", { "c.ts": "" }, ["c.ts imports no class with @Controller"]],
  [
    "metadata has a parameter that is not in the path",
    { "c.ts": method(`@Get("/:id", { parameters: [{ in: "path", name: "noteId" }] })`) },
    ["BadController.find", "GET /bad/:id", '"noteId" is not in the path'],
  ],
  [
    "metadata has a body for a method without content",
    { "c.ts": method(`@Get("/", { requestBody: { content: { "application/json": {} } } })`) },
    ["BadController.find", "request body"],
  ],
  [
    "metadata refers to no schema",
    {
      "c.ts": method(`@Get("/", { responses: { 200: { content: { "application/json": {
      schema: { $ref: "#/components/schemas/None" } } } } } })`),
    },
    ["#/components/schemas/None"],
  ],
  [
    "metadata asks for a scheme that is not declared",
    { "c.ts": method(`@Get("/", { security: [{ magic: [] }] })`) },
    ["BadController.find", "magic"],
  ],
  ["metadata is not JSON", { "c.ts": method(`@Get("/", { "x-count": 1n })`) }, [
    "BadController.find",
  ]],
  [
    "metadata is a circle",
    {
      "c.ts": `const circle = {}; circle.circle = circle;\n${
        method(`@Get("/", { "x-c": circle })`)
      }`,
    },
    ["BadController.find"],
  ],
  [
    "two routes are the same",
    { "c.ts": method(`@Get("/a")\n@Get("/a")`) },
    ["BadController.find", "same path and method"],
  ],
  [
    "several things are wrong",
    {
      "c.ts": method(
        `@Get("/", { security: [{ magic: [] }] }) find(): Response { return json(1); }
      @Post("/:id", { parameters: [{ in: "path", name: "x" }] })`,
        "save",
      ),
    },
    ["BadController.find", "BadController.save"],
  ],
  [
    "a decorated method is of no controller",
    { "c.ts": `${CONTROLLERS}\nclass Lost { @Get() findLost(): Response { return json([]); } }` },
    ["@Get on findLost", "no class with @Controller"],
  ],
  [
    "the router cannot be built",
    { "c.ts": withRouter(`() => { throw new Error("no database"); }`) },
    ["Cannot build the router: no database"],
  ],
  [
    "the router is rejected",
    { "c.ts": withRouter(`() => Promise.reject(new Error("no database"))`) },
    ["Cannot build the router: no database"],
  ],
  ["the router is not a router", { "c.ts": withRouter(`() => ({})`) }, ["HTTP_ROUTER"]],
  ["the router is a class", { "c.ts": withRouter(`() => class {}`) }, ["HTTP_ROUTER"]],
  [
    "a route of the router is wrong",
    {
      "c.ts": withRouter(`() => createRouter().get("/a", () => json(1), { openapi: {
      parameters: [{ in: "path", name: "id" }] } })`),
    },
    ["GET /a", '"id" is not in the path'],
  ],
  ["deno.json is a folder", { "c.ts": BARE, "deno.json/x": "" }, ["deno.json"]],
  ["deno.json is broken", { "c.ts": BARE, "deno.json": `{ "name": "d",, }` }, ["deno.json"]],
  ["the title is empty", { "c.ts": `${BARE}export const info = { title: "", version: "1" };` }, [
    "title",
  ]],
  [
    "the version is a number",
    { "c.ts": `${BARE}export const info = { title: "T", version: {} };` },
    ["version"],
  ],
];
for (const [why, files, words] of FAILURES) {
  Deno.test(`generate fails and leaves the old document if ${why}`, async () => {
    await withProject({ ...files, "openapi.json": "old document" }, async (project) => {
      const before = await project.files();
      const { code, stdout, stderr } = await project.generateUntyped("--controllers", "c.ts");
      assertEquals([code, stdout], [1, ""]);
      for (const word of words) assertStringIncludes(stderr, word);
      assert(!/Uncaught|openapi\/compiler/.test(stderr), `has a stack: ${stderr}`);
      assertEquals(await project.files(), before);
    });
  });
}

/** A file with a controller whose method has a decorator. */
function method(decorator: string, name = "find"): string {
  return `${IMPORTS}
    @Controller("/bad")
    export class BadController {
      ${decorator}
      ${name}(): Response { return json({}); }
    }
    ${INFO}`;
}
