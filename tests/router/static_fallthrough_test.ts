/** Static assets at `/` in front of routes: what a mount with `fallthrough` finds after it has missed, and what goes on. */

import { json, routerBuilder } from "@gatehouse/http/native";
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { makeLinks } from "../static/_native_package.ts";

/** [why, what is done to the folder, path, expected body, or status of the route behind it] */
const CHANGES: readonly (readonly [
  why: string,
  change: (folder: string) => Promise<void>,
  path: string,
  expected: string,
])[] = [
  [
    "a file that appears",
    (at) => Deno.writeTextFile(join(at, "new.txt"), "new"),
    "/new.txt",
    "new",
  ],
  [
    "a file in a folder that appears",
    async (at) => {
      await Deno.mkdir(join(at, "a"));
      await Deno.writeTextFile(join(at, "a/b.txt"), "b");
    },
    "/a/b.txt",
    "b",
  ],
  [
    "a link that appears",
    (at) => makeLinks(at, { "link.txt": "old.txt" }),
    "/link.txt",
    "old",
  ],
  [
    "a file that wins over a route",
    (at) => Deno.writeTextFile(join(at, "api"), "file"),
    "/api",
    "file",
  ],
  ["a file that is deleted", (at) => Deno.remove(join(at, "old.txt")), "/old.txt", "route"],
  ["a folder of a route's name", (at) => Deno.mkdir(join(at, "api")), "/api", "route"],
  ["a link to nothing", (at) => makeLinks(at, { dangling: "none" }), "/dangling", "route"],
  ["a link to itself", (at) => makeLinks(at, { loop: "loop" }), "/loop", "route"],
  [
    "a link out of the folder",
    (at) => makeLinks(at, { out: "/etc/hostname" }),
    "/out",
    "route",
  ],
  ["a hidden file", (at) => Deno.writeTextFile(join(at, ".env"), "secret"), "/.env", "route"],
  ["a name that is too long", () => Promise.resolve(), "/" + "x".repeat(5000), "route"],
];

for (const [why, change, path, expected] of CHANGES) {
  Deno.test(`static() with fallthrough, after a miss: ${why}`, async () => {
    const directory = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(join(directory, "old.txt"), "old");
      const router = routerBuilder().static("/", { directory, fallthrough: true }).build()
        .get("/*", () => new Response("route"));
      const text = async (at: string) => await (await router.request(at)).text();
      assertEquals(await text("/missing"), "route");
      assertEquals(await text("/old.txt"), "old");
      await change(directory);
      assertEquals(await text(path), expected);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}

Deno.test("static() with fallthrough leaves other methods to routes, also of a file's name", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(directory, "notes"), "file");
    const router = routerBuilder().static("/", { directory, fallthrough: true }).build()
      .post("/notes", () => json("posted"), { raw: true });
    assertEquals(await (await router.request("/notes", { method: "POST" })).json(), "posted");
    assertEquals(await (await router.request("/notes")).text(), "file");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
