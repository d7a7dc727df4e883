import { createRouter, json, pass } from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { badly, rawRequest } from "./_helpers.ts";

const deny = () => json("denied", { status: 401 });

/** [why, prefix of under, paths that it covers, paths that it does not] */
const SCOPES: readonly (readonly [
  why: string,
  prefix: string,
  covered: readonly string[],
  open: readonly string[],
])[] = [
  ["the path, and everything under it", "/private", [
    "/private",
    "/private/",
    "/private/x",
    "/private//x",
    "/private/../x",
    "/private/%2e%2e/x",
    "/private/x?y#z",
    "/private?x",
    "/private#x",
    "/private/%zz",
    "/private/%00",
  ], [
    "/",
    "/privatex",
    "/private-x",
    "/x/private",
    "/PRIVATE",
    "//private",
    "/./private",
    "/x/../private",
    "/private%2Fx",
    "/private%5Cx",
    "/private\\x",
    "/private;x",
  ]],
  ["encoded spellings of the same path", "/private", [
    "/%70rivate",
    "/%70%72%69%76%61%74%65/x",
    "/private/%E0%A4%A",
  ], ["/%2570rivate"]],
  ["an encoded prefix", "/%70rivate/caf%C3%A9", [
    "/private/café",
    "/private/caf%c3%a9/x",
  ], ["/private", "/private/cafe"]],
  ["the same with a trailing slash", "/private/", ["/private", "/private/", "/private/x"], [
    "/privatex",
  ]],
  ["everything", "/", ["/", "/x", "//x", "/%zz", ""], []],
  ["a parameter", "/:org/admin", ["/a/admin", "/a%2Fb/admin/x", "/%61/%61dmin", "/:org/admin"], [
    "/admin",
    "/a/b/admin",
    "/a/administrator",
    "//admin",
  ]],
  ["an expression", "/:v{v[0-9]+}/admin", ["/v1/admin", "/v22/admin/x"], [
    "/v/admin",
    "/vx/admin",
  ]],
];

for (const [why, prefix, covered, open] of SCOPES) {
  Deno.test(`under() covers ${why}: ${prefix}`, async () => {
    const router = createRouter().under(prefix, deny).all("*", () => json("open"));
    for (const path of covered) {
      assertEquals((await router.fetch(rawRequest(path))).status, 401, path);
    }
    for (const path of open) assertEquals((await router.fetch(rawRequest(path))).status, 200, path);
  });
}

Deno.test("under() covers unmatched paths, every method, and OPTIONS and 405 too", async () => {
  const router = createRouter().under("/private", deny).get("/private/x", () => json(1));
  for (const path of ["/private/x", "/private/none"]) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "PROPFIND", "constructor"]) {
      assertEquals((await router.request(path, { method })).status, 401, `${method} ${path}`);
    }
  }
});

Deno.test("under() covers routes and mounts that were added before it", async () => {
  const router = createRouter().get("/private/x", () => json(1)).mount("/private/app", {
    fetch: () => new Response(),
  }).under("/private", deny);
  for (const path of ["/private/x", "/private/app/y"]) {
    assertEquals((await router.request(path)).status, 401);
  }
});

Deno.test("under() continues in order if its middleware returns nothing, asynchronously too", async () => {
  const log: string[] = [];
  const router = createRouter({ before: [() => void log.push("before")] })
    .under("/a", () => void log.push("1"), () => Promise.resolve(void log.push("2")))
    .under("/a/b", () => void log.push("3"))
    .under("/", () => void log.push("4"))
    .get("/a/b", () => (log.push("handler"), json(1)));
  await (await router.request("/a/b")).body?.cancel();
  assertEquals(log, ["before", "1", "2", "3", "4", "handler"]);
});

Deno.test("under() is relative to the router's prefix", async () => {
  const router = createRouter({ prefix: "/api" }).under("/private", deny).under("/only/x", deny)
    .get("/private/x", () => json(1)).get("*", () => json(1));
  assertEquals((await router.request("/api/private/x")).status, 401);
  assertEquals((await router.request("/private/x")).status, 404);
  assertEquals((await router.request("/api/x")).status, 200);
});

Deno.test("under() sees the parameters of the first match, and runs once for any number of matches", async () => {
  const seen: unknown[] = [];
  const router = createRouter().under("/a", (req) => void seen.push({ ...req.params }, req.route))
    .get("/a/:x", () => pass()).get("/a/*", () => json(1));
  await (await router.request("/a/b")).body?.cancel();
  assertEquals(seen, [{ x: "b" }, "/a/:x"]);
});

for (const prefix of ["/a/*", "*", "/a/:b?", "/:rest{.+}", "a", "", "/a*", "/../a"]) {
  Deno.test(`under() rejects the prefix ${JSON.stringify(prefix)}`, () => {
    assertThrows(() => createRouter().under(prefix, deny), TypeError, "Cannot use path");
  });
}

for (const middleware of [undefined, null, {}, "text"]) {
  Deno.test(`under(), before and use reject ${JSON.stringify(middleware)} as middleware`, () => {
    const message = "it is not a function";
    const bad = badly(middleware);
    assertThrows(() => createRouter().under("/", bad), TypeError, message);
    assertThrows(() => createRouter({ before: [bad] }), TypeError, message);
    assertThrows(() => createRouter().get("/", () => json(1), { use: [bad] }), TypeError, message);
  });
}
