import { assert, assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { writeDocument } from "../../openapi/_document.ts";
import { listenForDefinitions } from "../../openapi/compiler/_stacks.ts";
import { readTypes } from "../../openapi/compiler/_types.ts";
import type { OpenApiDocument } from "../../router/openapi_types.ts";
import { withPrograms } from "./_client.ts";
import { findProblems } from "./openapi_gate.ts";

const FILE = toFileUrl(join(ROOT, "tests/openapi/_typed_api.ts")).href;

/** The document of {@linkcode FILE}, whose types are read where it says them. */
async function readDocument(): Promise<OpenApiDocument> {
  listenForDefinitions();
  const { router } = await import(FILE);
  const { typesOf, notes } = await readTypes(FILE, router.routes);
  const document = writeDocument(router.info, router, typesOf);
  assertEquals([...notes], []);
  return document;
}

/**
 * Types that come back as they were written, and those that differ in what the client's tool does not tell apart: it
 * knows no patterns, no brands, and no rest of a tuple.
 */
const RETURNING: readonly (readonly [name: string, type: string])[] = [
  ["Cat", "Api.Cat"],
  ["Dog", "Api.Dog"],
  ["Mood", "Api.Mood"],
  ["Size", "Api.Size"],
  ["Species", "Api.Species"],
  ["Receipt", "{ total: number; paid?: boolean }"],
  ["PetPatch", "Api.PetPatch"],
  ["Page_Pet", '{ items: Schemas["Pet"][]; size?: number; next: string | null }'],
  ["Handle", "string"],
  [
    "Pet",
    `Omit<Api.Pet, "born" | "chip" | "owner" | "size" | "nights"> & {
      born: string; chip: string; owner: Schemas["Owner"] | null; size?: Api.Size; nights: [string];
    }`,
  ],
  ["Owner", '{ handle: string; email?: string; pets: Schemas["Pet"][] }'],
  ["Papers", "{ scans: string[]; remark?: string }"],
];

Deno.test("A document made of types alone passes all gates", async () => {
  assertEquals(await findProblems(await readDocument()), []);
});

Deno.test("A document made of types alone gives those types back to a client", async (t) => {
  const document = await readDocument();
  const names = Object.keys(document.components.schemas ?? {});
  await withPrograms(document, async ({ write, check }) => {
    const head = `import type * as Api from ${JSON.stringify(FILE)};
import type { components } from "./api.ts";
type Schemas = components["schemas"];
type Flat<T> = T extends object ? { [K in keyof T]: Flat<T[K]> } : T;
type Same<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends (<T>() => T extends Flat<B> ? 1 : 2) ? true : false;
`;
    for (const [name, type] of RETURNING) {
      assert(names.includes(name), `there is no ${name} in ${names}`);
      await write(
        `${name}.ts`,
        `${head}export const same: Same<Schemas["${name}"], ${
          type.replace(/\s+/g, " ")
        }> = true;\n`,
      );
    }
    const lines = await check(RETURNING.map(([name]) => `${name}.ts`));
    for (const [name] of RETURNING) {
      await t.step(`${name} comes back`, () => assertEquals(lines.get(`${name}.ts`), []));
    }
  });
});
