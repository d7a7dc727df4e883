import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { RUNTIME_TEXT, runtimeText } from "../../../dev/client.ts";
import { ROOT } from "../../../dev/_project.ts";
import { docComment } from "../../../openapi/client/_text.ts";
import { writeClient } from "../../../openapi/client/write_client.ts";
import type { SchemaObject } from "../../../router/openapi_types.ts";
import { documentOf, jsonContent, loadClient } from "./_documents.ts";
import { DOCUMENT, HOSTILE } from "./_hostile_document.ts";

const STRING = { type: "string" };

Deno.test("Text of a document does not become code, neither in the module nor in comments", async () => {
  const client = await loadClient(DOCUMENT);
  assertFalse("hacked" in globalThis);
  const { typescript, javascript, declarations } = writeClient(DOCUMENT, HOSTILE);
  for (const text of [typescript, javascript, declarations]) {
    assertFalse(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u.test(text));
    assertFalse(/^[\s/*]*@ts-(?!self-types)/m.test(text));
  }
  const sent: string[] = [];
  const call = client.createClient({
    baseUrl: "https://api.example",
    fetch: ({ url }: Request) => {
      sent.push(url);
      return new Response(null, { status: 204 });
    },
  });
  await call("GET /files/{path}", { params: { path: "a/b c" } });
  await call('GET /"; globalThis.hacked = 1; "\u2028{a*/b}', { params: { "a*/b": "x" } });
  assertEquals(sent.map((url) => new URL(url).pathname), [
    "/files/a/b%20c",
    "/%22;%20globalThis.hacked%20=%201;%20%22%E2%80%A8x",
  ]);
});

Deno.test("A client knows routes that are not of JSON, and those of authentication", () => {
  const tokens = { accessToken: STRING, refreshToken: STRING };
  const schemas = { Csrf: objectOf({ csrfToken: STRING, header: STRING }) };
  const responses = {
    Csrf: { description: "A token", ...jsonContent({ $ref: "#/components/schemas/Csrf" }) },
  };
  const document = documentOf(
    schemas,
    {
      "/half/csrf": { get: returning({ csrfToken: STRING }) },
      "/csrf/{realm}": { get: returning({ csrfToken: STRING, header: STRING }) },
      "/own/csrf": { get: { responses: { 200: { $ref: "#/components/responses/Csrf" } } } },
      "/other/csrf": { get: returning({ csrfToken: STRING, header: STRING }) },
      "/sign-out": {
        post: { ...taking({ refreshToken: STRING }), ...returning({ done: STRING }) },
      },
      "/half/refresh": {
        post: { ...taking({ refreshToken: STRING }), ...returning({ accessToken: STRING }) },
      },
      "/login": { post: { ...taking({ password: STRING }), ...returning(tokens) } },
      "/refresh": { post: { ...taking({ refreshToken: STRING }), ...returning(tokens) } },
      "/other/refresh": { post: { ...taking({ refreshToken: STRING }), ...returning(tokens) } },
    },
    "Test",
    responses,
  );
  const { javascript } = writeClient(document, "client.d.ts");
  const [, api = ""] = /^const API = (\{.*?^\});$/ms.exec(javascript) ?? [];
  assertEquals(JSON.parse(api), { csrf: "/own/csrf", refresh: "/refresh", routes: {} });

  const [, routes = ""] =
    /^const API = (\{.*?^\});$/ms.exec(writeClient(DOCUMENT, "").javascript) ?? [];
  assertEquals(JSON.parse(routes).routes, {
    "GET /plain": { data: "any" },
    "POST /plain": { data: "any" },
    "PATCH /typed/{id}": { body: "application/merge-patch+json" },
    "GET /open": { data: "any" },
    "PUT /forms": { body: "multipart/form-data", data: "any" },
    "POST /forms": { body: "application/x-www-form-urlencoded", data: "text" },
    "POST /choices": { body: "application/merge-patch+json" },
    "POST /files": { body: "multipart/form-data", data: "blob" },
    "GET /files": { data: "any" },
    "GET /files/{path}": { data: "text", rest: "path" },
    "GET /events": { data: "events" },
    "GET /raw": { data: "textEvents" },
    "POST /raw": { body: "application/octet-stream", data: "any" },
    ['GET /"; globalThis.hacked = 1; "\u2028{a*/b}']: { data: "any" },
  });
});

function returning(properties: Readonly<Record<string, SchemaObject>>): object {
  return { responses: { 200: jsonContent(objectOf(properties)) } };
}

function taking(properties: Readonly<Record<string, SchemaObject>>): object {
  return { requestBody: { required: true, ...jsonContent(objectOf(properties)) } };
}

function objectOf(properties: Readonly<Record<string, SchemaObject>>): SchemaObject {
  return { type: "object", properties, required: Object.keys(properties) };
}

Deno.test("Types say what is deprecated, and name no status whose problem has the type of all others", () => {
  const { declarations } = writeClient(DOCUMENT, "");
  assertEquals(declarations.match(/@deprecated/g)?.length, 3); // a route, a parameter, a property
  assertStringIncludes(declarations, "export type NumbersOnce = number;");
  assertFalse(/\b410\b(?! \|)/.test(declarations));
});

/** Paragraphs, and their comment. */
const COMMENTS: readonly (readonly [(string | undefined)[], string])[] = [
  [[undefined, ""], ""],
  [[" \n "], ""],
  [[" a "], "/** a */\n"],
  [["a", undefined, "b\r\nc"], "/**\n * a\n *\n * b\n * c\n */\n"],
];
Deno.test("docComment() writes paragraphs that are there", () => {
  for (const [paragraphs, text] of COMMENTS) assertEquals(docComment(paragraphs, ""), text);
});

Deno.test("writeClient() writes the same text for the same document", () => {
  assertEquals(writeClient(DOCUMENT, "a.d.ts"), writeClient(structuredClone(DOCUMENT), "a.d.ts"));
});

Deno.test("writeClient() writes 200 routes in less than a second", () => {
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  const schemas = Object.fromEntries(
    numbers.map((
      n,
    ) => [
      `S${n}`,
      objectOf(Object.fromEntries(numbers.slice(0, 20).map((m) => [`m${m}`, STRING]))),
    ]),
  );
  const paths = Object.fromEntries(
    numbers.map((
      n,
    ) => [`/r${n}`, {
      get: { responses: { 200: jsonContent({ $ref: `#/components/schemas/S${n}` }) } },
    }]),
  );
  const start = performance.now();
  assertEquals(writeClient(documentOf(schemas, paths), "").routes, 200);
  assert(performance.now() - start < 1_000);
});

Deno.test(`${RUNTIME_TEXT} is what deno task client:runtime writes`, async () => {
  assertEquals(await Deno.readTextFile(join(ROOT, RUNTIME_TEXT)), runtimeText());
});
