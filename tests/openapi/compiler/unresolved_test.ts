import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Files } from "../_cli.ts";
import { withTypedProject } from "./_process.ts";
import { assertRoutes, typedApp, typedRoutes, type TypeRun } from "./_type_projects.ts";

/** Unresolved types: the head of a file, the type in its line 5, and the expected message. */
const UNRESOLVED: readonly (readonly [string, string, string, RegExp])[] = [
  [
    "a file",
    `import type { Gone } from "./gone.ts";`,
    "Gone",
    /:5:\d+: response .*\bGone\b.*".\/gone.ts"/,
  ],
  ["an export", `import type { Gone } from "./there.ts";`, "Gone", /:5:\d+: response .*\bGone\b/],
  [
    "a default export",
    `import type Gone from "./there.ts";`,
    "Gone[]",
    /:5:\d+: response\[\] .*\bGone\b/,
  ],
  [
    "a member of a namespace",
    `import type * as there from "./there.ts";`,
    "there.Gone",
    /:5:\d+: .*there\.Gone\b/,
  ],
  ["a re-export", `import type { Gone } from "./again.ts";`, "Gone", /:5:\d+: response .*\bGone\b/],
  ["a name", "", "{ x?: Gnoe }", /:5:\d+: response\.x .*\bGnoe\b/],
  [
    "a name in an interface",
    "interface Wrong { x: Gnoe[] }",
    "Wrong",
    /:2:\d+: Wrong\.x\b.*\bGnoe\b/,
  ],
  [
    "a package",
    `import type { Gone } from "nowhere";`,
    "Gone",
    /:5:\d+: response .*\bGone\b.*"nowhere"/,
  ],
  [
    "a package of npm",
    `import type { Gone } from "npm:@scope/nowhere@1";`,
    "Gone",
    /:5:\d+: .*\bGone\b.*"npm:@scope\/nowhere@1"/,
  ],
  [
    "a type of a library that is not there",
    "",
    "{ x: HTMLDivElement }",
    /:5:\d+: response\.x .*\bHTMLDivElement\b/,
  ],
  [
    "an import of another file",
    `import type { Outer } from "./outer.ts";`,
    "Outer",
    /outer\.ts:2:\d+: Outer\.inner .*\bGone\b.*".\/gone.ts"/,
  ],
  [
    "a part of a type",
    `import type { Gone } from "./gone.ts";`,
    "{ all: Record<string, Gone[]> }",
    /:5:\d+: response\.all\b.*\bGone\b.*".\/gone.ts"/,
  ],
  [
    "a base",
    `import type { Gone } from "./gone.ts"; interface Own extends Gone { own: 1 }`,
    "Own",
    /:2:\d+: Own .*\bGone\b/,
  ],
];
const BESIDE: Files = {
  "there.ts": "export interface There { there: 1 }",
  "again.ts": `export type { Gone } from "./there.ts";`,
  "outer.ts": `import type { Gone } from "./gone.ts";\nexport interface Outer { inner?: Gone }`,
};

Deno.test("generate names file, line, route and type of an unresolved type", async () => {
  const files = UNRESOLVED.map(([, head, type], i) => [
    `case${i}.ts`,
    `import { createRouter, json } from "@gatehouse/http";\n${head}
export const router = createRouter();
router
  .get("/${i}", () => json({} as ${type}));\n`,
  ]);
  const mounts = UNRESOLVED.map((_, i) =>
    `router.mount("/api", (await import("./case${i}.ts")).router);\n`
  );
  const before = { ...BESIDE, ...Object.fromEntries(files), "openapi.json": "old" };
  await withTypedProject(
    { ...before, "main.ts": typedApp("", {}) + mounts.join("") },
    async ({ generate, read }) => {
      const { code, stdout, stderr } = await generate("--controllers", "main.ts");
      assertEquals([code, stdout, await read("openapi.json")], [1, "", "old"]);
      const [first, ...lines] = stderr.trimEnd().split("\n");
      assertEquals(first, "Cannot write the document:");
      const wrong = UNRESOLVED.flatMap(([what, , , message], i) => {
        const line = lines.find((one) => one.includes(`GET /api/${i}: `)) ?? "nothing";
        const named = message.source.startsWith(":") ? line.includes(`case${i}.ts:`) : true;
        return named && message.test(line) ? [] : [[what, line]];
      });
      assertEquals(wrong, []);
    },
  );
});

Deno.test("generate ignores unresolved types that no route uses", async () => {
  const head = `import type { Gone } from "./gone.ts"; import type { Other } from "nowhere";
    export type Unused = Gone | Other | Gnoe;`;
  assertRoutes(await typedRoutes({ "main.ts": typedApp(head, { a: "{ a: 1 }" }) }), {
    "GET /a": "{ a: 1 }",
  });
});

/** What is sent of types that have parts which are not found. */
const UNNEEDED: readonly (readonly [string, string, string])[] = [
  ["picked", `Pick<Wide, "a">`, "{ a: 1 }"],
  ["omitted", `Omit<Wide, "gone">`, "{ a: 1 }"],
  ["base", "Less", "Less { l: 1, a: 1 }"],
  ["member", `{ m: Wide["a"] }`, "{ m: 1 }"],
  ["standard", "Own<1>", "Own_1 { own: 1 }"],
  ["method", "WithMethod", "WithMethod { k: 1 }"],
];

Deno.test("generate ignores unresolved parts of types that no route sends", async () => {
  const head = `import type { Gone } from "./gone.ts";
    interface Wide { a: 1; gone: Gone }
    interface Less extends Omit<Wide, "gone"> { l: 1 }
    interface Own<T = Gone> { own: T }
    class WithMethod {
      #gone: Gone | undefined;
      static gone: Gone;
      take(gone: Gone): void { this.#gone = gone; }
      toJSON(): { k: 1 } { return { k: 1 }; }
    }`;
  const routes = Object.fromEntries(UNNEEDED.map(([name, type]) => [name, type]));
  const body = `router.get("/body", () => { void ({} as Gone); return json({ b: "x" }); });\n`;
  const run = await typedRoutes({ "main.ts": typedApp(head, routes) + body });
  assertRoutes(run, {
    ...Object.fromEntries(UNNEEDED.map(([name, , text]) => [`GET /${name}`, text])),
    "GET /body": "{ b: string }",
  });
});

Deno.test("generate reports unresolved types in each run and writes with --no-types", async () => {
  const files = { "main.ts": typedApp(`import type { Gone } from "./gone.ts";`, { a: "Gone" }) };
  await withTypedProject(files, async ({ generate, document }) => {
    for (const more of [[], ["--check"]]) {
      const { code, stderr } = await generate("--controllers", "main.ts", ...more);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "Gone");
    }
    const { code, stderr } = await generate("--controllers", "main.ts", "--no-types");
    assertEquals([code, stderr, Object.keys((await document()).paths)], [0, "", ["/a"]]);
  });
});

/** Types that are not found and which the checker passes over, in line 4. */
const PASSED_OVER: readonly (readonly [string, string])[] = [
  ["a request", `router.get("/x", (req: Gone) => json({ a: 1 }));`],
  ["parameters", `router.get("/x/:id", (req: { params: Gone }) => json({ a: 1 }));`],
  ["a handler", `router.get("/x", (() => json({ a: 1 })) as Gone);`],
  ["type arguments", `router.get<Gone, Gone>("/x", (() => json({ a: 1 })) as never);`],
  [
    "a base of what is made of it",
    `interface Own extends Partial<Gone> { own: 1 } router.get("/x", () => json({} as Own));`,
  ],
  [
    "the names of a record",
    `type Own = Record<keyof Gone, 1>; router.get("/x", () => json({} as Own));`,
  ],
  [
    "a condition",
    `type Own = Gone extends 1 ? { s: 1 } : { n: 1 }; router.get("/x", () => json({} as Own));`,
  ],
  [
    "a part of a text",
    `interface Own { t: \`a\${Gone}\` } router.get("/x", () => json({} as Own));`,
  ],
];
const passedOver = PASSED_OVER.map(([, code]) =>
  `import { createRouter, json } from "@gatehouse/http";
import type { Gone } from "./gone.ts";
export const router = createRouter();
${code}
`
);
let passing: Promise<TypeRun> | undefined;
PASSED_OVER.forEach(([what], i) => {
  Deno.test(`generate names an unresolved type in ${what}`, async () => {
    const mounts = passedOver.map((_, n) =>
      `router.mount("/c${n}", (await import("./case${n}.ts")).router);\n`
    );
    const { code, stderr } = await (passing ??= typedRoutes({
      ...Object.fromEntries(passedOver.map((text, n) => [`case${n}.ts`, text])),
      "main.ts": typedApp("", {}) + mounts.join(""),
    }));
    assertEquals(code, 1);
    const line = stderr.split("\n").find((one) => one.includes(`GET /c${i}/x`)) ?? stderr;
    assertMatch(line, new RegExp(`GET /c${i}/x.*: case${i}\\.ts:4:\\d+: .*\\bGone\\b`));
  });
});
