import { createRouter, type OpenApiInfo } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { answer, type Build, documentOf, operation } from "./_helpers.ts";

/** Routes, and the tags of the only one. */
const TAGGED:
  readonly (readonly [why: string, build: Build, tags: readonly string[] | undefined])[] = [
    ["the first segment", (router) => router.get("/notes/:id/files", answer), ["notes"]],
    ["no tag for the root", (router) => router.get("/", answer), undefined],
    ["no tag for parameters alone", (router) => router.get("/:a/:b", answer), undefined],
    ["no tag for a wildcard", (router) => router.get("/*", answer), undefined],
    ["what follows a parameter", (router) => router.get("/:tenant/notes", answer), ["notes"]],
    ["what follows api and a version", (router) => router.get("/api/v1/notes", answer), ["notes"]],
    ["what follows a minor version", (router) => router.get("/API/v2.1/notes", answer), ["notes"]],
    ["no tag for api alone", (router) => router.get("/api", answer), undefined],
    ["a word that only starts so", (router) => router.get("/apis/v1", answer), ["apis"]],
    ["a word with a v", (router) => router.get("/v1beta/notes", answer), ["v1beta"]],
    ["a prefix, which may be a word", () => {
      return createRouter({ prefix: "/admin" }).get("/notes", answer);
    }, ["admin"]],
    ["what a mount's path is", (router) => {
      router.mount("/api/v1/teams", createRouter().get("/", answer));
    }, ["teams"]],
    ["what a mounted router has below /api/v1", (router) => {
      router.mount("/api/v1", createRouter().get("/notes", answer));
    }, ["notes"]],
    [
      "the metadata's tags",
      (router) => router.get("/notes", answer, { openapi: { tags: ["A"] } }),
      [
        "A",
      ],
    ],
    ["no tag where the metadata says so", (router) => {
      router.get("/notes", answer, { openapi: { tags: [] } });
    }, undefined],
  ];
for (const [why, build, tags] of TAGGED) {
  Deno.test(`generateOpenAPI() tags an operation by ${why}`, () => {
    const { paths, tags: declared } = documentOf(build);
    const [[only = {}] = []] = Object.values(paths).map((item) => Object.values(item));
    assertEquals((only as { readonly tags?: unknown }).tags, tags);
    const own = why.startsWith("the metadata") ? undefined : tags;
    assertEquals(declared?.map(({ name }) => name), own);
  });
}

Deno.test("generateOpenAPI() keeps the description of a tag that info declares", () => {
  const info: Partial<OpenApiInfo> = { tags: [{ name: "notes", description: "Yours" }] };
  const document = documentOf((router) => router.get("/notes", answer), info);
  assertEquals(document.tags, info.tags);
  assertEquals(operation(document, "GET /notes").operationId, "get_notes");
});
