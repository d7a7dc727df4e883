import { assertEquals } from "@std/assert";
import { checkPrograms, documentOf } from "./_documents.ts";
import { DOCUMENT, HOSTILE, NAMES } from "./_hostile_document.ts";

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
    query: { q: "a", tag: undefined, any: [1, true], same: "a" },
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
  if (patched.status === 503) is<typeof patched.problem, "down">(true);
  if (patched.status === 301) is<typeof patched.problem, "elsewhere">(true);
  if (patched.status === 400) is<typeof patched.problem, { code: string }>(true);

  await client("GET /open", { query: { anything: 1, more: ["a"] } });
  await client("PUT /forms", { body: { a: 1, b: [new Blob()] } });
  const form = await client("POST /forms", { body: { a: 1 } });
  if (form.ok) is<typeof form.data, string | undefined>(true);
  await client("POST /forms", { body: new URLSearchParams() });
  const choice = await client("PUT /choices", { body: "a" });
  if (choice.ok) is<typeof choice.data, "shared">(true);
  if (choice.status === 404) is<typeof choice.problem, types.Problem>(true);
  await client("POST /choices", { body: "a" });
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
  // @ts-expect-error: an object as a query parameter without a schema
  await client("GET /typed/{id}", { params: { id: 1 }, query: { q: "a", any: {} }, headers: { "X-Version": "1" } });
  // @ts-expect-error: a number as a header field
  await client("GET /typed/{id}", { params: { id: 1 }, query: { q: "a" }, headers: { "X-Version": 1 } });
  // @ts-expect-error: text as a form
  await client("PUT /forms", { body: "a" });
  // @ts-expect-error: text as a form in a URL's encoding
  await client("POST /forms", { body: "a=1" });
  // @ts-expect-error: the body of another media type
  await client("PUT /choices", { body: 1 });
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
