import { assert, assertEquals, assertFalse } from "@std/assert";
import { join } from "@std/path";
import { RUNTIME_TEXT, runtimeText } from "../../../dev/client.ts";
import { ROOT } from "../../../dev/_project.ts";
import { writeClient } from "../../../openapi/client/write_client.ts";
import type { SchemaObject } from "../../../router/openapi_types.ts";
import { checkPrograms, documentOf, jsonContent, loadClient } from "./_documents.ts";

const STRING = { type: "string" };
const PROBLEM = jsonContent({ type: "object", properties: { code: STRING }, required: ["code"] });

/** Runs if it becomes code. */
const HOSTILE = [
  "*/ globalThis.hacked = 1; /*",
  "`${globalThis.hacked = 1}`",
  '"; globalThis.hacked = 1; //',
  "\n\r\u2028\u2029globalThis.hacked = 1;",
  "\\*/ globalThis.hacked = 1; /*",
  "*\\/ */\u202eglobalThis.hacked = 1;/*",
  "@ts-nocheck\n@ts-ignore\n@ts-expect-error",
].join("\n");

/** Names of components that are no names of types, or those of something else. */
const NAMES: Readonly<Record<string, string>> = {
  string: "stringSchema",
  class: "classSchema",
  Client: "ClientSchema",
  ClientSchema: "ClientSchemaSchema",
  Routes: "RoutesSchema",
  Response: "ResponseSchema",
  Promise: "PromiseSchema",
  Record: "RecordSchema",
  AsyncIterable: "AsyncIterableSchema",
  Page: "Page",
  Outcome: "Outcome",
  "a-b": "a_b",
  "a.b": "a_bSchema",
  "a b": "a_bSchema2",
  "1st": "_1st",
  "": "_",
  constructor: "constructor",
  toString: "toString",
};

const ROUTES = {
  "/plain": { get: {}, post: { requestBody: { required: true, ...jsonContent(STRING) } } },
  "/typed/{id}": {
    get: {
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "integer" } },
        { name: "q", in: "query", required: true, schema: STRING },
        { name: "tag", in: "query", schema: { type: "array", items: STRING } },
        { name: "X-Version", in: "header", required: true, schema: STRING },
        { name: "X-CSRF-Token", in: "header", required: true, schema: STRING },
        { name: "sid", in: "cookie", schema: STRING },
      ],
      responses: {
        200: jsonContent({ const: "ok" }),
        201: jsonContent({ const: "ok" }),
        202: {},
        304: {},
        404: jsonContent({ const: "missing" }),
        "4XX": PROBLEM,
        default: PROBLEM,
      },
    },
    patch: {
      parameters: [{ name: "id", in: "path", required: true, schema: {} }],
      requestBody: { content: { "application/merge-patch+json": { schema: { type: "object" } } } },
      responses: { 204: {}, 500: jsonContent({ const: "broken" }), "4XX": PROBLEM },
    },
  },
  "/open": {
    get: {
      parameters: [{
        name: "query",
        in: "query",
        style: "form",
        explode: true,
        schema: { type: "object" },
      }],
    },
  },
  "/files": {
    post: {
      requestBody: {
        required: true,
        content: {
          "multipart/form-data": {
            schema: {
              type: "object",
              properties: { file: { type: "string", format: "binary" } },
              required: ["file"],
            },
          },
        },
      },
      responses: { "2XX": { content: { "image/png": {} } } },
    },
    get: {
      responses: {
        200: { content: { "text/csv": {} } },
        206: { content: { "application/octet-stream": {} } },
      },
    },
  },
  "/files/{path}": {
    get: {
      parameters: [{
        name: "path",
        in: "path",
        required: true,
        description: "The rest of the path; its slashes are not encoded",
        schema: STRING,
      }],
      responses: { 200: { content: { "text/plain": {} } } },
    },
  },
  "/events": {
    get: { responses: { 200: { content: { "text/event-stream": { schema: STRING } } } } },
  },
  "/raw": {
    get: { responses: { 200: { content: { "text/event-stream": {} } } } },
    post: { requestBody: { required: true, content: { "application/octet-stream": {} } } },
  },
  ['/"; globalThis.hacked = 1; "\u2028{a*/b}']: {
    get: {
      summary: HOSTILE,
      description: HOSTILE,
      deprecated: true,
      parameters: [{
        name: "a*/b",
        in: "path",
        required: true,
        description: HOSTILE,
        schema: STRING,
      }],
    },
  },
};

const SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  ...Object.fromEntries(
    Object.keys(NAMES).map((
      name,
      n,
    ) => [name, { type: "object", properties: { n: { const: n } } }]),
  ),
  Hostile: {
    description: HOSTILE,
    type: "object",
    properties: {
      [HOSTILE]: { const: HOSTILE, description: HOSTILE },
      kind: { enum: [HOSTILE], deprecated: true },
    },
  },
  [HOSTILE]: STRING,
};

const DOCUMENT = documentOf(SCHEMAS, ROUTES, HOSTILE);

const PROGRAM = `import type * as types from "./client.ts";
import { createClient } from "./client.ts";

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
function is<A, B>(_: Is<A, B>): void {}

${
  Object.values(NAMES).map((name, n) => `is<types.${name}["n"], ${n} | undefined>(true);`)
    .join("\n").replaceAll(" | undefined>(true)", " | undefined>(true)")
}
export const hostile: types.Hostile = { [${JSON.stringify(HOSTILE)}]: ${JSON.stringify(HOSTILE)} };

export async function main(): Promise<void> {
  const client = createClient({ baseUrl: "https://api.example" });

  const plain = await client("GET /plain");
  if (plain.ok) is<typeof plain.data, unknown>(true);
  else is<typeof plain.problem, types.Problem>(true);
  await client("GET /plain", {});
  await client("GET /plain", { signal: AbortSignal.timeout(1), headers: { a: "b" }, init: { cache: "no-store" } });
  await client("POST /plain", { body: "a" });

  const typed = await client("GET /typed/{id}", {
    params: { id: 1 },
    query: { q: "a", tag: undefined },
    headers: { "X-Version": "1", "X-Other": "2" },
  });
  if (typed.ok) is<typeof typed.data, "ok" | undefined>(true);
  if (typed.status === 200 || typed.status === 201) is<typeof typed.data, "ok">(true);
  if (typed.status === 202) is<typeof typed.data, undefined>(true);
  if (typed.status === 304) is<typeof typed.problem, types.Problem>(true);
  if (typed.status === 404) is<typeof typed.problem, "missing">(true);
  if (typed.status === 403) is<typeof typed.problem, { code: string }>(true);
  if (typed.status === 500) is<typeof typed.problem, { code: string }>(true);

  const patched = await client("PATCH /typed/{id}", { params: { id: "a" } });
  if (patched.status === 204) is<typeof patched.data, undefined>(true);
  if (patched.status === 500) is<typeof patched.problem, "broken">(true);
  if (patched.status === 503) is<typeof patched.problem, types.Problem>(true);
  if (patched.status === 400) is<typeof patched.problem, { code: string }>(true);

  await client("GET /open", { query: { anything: 1, more: ["a"] } });
  const image = await client("POST /files", { body: { file: new File([], "a") } });
  if (image.ok) is<typeof image.data, Blob>(true);
  await client("POST /files", { body: new FormData() });
  const file = await client("GET /files");
  if (file.status === 200) is<typeof file.data, string>(true);
  if (file.status === 206) is<typeof file.data, Blob>(true);
  const events = await client("GET /events");
  if (events.ok) is<typeof events.data, AsyncIterable<types.ServerSentEvent<string>>>(true);
  const raw = await client("GET /raw");
  if (raw.ok) is<typeof raw.data, AsyncIterable<types.ServerSentEvent<string>>>(true);
  await client("POST /raw", { body: new Uint8Array(1) });
  is<types.DataOf<"POST /files">, Blob>(true);

  // @ts-expect-error: an unknown route
  await client("GET /plane");
  // @ts-expect-error: another method
  await client("PUT /plain");
  // @ts-expect-error: no body
  await client("POST /plain");
  // @ts-expect-error: an empty call
  await client("POST /plain", {});
  // @ts-expect-error: another body
  await client("POST /plain", { body: 1 });
  // @ts-expect-error: a body of GET
  await client("GET /plain", { body: 1 });
  // @ts-expect-error: no call
  await client("GET /typed/{id}");
  // @ts-expect-error: no header field
  await client("GET /typed/{id}", { params: { id: 1 }, query: { q: "a" } });
  // @ts-expect-error: no query
  await client("GET /typed/{id}", { params: { id: 1 }, headers: { "X-Version": "1" } });
  // @ts-expect-error: another type of a parameter
  await client("PATCH /typed/{id}", { params: { id: {} } });
  // @ts-expect-error: a misspelt parameter
  await client("PATCH /typed/{id}", { params: { ids: "a" } });
  // @ts-expect-error: a misspelt option
  await client("PATCH /typed/{id}", { param: { id: "a" } });
  // @ts-expect-error: an object as a query parameter
  await client("GET /open", { query: { anything: {} } });
  // @ts-expect-error: text instead of a file
  await client("POST /files", { body: { file: "a" } });
  // @ts-expect-error: data of what may be a failure
  plain.data;
  // @ts-expect-error: an unknown option
  createClient({ base: "https://api.example" });
}
`;

Deno.test("A client of routes takes what they take, and returns what they return", () => {
  const empty = `import { createClient } from "./client.ts"; createClient({});`;
  assertEquals(checkPrograms([[DOCUMENT, PROGRAM], [documentOf({}), empty]]), []);
});

Deno.test("Text of a document does not become code, neither in the module nor in comments", async () => {
  const client = await loadClient(DOCUMENT);
  assertFalse("hacked" in globalThis);
  const { typescript, javascript, declarations } = writeClient(DOCUMENT, HOSTILE);
  for (const text of [typescript, javascript, declarations]) {
    assertFalse(/[\u2028\u2029\u202e\r]/.test(text));
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
  const document = documentOf({}, {
    "/csrf/{realm}": { get: returning({ csrfToken: STRING, header: STRING }) },
    "/own/csrf": { get: returning({ csrfToken: STRING, header: STRING }) },
    "/login": { post: { ...taking({ password: STRING }), ...returning(tokens) } },
    "/refresh": { post: { ...taking({ refreshToken: STRING }), ...returning(tokens) } },
    "/other/refresh": { post: { ...taking({ refreshToken: STRING }), ...returning(tokens) } },
  });
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
