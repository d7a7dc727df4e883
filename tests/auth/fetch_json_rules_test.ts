/** Documents of other servers in pieces, types in odd spelling, and directives that only look like others. */

import { assertEquals, assertRejects } from "@std/assert";
import { fetchJson } from "../../auth/_fetch_json.ts";
import { OPTIONS, refusal } from "./_fetch_json.ts";

const ADDRESS = "https://id.example.com/doc";
const TEXT = '{"name":"Ada ä € 𝄞"}'; // characters of one to four bytes

function answering(answer: () => Response) {
  return { ...OPTIONS, fetch: () => Promise.resolve(answer()) };
}

for (const size of [1, 2, 3, 5, 7, 64]) {
  Deno.test(`fetchJson() puts characters together that come in pieces of ${size} bytes`, async () => {
    const bytes = new TextEncoder().encode(TEXT);
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.slice(i * size, (i + 1) * size),
    );
    const options = answering(() => new Response(ReadableStream.from(pieces)));
    assertEquals((await fetchJson(ADDRESS, options)).value, JSON.parse(TEXT));
  });
}

Deno.test("fetchJson() refuses a document that ends within a character", async () => {
  const bytes = new TextEncoder().encode(`"${"ä"}`).slice(0, -1);
  const { fetch } = answering(() => new Response(bytes));
  assertEquals(await refusal(ADDRESS, { fetch }), "the response is not UTF-8");
});

const PAGES = [
  "text/html",
  "TEXT/HTML",
  " text/html ;charset=utf-8",
  "text/html\t; a=b",
  "Text/Html;",
];

for (const type of PAGES) {
  Deno.test(`fetchJson() refuses a page by the type ${JSON.stringify(type)}, whatever it holds`, async () => {
    const { fetch } = answering(() => new Response(TEXT, { headers: { "Content-Type": type } }));
    assertEquals(await refusal(ADDRESS, { fetch }), "the response is HTML");
  });
}

Deno.test("fetchJson() passes on what broke the connection, as the cause", async () => {
  const broken = new TypeError("reset by peer");
  const body = () => new ReadableStream({ start: (controller) => controller.error(broken) });
  const options = answering(() => new Response(body()));
  const error = await assertRejects(() => fetchJson(ADDRESS, options), Error);
  assertEquals([error.message, error.cause], [
    "Cannot fetch JSON: the connection was lost",
    broken,
  ]);
});

/** A document may be kept by what is said, and not by what begins or ends alike. */
const DIRECTIVES: readonly (readonly [field: string, seconds: number | undefined])[] = [
  ["no-stored, max-age=300", 300],
  ["no-cache-ish", undefined],
  ["max-aged=5", undefined],
  ["max-age-of=5, max-age=300", 300],
  ["max-age=300;no-store", 0], // no time at all
];

for (const [field, seconds] of DIRECTIVES) {
  Deno.test(`fetchJson() reads ${seconds} from the directives "${field}"`, async () => {
    const headers = { "Cache-Control": field };
    const { maxAge } = await fetchJson(ADDRESS, answering(() => new Response(TEXT, { headers })));
    assertEquals(maxAge, seconds);
  });
}
