/**
 * The files of a new application, by the runtime that it is for.
 *
 * @module
 */

import { HELLO, VERSIONS } from "./_hello.ts";

/** The runtimes that an application can be written for. */
export type AppRuntime = "deno" | "node" | "bun";

/** What a runtime needs. */
export interface RuntimeFiles {
  /** Commands after the folder was written. */
  readonly steps: readonly string[];
  /** The command that runs the tests. */
  readonly test: string;
  /** Where the application is served. */
  readonly origin: string;
  /** First lines of the test: they import the router and `assertEquals`. */
  readonly testImports: string;
  /** The function that adds a test. */
  readonly testCall: string;
  /** The files that only this runtime has. */
  readonly files: (name: string) => Readonly<Record<string, string>>;
}

const SERVE = [
  "// Starts the application: npm start",
  'import process from "node:process";',
  'import { serveNode } from "@gatehouse/http/node";',
  'import router from "./main.ts";',
  "",
  "const server = await serveNode(router, {",
  "  port: Number(process.env.PORT ?? 8000),",
  '  hostname: "127.0.0.1", // in production: leave it out, and see docs/node.md',
  "});",
  'for (const signal of ["SIGINT", "SIGTERM"] as const) {',
  "  process.once(signal, () => server.shutdown());",
  "}",
  "",
].join("\n");

/** The tests; `test(` is what the runtime calls it. */
const TESTS = `test("anybody is greeted, and tasks need an account", async () => {
  const client = testClient(router);
  assertEquals(await (await client.get("/")).json(), { hello: "world" });
  assertEquals((await client.get("/tasks")).status, 401);
});

test("a task is added to the account that is signed in", async () => {
  const client = testClient(router, { csrf: "/auth/csrf" }); // keeps cookies, and sends CSRF tokens
  const ada = { identifier: "ada@example.org", password: "lovelace wrote notes" };
  assertEquals((await client.post("/auth/register", ada)).status, 201);
  assertEquals((await client.post("/tasks", { title: "" })).status, 422);
  assertEquals((await client.post("/tasks", { title: "Milk" })).status, 201);
  assertEquals(await (await client.get("/tasks")).json(), [{ title: "Milk", done: false }]);
});

test("the API has a page that documents it", async () => {
  const client = testClient(router);
  for (const path of ["/docs", "/docs/openapi.json", "/docs/swagger-ui-bundle.js"]) {
    assertEquals((await client.get(path)).status, 200);
  }
});
`;

/** All runtimes, one row each. */
export const APP_RUNTIMES: Readonly<Record<AppRuntime, RuntimeFiles>> = {
  deno: {
    steps: ["deno task start"],
    test: "deno task test",
    origin: "http://127.0.0.1:8000",
    testImports: `import { testClient } from "@gatehouse/http/testing";
import { assertEquals } from "@std/assert";
import router from "./main.ts";`,
    testCall: "Deno.test",
    files: () => ({
      "deno.json": toJson({
        tasks: {
          start: "deno serve --host 127.0.0.1 main.ts",
          watch: "deno serve --watch --host 127.0.0.1 main.ts",
          test: "deno test",
        },
        imports: {
          "@gatehouse/http": `jsr:@gatehouse/http@^${VERSIONS.gatehouse}`,
          "@std/assert": `jsr:@std/assert@${VERSIONS.assert}`,
          "swagger-ui-dist": `npm:swagger-ui-dist@${VERSIONS.swaggerUi}`,
          zod: `npm:zod@${VERSIONS.zod}`,
        },
      }),
    }),
  },
  node: {
    steps: ["npm install", "npm start"],
    test: "npm test",
    origin: "http://127.0.0.1:8000",
    testImports: `import { testClient } from "@gatehouse/http/testing";
import { deepEqual as assertEquals } from "node:assert/strict";
import { test } from "node:test";
import router from "./main.ts";`,
    testCall: "test",
    files: (name) => ({
      ...packageFiles(name, {
        scripts: { start: "node serve.ts", watch: "node --watch serve.ts", test: "node --test" },
        engines: { node: ">=22.18" }, // runs TypeScript
        types: ["@types/node", "^24"],
      }),
      "serve.ts": SERVE,
    }),
  },
  bun: {
    steps: ["bun install", "bun run start"],
    test: "bun test",
    origin: "http://localhost:3000",
    testImports: `import { testClient } from "@gatehouse/http/testing";
import { test } from "bun:test";
import { deepEqual as assertEquals } from "node:assert/strict";
import router from "./main.ts";`,
    testCall: "test",
    files: (name) =>
      packageFiles(name, {
        scripts: { start: "bun main.ts", watch: "bun --watch main.ts", test: "bun test" },
        engines: { bun: ">=1.4" },
        types: ["@types/bun", "^1.3"],
      }),
  },
};

/** All files of an application, by their names. */
export function appFiles(name: string, runtime: AppRuntime): Readonly<Record<string, string>> {
  const { steps, test, origin, testImports, testCall, files } = APP_RUNTIMES[runtime];
  const start = steps[steps.length - 1] ?? "";
  const main = (runtime === "deno" ? HELLO : HELLO.replace(/^import "swagger-ui-dist.*\n/m, ""))
    .replace(/^ \* deno serve .*$/m, ` * ${start}   # ${origin}`)
    .replace(/^export default router as .*$/m, "export default router;");
  return {
    "main.ts": main,
    "main.test.ts": `${testImports}\n\n${TESTS.replace(/^test\(/gm, `${testCall}(`)}`,
    ...files(name),
    ".gitignore": "node_modules/\n.env\n",
    "README.md": `# ${name}

A service with accounts and tasks, on [Gatehouse](https://jsr.io/@gatehouse/http). Both are in
memory: before people use it, give \`main.ts\` a secret and a database.

\`\`\`sh
${[...steps.slice(0, -1), `${start}   # ${origin}`, test].join("\n")}
\`\`\`
`,
  };
}

/** What to do in the new folder. */
export function nextSteps(folder: string, runtime: AppRuntime): string {
  const { steps, test, origin } = APP_RUNTIMES[runtime];
  const path = /^[\w./\\:-]+$/.test(folder) ? folder : JSON.stringify(folder);
  const lines = [...folder === "." ? [] : [`cd ${path}`], ...steps, test];
  return `Next, with the application at ${origin}:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** What package.json says of a runtime. */
interface PackageParts {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  /** The package of the runtime's types, and its version. */
  readonly types: readonly [name: string, version: string];
}

function packageFiles(
  name: string,
  { scripts, engines, types: [types, version] }: PackageParts,
): Readonly<Record<string, string>> {
  return {
    "package.json": toJson({
      name: packageName(name),
      private: true,
      type: "module",
      scripts: { ...scripts, check: "tsc" },
      engines,
      dependencies: {
        "@gatehouse/http": `npm:@jsr/gatehouse__http@^${VERSIONS.gatehouse}`,
        "swagger-ui-dist": VERSIONS.swaggerUi,
        zod: VERSIONS.zod,
      },
      scarfSettings: { enabled: false }, // a dependency of swagger-ui-dist reports installations
      devDependencies: { [types]: version, typescript: "^6" },
    }),
    ".npmrc": "@jsr:registry=https://npm.jsr.io\n", // as `npx jsr add` writes it
    "tsconfig.json": toJson({
      compilerOptions: {
        module: "nodenext",
        target: "es2023",
        types: [types.replace("@types/", "")],
        strict: true,
        noEmit: true,
        erasableSyntaxOnly: true,
        verbatimModuleSyntax: true,
        allowImportingTsExtensions: true,
      },
    }),
  };
}

/** A name that npm takes, of the folder's. */
function packageName(folder: string): string {
  return folder.toLowerCase().replace(/[^a-z0-9._-]+/g, "-").replace(/^[._-]+|-+$/g, "") || "app";
}

function toJson(value: object): string {
  return JSON.stringify(value, null, 2) + "\n";
}
