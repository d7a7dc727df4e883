import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { readConfig, ROOT } from "../../../dev/_project.ts";
import {
  BARE,
  CLI,
  CONTROLLERS,
  GENERATE,
  IMPORTS,
  INFO,
  namesIn,
  NOTES,
  notesRouter,
  PERMISSIONS,
  type Project,
  routedApp,
  SUMMARY,
  TAGS,
  withProject,
} from "../_cli.ts";
import { withTypedProject } from "./_process.ts";

Deno.test("generate writes the same bytes in every run", async () => {
  await withProject(
    { "controllers.ts": CONTROLLERS },
    async ({ generateUntyped: generate, read }) => {
      const names = ["a.json", "b.json", "c.json"];
      await Promise.all(
        names.map((name) => generate("--controllers", "controllers.ts", "--output", name)),
      );
      const [first, ...others] = await Promise.all(names.map(read));
      for (const other of others) assertEquals(other, first);
    },
  );
});

/** What became of a document that was written before. */
const EDITS: readonly (readonly [string, (text: string) => string | undefined])[] = [
  ["as it was written", (text) => text],
  ["in one line", (text) => JSON.stringify(JSON.parse(text))],
  ["with tabs", (text) => JSON.stringify(JSON.parse(text), null, "\t")],
  ["with CRLF", (text) => text.replaceAll("\n", "\r\n")],
];
const STALE_EDITS: typeof EDITS = [
  ["of another version", (text) => text.replace("1.2.3", "1.2.4")],
  ["without its last line", (text) => text.slice(0, -3)],
  ["of an empty file", () => ""],
  ["with null in it", () => "null\n"],
  ["that is not there", () => undefined],
];

for (const [how, edit] of EDITS) {
  Deno.test(`generate does not write a document that is unchanged, ${how}`, async () => {
    await withDocument(edit, async ({ generateUntyped: generate, folder }, before) => {
      for (const more of [[], ["--check"]]) {
        const run = await generate("--controllers", "controllers.ts", ...more);
        assertEquals(run, { code: 0, stdout: `Up to date: ${SUMMARY}\n`, stderr: "" });
        assertEquals(await stateOf(folder), before);
      }
    });
  });
}

for (const [how, edit] of STALE_EDITS) {
  Deno.test(`generate --check reports a document ${how} and writes nothing`, async () => {
    await withDocument(edit, async ({ generateUntyped: generate, folder, read }, before) => {
      const { code, stdout, stderr } = await generate("--controllers", "controllers.ts", "--check");
      assertEquals([code, stdout], [1, ""]);
      assertStringIncludes(stderr, `Out of date: ${SUMMARY}`);
      assertEquals(await stateOf(folder), before);

      const written = await generate("--controllers", "controllers.ts");
      assertEquals(written.stdout, `Wrote ${SUMMARY}\n`);
      assertStringIncludes(await read("openapi.json"), '"version": "1.2.3"');
    });
  });
}

/** A project whose document was written in the past, and then edited. */
async function withDocument(
  edit: (text: string) => string | undefined,
  test: (project: Project, state: unknown) => Promise<void>,
): Promise<void> {
  await withTypedProject({ "controllers.ts": routedApp() + INFO }, async (project) => {
    const path = join(project.folder, "openapi.json");
    await project.generateUntyped("--controllers", "controllers.ts");
    const text = edit(await project.read("openapi.json"));
    if (text === undefined) await Deno.remove(path);
    else {
      await Deno.writeTextFile(path, text);
      await Deno.utime(path, 1_000_000_000, 1_000_000_000);
    }
    await test(project, await stateOf(project.folder));
  });
}

/** What is in a folder, byte for byte, and since when. */
async function stateOf(folder: string): Promise<unknown> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return await Promise.all(
    entries.map(({ name }) => name).sort().map(async (name) => {
      const path = join(folder, name);
      const { mtime, ino } = await Deno.stat(path);
      return [name, await Deno.readTextFile(path), mtime, ino];
    }),
  );
}

const GUARD = `{
  guard: () => ({ sub: "ada" }),
  strategies: [{ name: "bearer", scheme: { type: "bearer" } }],
}`;
const ROUTER_INFO =
  `{ title: "Router", version: "7", license: { name: "MIT", identifier: "MIT" } }`;

/** How a router is registered. */
const ROUTERS: readonly (readonly [string, string])[] = [
  [
    "by @HttpRouter",
    `@HttpRouter({ prefix: "/api", controllers: [NotesController], withAuth: ${GUARD}, info: ${ROUTER_INFO} })
    class Api {}`,
  ],
  [
    "by a factory",
    `defaultContainer.register(HTTP_ROUTER, { useFactory: () =>
      routerBuilder({ info: ${ROUTER_INFO} }).prefix("/api").withAuth(${GUARD}).controllers(NotesController).build() });`,
  ],
  [
    "as a value",
    `defaultContainer.register(HTTP_ROUTER, { useValue:
      routerBuilder({ info: ${ROUTER_INFO} }).prefix("/api").withAuth(${GUARD}).controllers(NotesController).build() });`,
  ],
  [
    "by a factory that takes its time",
    `defaultContainer.register(HTTP_ROUTER, { useFactory: async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return routerBuilder({ info: ${ROUTER_INFO} }).prefix("/api").withAuth(${GUARD})
        .controllers(NotesController).build();
    } });`,
  ],
  [
    "as one that another is mounted in",
    `defaultContainer.register(HTTP_ROUTER, { useFactory: () => createRouter({ info: ${ROUTER_INFO} }).mount(
      "/api", routerBuilder().withAuth(${GUARD}).controllers(NotesController).build()) });`,
  ],
];
for (const [how, code] of ROUTERS) {
  Deno.test(`generate documents a router that is registered ${how}, with its guard and info`, async () => {
    await withProject(
      { "c.ts": IMPORTS + NOTES + code },
      async ({ generateUntyped: generate, document }) => {
        assertEquals(await generate("--controllers", "c.ts"), {
          code: 0,
          stdout: "Wrote openapi.json (2 paths, 2 operations, 1 schemas)\n",
          stderr: "",
        });
        const { info, paths, components } = await document();
        assertEquals([info.title, info.version, info.license], [
          "Router",
          "7",
          { name: "MIT", identifier: "MIT" },
        ]);
        assertEquals(Object.keys(paths), ["/api/notes", "/api/notes/{id}"]);
        for (const { get } of Object.values(paths)) {
          assertEquals(get?.security, [{ bearer: [] }]);
          assertEquals("401" in (get?.responses ?? {}), true);
        }
        assertEquals(Object.keys(components.securitySchemes ?? {}), ["bearer"]);
      },
    );
  });
}

Deno.test("generate completes the router's info by the exported one", async () => {
  const source = BARE + notesRouter(`info: { title: "R", version: "2" }`) + INFO;
  await withProject({ "c.ts": source }, async ({ generateUntyped: generate, document }) => {
    await generate("--controllers", "c.ts");
    const { info } = await document();
    assertEquals(info, { title: "R", version: "2", description: "All notes" });
  });
});

Deno.test("generate notes a controller that the router does not serve", async () => {
  const source = IMPORTS + NOTES + TAGS + notesRouter("") + INFO;
  await withProject({ "c.ts": source }, async ({ generateUntyped: generate, document }) => {
    const { code, stdout, stderr } = await generate("--controllers", "c.ts");
    assertEquals([code, stdout], [0, `Wrote ${SUMMARY}\n`]);
    assertMatch(stderr, /^Note: TagsController is not in the document, .+\n$/);
    assertEquals(Object.keys((await document()).paths), ["/notes", "/notes/{id}"]);
  });
});

Deno.test("generate does not note a controller whose routes are hidden", async () => {
  const hidden = TAGS.replace("@Get()", `@Get("/", { openapi: false })`);
  const router = notesRouter("").replace("(NotesController)", "(NotesController, TagsController)");
  await withProject(
    { "c.ts": IMPORTS + NOTES + hidden + router + INFO },
    async ({ generateUntyped: generate }) => {
      const { code, stderr } = await generate("--controllers", "c.ts");
      assertEquals([code, stderr], [0, ""]);
    },
  );
});

/** Kinds of decorators, and the compiler options that make them. */
const MODES: readonly (readonly [string, Readonly<Record<string, boolean>>])[] = [
  ["TC39's", {}],
  ["experimentalDecorators", { experimentalDecorators: true }],
];
for (const [mode, compilerOptions] of MODES) {
  Deno.test(`generate reads controllers with decorators of ${mode}`, async () => {
    // A decorator that gets a context as its second argument is TC39's
    const source = `${IMPORTS}
      let mode = "";
      const look = (_: unknown, second: unknown) => { mode = typeof second === "object" ? "TC39's" : "experimentalDecorators"; };
      @Controller("/notes")
      export class NotesController {
        @look
        @Get("/:id", { summary: "Finds a note" })
        find(): Response { return json({}); }
      }
      export const info = { title: mode, version: "1" };`;
    const { imports } = readConfig();
    const standIns = await namesIn(join(ROOT, "dev/std"));
    const urlOf = (path: string) => toFileUrl(join(ROOT, path)).href;
    const config = {
      compilerOptions,
      imports: {
        hono: imports.hono,
        ...Object.fromEntries(
          standIns.map((name) => [`@std/${name}`, urlOf(`dev/std/${name}/mod.ts`)]),
        ),
        "@gatehouse/http": urlOf("mod.ts"),
      },
    };
    const files = {
      "c.ts": source,
      "deno.json": JSON.stringify(config),
      // The versions that are there already: nothing is downloaded
      "deno.lock": await Deno.readTextFile(join(ROOT, "deno.lock")),
    };
    await withProject(files, async ({ deno, document }) => {
      const args = [...GENERATE, "--no-types", "--controllers", "c.ts"];
      const { code, stderr } = await deno(
        "run",
        ...PERMISSIONS,
        "--config=deno.json",
        CLI,
        ...args,
      );
      assertEquals(code, 0, stderr); // Deno warns of experimentalDecorators
      const { info, paths } = await document();
      assertEquals([info.title, Object.keys(paths)], [mode, ["/notes/{id}"]]);
    });
  });
}
