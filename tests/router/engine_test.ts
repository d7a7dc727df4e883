import { createRouter, pass, type TypedRouter } from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { decodeParam, decodePath } from "../../router/path.ts";
import { rawRequest, seeded, untyped } from "./_helpers.ts";
import { makePath, makeTable, referenceMatch } from "./_reference.ts";
import { RANDOM_TABLES } from "../_effort.ts";

type Table = readonly (readonly [method: string, pattern: string])[];

/** One handler that ran: index of its route, and the parameters that it saw. */
interface Hit {
  readonly index: number;
  readonly params: Readonly<Record<string, string>>;
}

/** A router whose handlers all pass, so that a request runs every match. */
function recorder(
  table: Table,
): { router: TypedRouter; hits(method: string, path: string): Promise<Hit[]> } {
  let found: Hit[] = [];
  const router = createRouter({ onError: () => {} });
  table.forEach(([method, pattern], index) => {
    const add = untyped<Record<string, typeof router.post>>(router)[method.toLowerCase()];
    const raw = ["POST", "PUT", "PATCH"].includes(method);
    add?.(pattern, (req) => {
      found.push({ index, params: { ...req.params } });
      return pass();
    }, { raw });
  });
  return {
    router,
    async hits(method, path): Promise<Hit[]> {
      found = [];
      const request = rawRequest(path.split("/").map(encodeURIComponent).join("/"));
      Object.defineProperty(request, "method", { value: method }); // some methods can be received, but the constructor rejects them
      await router.fetch(request);
      return found;
    },
  };
}

const GET = "GET";
/** Patterns that the RegExpRouter cannot combine in one regular expression. */
const CONFLICT: Table = [[GET, "/conflict/:x"], [GET, "/:y/conflict/:z"], [
  GET,
  "/:y{q}/:z/conflict",
], [GET, "/conflict/:x{q}"]];

/** [why, table, path, patterns that match in order, parameters of the first] */
const TRAPS: readonly (readonly [
  string,
  Table,
  string,
  readonly string[],
  Readonly<Record<string, string>>?,
])[] = [
  [
    "keeps the expression if the request path equals the pattern",
    [[GET, "/users/:id{[0-9]+}"]],
    "/users/:id{[0-9]+}",
    [],
  ],
  [
    "keeps it if the request path equals the engine's pattern",
    [[GET, "/users/:id{[0-9]+}"]],
    "/users/:id{(?:[0-9]+)}",
    [],
  ],
  [
    "keeps it if the request path equals the engine's key",
    [[GET, "/:id{[0-9]+}/posts"]],
    "/:id{(?:[0-9]+)}#posts/posts",
    [],
  ],
  [
    "keeps it if the request path equals the engine's parameter name",
    [[GET, "/:id{[0-9]+}/posts"]],
    "/:p0{(?:[0-9]+)}/posts",
    [],
  ],
  [
    "keeps it on a parameter with the name of an Object.prototype member",
    [[GET, "/:a/:toString{[0-9]+}"]],
    "/x/:toString{(?:[0-9]+)}",
    [],
  ],
  ["matches a parameter whose value is its own label", [[GET, "/users/:id"]], "/users/:id", [
    "/users/:id",
  ], { id: ":id" }],
  ["matches a wildcard once if the request segment is a star", [[GET, "/admin/*"]], "/admin/*", [
    "/admin/*",
  ]],
  ["matches a lone wildcard once if the request segment is a star", [[GET, "*"]], "/*", ["*"]],
  [
    "keeps the order of a static path after a parameter",
    [[GET, "/users/:id"], [GET, "/users/me"]],
    "/users/me",
    [
      "/users/:id",
      "/users/me",
    ],
    { id: "me" },
  ],
  [
    "keeps the order of a static path before a parameter",
    [[GET, "/users/me"], [GET, "/users/:id"]],
    "/users/me",
    [
      "/users/me",
      "/users/:id",
    ],
    {},
  ],
  [
    "keeps the order of wildcards around",
    [[GET, "*"], [GET, "/a/b"], [GET, "/a/*"], [GET, "/:x/b"]],
    "/a/b",
    [
      "*",
      "/a/b",
      "/a/*",
      "/:x/b",
    ],
  ],
  ["matches paths under a wildcard, and the wildcard's own path", [[GET, "/f/*"]], "/f", [
    "/f/*",
  ]],
  ["does not match a longer name with a wildcard", [[GET, "/f/*"]], "/ff", []],
  ["matches an empty segment with a wildcard", [[GET, "/f/*"]], "/f/", ["/f/*"]],
  ["does not match an empty segment with a parameter", [[GET, "/f/:x"]], "/f/", []],
  ["does not match a slash with a parameter", [[GET, "/f/:x"]], "/f/a/b", []],
  ["treats an encoded slash as text", [[GET, "/f/:x"]], "/f/a%2Fb", ["/f/:x"], { x: "a%2Fb" }],
  ["treats a line feed as text", [[GET, "/f/:x"]], "/f/a\nb", ["/f/:x"], { x: "a\nb" }],
  ["matches a line feed under a wildcard", [[GET, "/f/*"]], "/f/a\nb", ["/f/*"]],
  ["does not end a pattern at a line feed", [[GET, "/f/:x{[a-z]+}"]], "/f/a\n", []],
  ["matches an expression whole", [[GET, "/:n{[0-9]+}"]], "/7x", []],
  ["matches an expression whole, from its start", [[GET, "/:n{[0-9]+}"]], "/x7", []],
  ["matches an expression whole before a literal", [[GET, "/:n{[0-9]+}/x"]], "/7a/x", []],
  ["matches alternatives whole", [[GET, "/:p{a|b}/x"]], "/a", []],
  ["matches alternatives whole, from the start", [[GET, "/:p{a|b}"]], "/bb", []],
  ["matches each alternative", [[GET, "/:p{a|b}/x"]], "/b/x", ["/:p{a|b}/x"], { p: "b" }],
  ["ignores the groups of an expression", [[GET, "/:p{(a)(b)}/:q"]], "/ab/c", ["/:p{(a)(b)}/:q"], {
    p: "ab",
    q: "c",
  }],
  [
    "takes braces as a quantifier",
    [[GET, "/:n{[0-9]{2,3}}/:q"]],
    "/42/b",
    ["/:n{[0-9]{2,3}}/:q"],
    { n: "42", q: "b" },
  ],
  [
    "keeps two expressions of one parameter apart",
    [[GET, "/:n{[0-9]+}"], [GET, "/:n{[a-z]+}"]],
    "/ab",
    ["/:n{[a-z]+}"],
  ],
  ["matches a pattern once for each time it was added", [[GET, "/:x"], [GET, "/:x"]], "/a", [
    "/:x",
    "/:x",
  ]],
  [
    "matches the same pattern under two names",
    [[GET, "/:x"], [GET, "/:y"]],
    "/a",
    ["/:x", "/:y"],
    { x: "a" },
  ],
  [
    "matches an expression and a plain parameter in order",
    [[GET, "/:x/a"], [GET, "/:x{[0-9]+}/a"], [GET, "/7/:y"]],
    "/7/a",
    [
      "/:x/a",
      "/:x{[0-9]+}/a",
      "/7/:y",
    ],
    { x: "7" },
  ],
  ["leaves an optional parameter out", [[GET, "/a/:x?"]], "/a", ["/a/:x?"], {}],
  ["takes an optional parameter", [[GET, "/a/:x?"]], "/a/b", ["/a/:x?"], { x: "b" }],
  ["does not match a trailing slash as a missing parameter", [[GET, "/a/:x?"]], "/a/", []],
  ["takes an optional parameter at the root", [[GET, "/:x?"]], "/", ["/:x?"], {}],
  [
    "treats metacharacters of regular expressions as text",
    [[GET, "/:n{[0-9]+}/c++/a.b"]],
    "/7/c++/a.b",
    [
      "/:n{[0-9]+}/c++/a.b",
    ],
  ],
  ["matches a dot literally after an expression", [[GET, "/:n{[0-9]+}/a.b"]], "/7/axb", []],
  [
    "treats an unbalanced parenthesis as text after an expression",
    [[GET, "/:n{[0-9]+}/a(b"]],
    "/7/a(b",
    ["/:n{[0-9]+}/a(b"],
  ],
  [
    "matches parameters with the names of Object.prototype members",
    [[GET, "/:a/:constructor{[0-9]+}"]],
    "/x/7",
    [
      "/:a/:constructor{[0-9]+}",
    ],
    { a: "x", constructor: "7" },
  ],
  [
    "matches static paths with the names of Object.prototype members",
    [[GET, "/constructor"], [GET, "/__proto__"]],
    "/__proto__",
    ["/__proto__"],
  ],
  [
    "does not match a path with the name of an Object.prototype member",
    [[GET, "/a"]],
    "/constructor",
    [],
  ],
  ["matches the rest of the path with a last expression", [[GET, "/f/:path{.+}"]], "/f/a/b", [
    "/f/:path{.+}",
  ], { path: "a/b" }],
  [
    "keeps the order of a last expression and its neighbours",
    [
      [GET, "/:x/:rest{.+}"],
      [GET, "/:x/b"],
      [GET, "/:x/*"],
      [GET, "/a/:y"],
    ],
    "/a/b",
    ["/:x/:rest{.+}", "/:x/b", "/:x/*", "/a/:y"],
    { x: "a", rest: "b" },
  ],
];

for (const [why, table, path, patterns, params] of TRAPS) {
  for (
    const [where, more] of [["alone", []], [
      "beside patterns that do not fit together",
      CONFLICT,
    ]] as const
  ) {
    Deno.test(`createEngine() ${why}, ${where}: ${JSON.stringify(path)}`, async () => {
      const all = [...table, ...more];
      const found = (await recorder(all).hits(GET, path)).filter(({ index }) =>
        index < table.length
      );
      assertEquals(found.map(({ index }) => all[index]?.[1]), [...patterns]);
      if (params !== undefined) assertEquals(found[0]?.params, { ...params });
    });
  }
}

/** [why, table, path, patterns] What the RegExpRouter would read otherwise: rejected at registration, or matched correctly. */
const REJECTED_OR_CORRECT: readonly (readonly [string, Table, string, readonly string[]])[] = [
  ["an encoded colon as a literal", [[GET, "/%3Aid/:x"]], "/foo/bar", []],
  ["an encoded colon as a literal colon", [[GET, "/%3Aid/:x"]], "/:id/bar", ["/%3Aid/:x"]],
  ["an encoded star as a literal", [[GET, "/:x/%2A"]], "/a/b/c", []],
  ["an encoded star as a literal star", [[GET, "/:x/%2A"]], "/a/*", ["/:x/%2A"]],
  [
    "an expression that spans segments before a literal",
    [[GET, "/:p{.+}/file"], [GET, "/:p{.+}"]],
    "/a/file",
    [
      "/:p{.+}/file",
      "/:p{.+}",
    ],
  ],
  ["an expression that spans segments before a parameter", [[GET, "/:p{.+}/:c"]], "/a/b", [
    "/:p{.+}/:c",
  ]],
  [
    "an expression that spans segments before a wildcard",
    [[GET, "/:p{.+}/b/:c"], [GET, "/:p{.+}/*"]],
    "/a/b/c",
    [
      "/:p{.+}/b/:c",
      "/:p{.+}/*",
    ],
  ],
  ["a negated class that spans segments", [[GET, "/:p{[^.]+}/x"], [GET, "/:p{[^.]+}"]], "/a/x", [
    "/:p{[^.]+}/x",
    "/:p{[^.]+}",
  ]],
  [
    "an escape that is a slash",
    [[GET, "/:p{(?:a|\\x2f)+}/a"], [GET, "/:p{(?:a|\\x2f)+}"]],
    "/a/a",
    [
      "/:p{(?:a|\\x2f)+}/a",
      "/:p{(?:a|\\x2f)+}",
    ],
  ],
  [
    "a Unicode escape that is a slash",
    [[GET, "/:p{(?:a|\\u002f)+}/a"], [GET, "/:p{(?:a|\\u002f)+}"]],
    "/a/a",
    [
      "/:p{(?:a|\\u002f)+}/a",
      "/:p{(?:a|\\u002f)+}",
    ],
  ],
  [
    "an octal escape that is a slash",
    [[GET, "/:p{(?:a|\\057)+}/a"], [GET, "/:p{(?:a|\\057)+}"]],
    "/a/a",
    [
      "/:p{(?:a|\\057)+}/a",
      "/:p{(?:a|\\057)+}",
    ],
  ],
  ["a look-ahead", [[GET, "/:p{(?!admin)[a-z]+}"]], "/users", ["/:p{(?!admin)[a-z]+}"]],
  ["a line feed in an expression", [[GET, "/:p{[\n]+}"], [GET, "/:q"]], "/\n", [
    "/:p{[\n]+}",
    "/:q",
  ]],
  ["an expression that may be empty", [[GET, "/:p{[0-9]*}"], [GET, "/"]], "/", [
    "/:p{[0-9]*}",
    "/",
  ]],
  ["a parenthesis in a class", [[GET, "/:n{[(]a[)]}/:q"]], "/(a)/b", ["/:n{[(]a[)]}/:q"]],
  ["an escaped parenthesis", [[GET, "/:p{\\(a\\)}/:q"]], "/(a)/b", ["/:p{\\(a\\)}/:q"]],
  ["a mark of the engine in a literal", [[GET, "/@1/:id"]], "/@1/7", ["/@1/:id"]],
  ["the other mark of the engine in a literal", [[GET, "/%231/:id"]], "/#1/7", ["/%231/:id"]],
  ["an alternative in a literal", [[GET, "/a|b/:id"]], "/a/7", []],
  [
    "a mark of the engine at the end of a literal",
    [[GET, "/:id/x@"], [GET, "/:id/x%23"]],
    "/7/x#",
    ["/:id/x%23"],
  ],
];

for (const [why, table, path, patterns] of REJECTED_OR_CORRECT) {
  for (const more of [[], CONFLICT]) {
    Deno.test(`createEngine() rejects, or matches correctly, ${why}: ${JSON.stringify(path)} (${more.length})`, async () => {
      const all = [...table, ...more];
      let record: ReturnType<typeof recorder>;
      try {
        record = recorder(all);
      } catch (error) {
        return assert(
          error instanceof TypeError && error.message.startsWith("Cannot use path"),
          String(error),
        );
      }
      const found = (await record.hits(GET, path)).filter(({ index }) => index < table.length);
      assertEquals(found.map(({ index }) => all[index]?.[1]), [...patterns]);
    });
  }
}

const ODD_METHODS: readonly string[] = [
  ..."constructor toString __proto__ hasOwnProperty valueOf get ALL all FOO TRACE CONNECT".split(
    " ",
  ),
  "",
  " ",
];

for (const method of ODD_METHODS) {
  for (const more of [[], CONFLICT]) {
    Deno.test(`createEngine() returns only routes for all methods for ${JSON.stringify(method)} (${more.length})`, async () => {
      const table: Table = [
        [GET, "/:x"],
        ["POST", "/a"],
        [GET, "/a"],
        ["ALL", "/a"],
        ["ALL", "*"],
        ...more,
      ];
      const { hits } = recorder(table);
      assertEquals((await hits(method, "/a")).map(({ index }) => index), [3, 4]);
      assertEquals((await hits(method, "/b")).map(({ index }) => index), [4]);
    });
  }
}

for (const pattern of ["/b", "/:b", "*"]) {
  Deno.test(`createEngine() rejects the route ${pattern} after the first request`, async () => {
    const { router, hits } = recorder([[GET, "/a"]]);
    await hits(GET, "/nowhere");
    assertThrows(
      () => router.get(pattern, () => pass()),
      TypeError,
      `GET ${pattern}: the router has begun to answer`,
    );
  });
}

Deno.test("createEngine() agrees with a list of regular expressions on random tables", async () => {
  const random = seeded(20_250_101);
  const seen = { requests: 0, matches: 0, overlaps: 0 };
  for (let count = 0; count < RANDOM_TABLES; count++) {
    const routes = makeTable(random);
    const { hits } = recorder(routes.map(({ method, pattern }) => [method, pattern]));
    for (let i = 0; i < 12; i++) {
      const path = makePath(random, routes);
      const method = random.pick(["GET", "GET", "GET", "GET", "POST", "constructor", "PATCH"]);
      const canonical = decodePath(path.split("/").map(encodeURIComponent).join("/")) ?? "";
      const expected = referenceMatch(routes, method, canonical).map(({ index, params }) => ({
        index,
        params: Object.fromEntries(
          Object.entries(params).map(([name, text]) => [name, decodeParam(text)]),
        ),
      }));
      const why = `${method} ${JSON.stringify(path)} on ${
        routes.map((route) => `${route.method} ${route.pattern}`).join(" , ")
      }`;
      assertEquals(await hits(method, path), expected, why);
      seen.requests++;
      seen.matches += expected.length;
      if (expected.length > 1) seen.overlaps++;
    }
  }
  // The tables are varied enough.
  assert(
    seen.matches > seen.requests / 3 && seen.overlaps > RANDOM_TABLES / 3,
    JSON.stringify(seen),
  );
});

Deno.test("createEngine() returns the same methods for a path as a list of regular expressions", async () => {
  const random = seeded(7);
  for (let count = 0; count < 500; count++) {
    const routes = makeTable(random).filter(({ method }) => method !== "ALL");
    if (routes.length === 0) continue;
    const { router } = recorder(routes.map(({ method, pattern }) => [method, pattern]));
    for (let i = 0; i < 6; i++) {
      const path = makePath(random, routes).split("/").map(encodeURIComponent).join("/");
      const methods = routes.filter(({ regexp }) => regexp.test(decodePath(path) ?? "")).map((
        { method },
      ) => method);
      const response = await router.fetch(rawRequest(path, { method: "OPTIONS" }));
      assertEquals(response.status, methods.length === 0 ? 404 : 204, path);
      if (methods.length === 0) continue;
      const expected = new Set([
        ...methods,
        ...(methods.includes("GET") ? ["HEAD"] : []),
        "OPTIONS",
      ]);
      assertEquals(new Set(response.headers.get("Allow")?.split(", ")), expected, path);
    }
  }
});

/** More patterns than one expression combines, so that they are found by their literal prefixes. */
const MANY: readonly (readonly [string, string])[] = Array.from(
  { length: 200 },
  (_, i) => [GET, `/many/${i}/:id`],
);

Deno.test("createEngine() agrees with a list of regular expressions on tables of many patterns", async () => {
  const random = seeded(20_261_120);
  let matches = 0;
  for (let count = 0; count < 200; count++) {
    const routes = makeTable(random);
    const table = routes.map(({ method, pattern }): readonly [string, string] => [method, pattern]);
    const { hits } = recorder([...table, ...MANY]);
    for (let i = 0; i < 12; i++) {
      const path = makePath(random, routes);
      const method = random.pick(["GET", "GET", "POST", "constructor"]);
      const canonical = decodePath(path.split("/").map(encodeURIComponent).join("/")) ?? "";
      const expected = referenceMatch(routes, method, canonical).map(({ index }) => index);
      const found = (await hits(method, path)).map(({ index }) => index);
      matches += expected.length;
      assertEquals(found, expected, `${method} ${path} on ${table.join(" , ")}`);
    }
  }
  assert(matches > 500, `${matches} matches`);
});

Deno.test("createEngine() matches each of many patterns, and none for a path of many segments", async () => {
  const { hits } = recorder([...MANY, [GET, "/many/*"], [GET, "/:a/:b/:c"]]);
  for (const i of [0, 7, 199]) {
    assertEquals((await hits(GET, `/many/${i}/x`)).map(({ index }) => index), [i, 200, 201]);
  }
  const started = performance.now();
  assertEquals(await hits(GET, "/no" + "/x".repeat(30_000)), []);
  assert(performance.now() - started < 1000);
});
