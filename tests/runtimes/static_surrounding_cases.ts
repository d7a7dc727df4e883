/**
 * What is around packaged mounts, on every runtime: routers, packages that are wrong, the registry, and the functions
 * beside.
 *
 * @module
 */

import {
  checkPreconditions,
  contentTypeOf,
  json,
  mountStatic,
  registerStaticAssets,
  routerBuilder,
  verifyStaticAssets,
} from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import {
  corruptPackage,
  DIRECTORY,
  packagedOptions,
  packageOf,
  SECRET,
  utf8,
} from "./static_assets.ts";

/** Every case, in the order in which they run. */
export const surroundingCases: readonly RuntimeCase[] = [
  {
    name: "routerBuilder().static() serves packages beside routes",
    async run() {
      const options = await packagedOptions();
      const router = routerBuilder()
        .prefix("/v1")
        .use((req) =>
          req.headers.has("x-blocked") ? new Response(null, { status: 403 }) : undefined
        )
        .static("/assets", { ...options, fallthrough: true })
        .static("/strict", options)
        .build()
        .get("/assets/*", () => json("later"))
        .get("/strict/*", () => json("later"));
      const read = async (path: string, init?: RequestInit): Promise<[number, string]> => {
        const response = await router.request(path, init);
        return [response.status, (await response.text()).slice(0, 8)];
      };
      assertSame(await read("/v1/assets/small.txt"), [200, "hello\n"]);
      assertSame(await read("/v1/assets/none"), [200, '"later"']);
      assertSame(await read("/v1/strict/none", { method: "HEAD" }), [404, ""]);
      assertSame((await read("/v1/strict/..%2Fa"))[0], 403);
      assertSame((await read("/v1/strict/small.txt", { method: "PUT", body: "x" }))[0], 405);
      assertSame(await read("/v1/strict/small.txt", { headers: { "x-blocked": "1" } }), [403, ""]);
      const head = await router.request("/v1/strict/large.bin", { method: "HEAD" });
      assertSame([head.headers.get("content-length"), head.body], ["1000000", null]);
    },
  },
  {
    name: "routerBuilder().static() answers 500 for a wrong digest, and never with the bytes",
    async run() {
      const errors: unknown[] = [];
      const options = { directory: DIRECTORY, package: await corruptPackage() };
      const router = routerBuilder({ onError: (error) => void errors.push(error) })
        .static("/assets", options)
        .build();
      for (const _ of ["first", "second"]) {
        const response = await router.request("/assets/bad.txt");
        const text = await response.text();
        assertSame([response.status, text.includes(SECRET)], [500, false]);
      }
      assertSame(errors.length, 2);
      assertSame(await thrownBy(() => verifyStaticAssets(options.package)), "Error");
    },
  },
  {
    name: "verifyStaticAssets() accepts packages, and gzip of the size they say alone",
    async run() {
      const { package: pkg } = await packagedOptions();
      await verifyStaticAssets(pkg);
      const entry = pkg.entries["text.css"];
      assert(entry !== undefined, "there is no such file");
      for (const size of [entry.size - 1, entry.size + 1, 0]) {
        const wrong = { version: 1, entries: { "text.css": { ...entry, size } } };
        assertSame(await thrownBy(() => verifyStaticAssets(wrong)), "Error");
      }
      const cut = { ...entry, data: entry.data.slice(0, -24) };
      const wrong = { version: 1, entries: { "text.css": cut } };
      assertSame(await thrownBy(() => verifyStaticAssets(wrong)), "Error");
    },
  },
  {
    name: "registerStaticAssets() is what mounts of that folder serve",
    async run() {
      const mount = mountStatic("/", { directory: "./runtimes/registered/" });
      const pkg = await packageOf({ "a.txt": utf8("a") });
      registerStaticAssets("runtimes/registered", pkg);
      registerStaticAssets("runtimes/registered/", pkg);
      assertSame(await (await mount.fetch(new Request("http://localhost/a.txt")))?.text(), "a");
      const other = await packageOf({});
      assertSame(
        await thrownBy(() => registerStaticAssets("runtimes/registered", other)),
        "TypeError",
      );
    },
  },
  {
    name: "mountStatic() of the portable entry refuses live: true",
    async run() {
      assertSame(
        await thrownBy(() => mountStatic("/", { directory: DIRECTORY, live: true })),
        "TypeError",
      );
    },
  },
  {
    name: "checkPreconditions() compares tags",
    run() {
      const check = (name: string, value: string, method = "GET"): unknown =>
        checkPreconditions({ method, headers: new Headers([[name, value]]) }, '"v2"') ?? null;
      assertSame(check("If-None-Match", '"v1", W/"v2"'), 304);
      assertSame(check("If-None-Match", '"v2"', "PUT"), 412);
      assertSame(check("If-None-Match", "v2"), null);
      assertSame(check("If-Match", 'W/"v2"'), 412);
      assertSame(check("If-Match", '"v1",,"v2"', "PUT"), null);
    },
  },
  {
    name: "contentTypeOf() reads the ending",
    run() {
      const names = ["a.HTML", "b/c.mjs", "d.json", "e.wasm", "f", ".css.zzz"];
      assertSame(names.map(contentTypeOf), [
        "text/html; charset=utf-8",
        "text/javascript; charset=utf-8",
        "application/json",
        "application/wasm",
        "application/octet-stream",
        "application/octet-stream",
      ]);
    },
  },
];

/** What a call throws, by its class. */
async function thrownBy(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    return (error as Error).name;
  }
  return "nothing";
}
