import { createRouter, json, type Query } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { inheritedNames, rawRequest, seeded } from "./_helpers.ts";

/** The query of a raw target as a route reads it. */
async function queryOf(target: string): Promise<Query> {
  let query: Query | undefined;
  const router = createRouter().all("*", (req) => {
    query = req.query;
    return json(null);
  });
  await router.fetch(rawRequest(target));
  assert(query !== undefined);
  assertEquals(inheritedNames(query), []);
  return query;
}

/** The same by the standard parser, WHATWG URL §5.1. */
function standardQuery(search: string): Record<string, string | string[]> {
  const grouped = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    grouped.set(name, [...grouped.get(name) ?? [], value]);
  }
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, values] of grouped) {
    query[name] = values.length === 1 ? values[0] as string : values;
  }
  return query;
}

function entries(query: Query): unknown {
  return Object.entries(query).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
}

/** [why, target, query] */
const CASES:
  readonly (readonly [why: string, target: string, query: Record<string, string | string[]>])[] = [
    ["nothing if there is no query", "/", {}],
    ["nothing from an empty query", "/?", {}],
    ["one value as a string", "/?a=1", { a: "1" }],
    ["a repeated name as an array, in order", "/?a=2&b=x&a=1&a=2", { a: ["2", "1", "2"], b: "x" }],
    ["a name without a value as the empty string", "/?a&b=", { a: "", b: "" }],
    ["a value without a name", "/?=1", { "": "1" }],
    ["an equals sign alone", "/?=", { "": "" }],
    ["equals signs in a value", "/?a=b=c==", { a: "b=c==" }],
    ["nothing between ampersands", "/?&&a=1&&", { a: "1" }],
    ["a plus as a space", "/?a+b=c+d", { "a b": "c d" }],
    ["an encoded plus as a plus", "/?a%2Bb=c%2bd", { "a+b": "c+d" }],
    ["escapes, once", "/?a=%2541%252B", { a: "%41%2B" }],
    ["UTF-8", "/?n=%C3%A9%F0%9F%A6%80&m=é", { n: "é🦀", m: "é" }],
    ["an encoded ampersand and equals sign as text", "/?a=1%262%3D3", { a: "1&2=3" }],
    ["a malformed escape unchanged", "/?a=%&b=%2&c=%zz&d=100%", {
      a: "%",
      b: "%2",
      c: "%zz",
      d: "100%",
    }],
    ["a malformed escape together with valid ones", "/?a=%zz%41+b", { a: "%zzA b" }],
    ["bad UTF-8 as a replacement character", "/?a=%FF&b=%C0%AF&c=%E0%A4", {
      a: "\uFFFD",
      b: "\uFFFD\uFFFD",
      c: "\uFFFD",
    }],
    ["a malformed name", "/?%zz=1&%FF=2", { "%zz": "1", "\uFFFD": "2" }],
    ["question marks as text", "/?a=?&?b=1", { a: "?", "?b": "1" }],
    ["slashes as text", "/?next=/a/../b", { next: "/a/../b" }],
    ["nothing of the fragment", "/?a=1#b=2&c=3", { a: "1" }],
    ["nothing of a query after the fragment", "/#x?a=1", {}],
    ["nothing of a second query in the fragment", "/?a=1#?a=2", { a: "1" }],
    ["a query that a fragment cuts inside a pair", "/?a#=1", { a: "" }],
    ["brackets as text, not as an object", "/?a[b]=c&a[]=1&a[__proto__][x]=1", {
      "a[b]": "c",
      "a[]": "1",
      "a[__proto__][x]": "1",
    }],
    ["semicolons as text", "/?a=1;b=2", { a: "1;b=2" }],
    [
      "the names of Object.prototype members",
      "/?constructor=1&toString=2&hasOwnProperty=3&valueOf=4&valueOf=5",
      {
        constructor: "1",
        toString: "2",
        hasOwnProperty: "3",
        valueOf: ["4", "5"],
      },
    ],
    ["a byte order mark as text", "/?a=%EF%BB%BFx", { a: "\uFEFFx" }],
    ["a NUL and control characters", "/?a=%00%0A%7F", { a: "\0\n\x7f" }],
    ["a query without a path", "?a=1", { a: "1" }],
    ["a query after a path with escapes", "/%2F%3Fx=1?a=%31", { a: "1" }],
    ["a query after a malformed path", "/?a=1&b=/%zz", { a: "1", b: "/%zz" }],
  ];

for (const [why, target, query] of CASES) {
  Deno.test(`parseQuery() returns ${why}: ${JSON.stringify(target)}`, async () => {
    assertEquals(entries(await queryOf(target)), entries(query));
    const { search } = new URL("http://localhost" + target);
    assertEquals(entries(standardQuery(search)), entries(query), "as URLSearchParams reads it");
  });
}

Deno.test("parseQuery() treats __proto__ like any other name", async () => {
  const query = await queryOf("/?__proto__=x&__proto__=y&%5F_proto__=z&constructor.prototype.x=1");
  assertEquals(Object.getOwnPropertyDescriptor(query, "__proto__")?.value, ["x", "y", "z"]);
  assertEquals(inheritedNames(query), []);
  assertEquals(({} as Record<string, unknown>).x, undefined);
});

Deno.test("parseQuery() agrees with URLSearchParams on random queries", async () => {
  const random = seeded(3);
  const pieces = [
    ..."ab=&+%?/;1[]é".split(""),
    ..."%41 %2B %26 %3D %25 %zz %F %FF %C3%A9 %E2%82 %EF%BB%BF %00 %ED%A0%80 %F0%9F%A6%80 __proto__ a= &a= && 🦀"
      .split(" "),
  ];
  for (let i = 0; i < 5000; i++) {
    const query = random.list(0, 14, () => random.pick(pieces)).join("");
    const fragment = random.below(5) === 0 ? "#" + random.pick(pieces) + "?a=1" : "";
    assertEquals(
      entries(await queryOf(`/?${query}${fragment}`)),
      entries(standardQuery("?" + query)),
      query,
    );
  }
});

Deno.test("parseQuery() parses 100,000 pairs in linear time", async () => {
  const started = performance.now();
  const query = await queryOf(
    "/?" + "a=1&".repeat(50_000) + Array.from({ length: 50_000 }, (_, i) => `n${i}=%31`).join("&"),
  );
  assertEquals([query.a?.length, query.n49999], [50_000, "1"]);
  assert(performance.now() - started < 2000);
});

Deno.test("parseQuery() runs once, on first access", async () => {
  const router = createRouter().get("/", (req) => json(Object.is(req.query, req.query)));
  assertEquals(await (await router.request("/?a=1")).json(), true);
});
