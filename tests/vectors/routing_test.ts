/** Routing cases of other routers, for the syntax that we share, and the same rules in a table of our own. */

import {
  createRouter,
  json,
  type Pass,
  pass,
  type RouteRequest,
  type TypedRouter,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { testVectors } from "./_vectors.ts";

interface HonoCase {
  readonly id: string;
  readonly routes: readonly { method: string; path: string; handler: string }[];
  readonly queries: readonly {
    method: string;
    path: string;
    expected: readonly { handler: string; params: Record<string, string> }[];
  }[];
}

interface IttyCase {
  readonly id: string;
  readonly base: string;
  readonly routes: readonly { method: string; path: string }[];
  readonly queries: readonly {
    method: string;
    url: string;
    hits: readonly string[];
    params: Record<string, string>;
    query: Record<string, string | string[]>;
  }[];
}

interface PathCase {
  readonly id: string;
  readonly kind: string;
  readonly path: string | readonly string[];
  readonly options: Record<string, unknown>;
  readonly tests: readonly {
    input: string;
    expected: null | { params: Record<string, unknown> };
  }[];
}

/** What the handlers of one request saw, in order. */
interface Hit {
  readonly name: string;
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
}

/** A router whose handlers note that they ran and let the next one answer. */
function recordingRouter(
  routes: readonly { method: string; path: string; name: string }[],
  prefix = "",
): { router: TypedRouter; hits: Hit[] } {
  const hits: Hit[] = [];
  const router = createRouter({ prefix, onError: () => {} });
  for (const { method, path, name } of routes) {
    const handler = (req: RouteRequest): Pass => {
      hits.push({ name, params: { ...req.params }, query: { ...req.query } });
      return pass();
    };
    const add = method.toLowerCase();
    if (add === "post") router.post(path, handler, { raw: true });
    else router[add as "get"](path, handler);
  }
  return { router, hits };
}

testVectors<HonoCase>({
  file: "http/routing-hono.json",
  skip({ routes }) {
    const paths = routes.map(({ path }) => path);
    if (paths.some((path) => !/^[/*]/.test(path))) return "route by host name";
    if (paths.some((path) => /[^/]\*/.test(path))) return "have a wildcard inside a segment";
    if (paths.some((path) => /\*\//.test(path))) return "have a wildcard before the last segment";
    if (paths.some((path) => /\{\.\+\}\//.test(path))) return "span segments before the last";
    if (paths.some((path) => /[^/]:/.test(path.replace(/\{.*\}/, "")))) {
      return "have a colon inside a segment";
    }
    if (paths.some((path) => path === "/:id/:id")) return "name a parameter twice";
    return undefined;
  },
  async run({ routes, queries }) {
    for (const { method, path, expected } of queries) {
      const { router, hits } = recordingRouter(
        routes.map((route) => ({ ...route, name: route.handler })),
      );
      await router.request(path, { method });
      assertEquals(
        hits.map(({ name, params }) => ({ handler: name, params })),
        expected.map(({ handler, params }) => ({ handler, params })),
        `${method} ${path}`,
      );
    }
  },
});

testVectors<IttyCase>({
  file: "http/routing-itty.json",
  skip({ routes, queries }) {
    const paths = routes.map(({ path }) => path);
    const slashed = queries.filter(({ url }) => /[^/]\/[^/]+\/$/.test(url));
    if (slashed.some(({ hits }) => hits.length > 0)) return "ignore a trailing slash";
    if (paths.some((path) => /:\w+\+/.test(path))) return "have greedy parameters";
    if (paths.some((path) => /[^/]:|:\w+\?*\./.test(path))) {
      return "have a colon inside a segment";
    }
    if (paths.some((path) => /[|({]/.test(path))) return "are regular expressions";
    if (paths.some((path) => /\*\//.test(path))) return "have a wildcard before the last segment";
    if (paths.some((path) => /[^/]\*/.test(path))) return "have a wildcard inside a segment";
    if (paths.some((path) => path === "/.")) return "have a dot segment";
    if (queries.some(({ hits }) => hits.length > 1)) return "go on by themselves";
    return undefined;
  },
  async run({ base, routes, queries }) {
    for (const { method, url, hits: expected, params, query } of queries) {
      const { router, hits } = recordingRouter(
        routes.map((route) => ({ ...route, name: `${route.method} ${route.path}` })),
        base,
      );
      await router.request(url, { method });
      assertEquals(hits.slice(0, expected.length).map(({ name }) => name), expected, url);
      if (expected.length === 0) assertEquals(hits, [], url);
      else {
        assertEquals(hits[0]?.params, params, url);
        assertEquals(hits[0]?.query, query, url);
      }
    }
  },
});

testVectors<PathCase>({
  file: "http/path-to-regexp.json",
  skip({ kind, path, options }) {
    if (kind !== "match") return "compile or parse";
    if (typeof path !== "string") return "have a list of paths";
    if (!path.startsWith("/")) return "have no leading slash";
    if (options.end === false) return "match beginnings";
    if (options.decode === false) return "do not decode";
    if (options.delimiter !== undefined) return "have another delimiter";
    if (/[*{}\\]/.test(path)) return "have their wildcards, groups or escapes";
    if (/:\w+[^\w/]/.test(path)) return "have two parameters in a segment";
    return undefined;
  },
  async run({ path, options, tests }) {
    for (const { input, expected } of tests) {
      // Ours never ignores a slash or a case, as theirs do unless told.
      const theirs = options.trailing !== false && /.\/$/.test(input) && input !== path;
      const { router, hits } = recordingRouter([{ method: "GET", path: path as string, name: "" }]);
      await router.request(input);
      const matched = expected !== null && !theirs &&
        (options.sensitive === true || input.toLowerCase() !== path || input === path);
      assertEquals(
        hits.map(({ params }) => params),
        matched ? [expected.params as never] : [],
        input,
      );
    }
  },
});

/** The rules themselves, so that a clone without the shared vectors tests them too: routes, path, what answers. */
const OWN: readonly (readonly [
  why: string,
  routes: readonly string[],
  path: string,
  hits: readonly string[],
])[] = [
  ["a literal", ["/a"], "/a", ["/a"]],
  ["a literal is case-sensitive", ["/a"], "/A", []],
  ["a trailing slash is another path", ["/a"], "/a/", []],
  ["an empty segment is a segment", ["/a/b"], "/a//b", []],
  ["a parameter is not empty", ["/a/:id"], "/a/", []],
  ["a parameter is one segment", ["/a/:id"], "/a/b/c", []],
  ["an optional parameter, absent", ["/a/:id?"], "/a", ["/a/:id?"]],
  ["an optional parameter, present", ["/a/:id?"], "/a/b", ["/a/:id?"]],
  ["an expression that fits", ["/a/:n{[0-9]+}"], "/a/12", ["/a/:n{[0-9]+}"]],
  ["an expression matches whole", ["/a/:n{[0-9]+}"], "/a/12x", []],
  ["alternatives stay inside the parameter", ["/a/:n{b|c}/d"], "/a/c/d", ["/a/:n{b|c}/d"]],
  ["a wildcard takes nothing, too", ["/a/*"], "/a", ["/a/*"]],
  ["a wildcard takes many segments", ["/a/*"], "/a/b/c", ["/a/*"]],
  ["a wildcard starts at a segment", ["/a/*"], "/ab", []],
  ["the star alone takes all", ["*"], "/", ["*"]],
  ["order is the order of registration", ["/:x", "/a", "/*"], "/a", ["/:x", "/a", "/*"]],
  ["order, the other way", ["/*", "/a", "/:x"], "/a", ["/*", "/a", "/:x"]],
  ["patterns that one matcher cannot hold", ["/:a/x", "/b/:c"], "/b/x", ["/:a/x", "/b/:c"]],
  ["an escape is its character", ["/caf%C3%A9"], "/café", ["/caf%C3%A9"]],
  ["an escaped slash splits nothing", ["/a/:id"], "/a/b%2Fc", ["/a/:id"]],
];

for (const [why, routes, path, expected] of OWN) {
  Deno.test(`createRouter() matches: ${why}`, async () => {
    const { router, hits } = recordingRouter(
      routes.map((route) => ({ method: "GET", path: route, name: route })),
    );
    await router.request(path);
    assertEquals(hits.map(({ name }) => name), expected);
  });
}

Deno.test("createRouter() tells a method that it does not know from one that it does", async () => {
  const router = createRouter().get("/a", () => json("get")).all("/b", () => json("all"));
  assertEquals((await router.request("/a", { method: "PROPFIND" })).status, 405);
  assertEquals(await (await router.request("/b", { method: "PROPFIND" })).json(), "all");
});
