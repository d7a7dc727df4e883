/** `examples/hello`, in a separate process without permissions, over the network. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { createClient, jsonOf, statusOf, withServed } from "./_served.ts";

const MAIN = fromFileUrl(new URL("../../examples/hello/main.ts", import.meta.url));
const ADA = { identifier: "ada@example.org", password: "five quiet herons at dawn" };

Deno.test("examples/hello responds on every route of its document", async () => {
  await withServed(MAIN, {}, async (origin) => {
    const { called, get, post } = createClient(origin);

    assertEquals(await jsonOf(get("/")), { hello: "world" });
    assertEquals(await statusOf(get("/me")), 401);
    assertEquals(await statusOf(get("/tasks")), 401);
    assertEquals(await statusOf(get("/auth/session")), 401);

    assertEquals(await statusOf(post("/auth/register", { ...ADA, password: "short" })), 422);
    assertEquals(await statusOf(post("/auth/register", ADA)), 201);
    const me = await jsonOf(get("/me")) as { sub: string; name: string };
    assertEquals(me.name, ADA.identifier);

    const refused = await post("/tasks", { title: "" });
    assertEquals(refused.status, 422);
    assertEquals((await refused.json()).violations[0].pointer, "/title");
    assertEquals(await jsonOf(post("/tasks", { title: "Milk" })), { title: "Milk", done: false });
    assertEquals(await jsonOf(get("/tasks")), [{ title: "Milk", done: false }]);

    assertEquals(await statusOf(post("/auth/logout")), 204);
    assertEquals(await statusOf(get("/tasks")), 401);
    const wrong = { ...ADA, password: "five quiet herons at dusk" };
    assertEquals(await statusOf(post("/auth/login", wrong)), 401);
    assertEquals(await statusOf(post("/auth/login", ADA)), 200);
    assertEquals(await jsonOf(get("/tasks")), [{ title: "Milk", done: false }]);

    const { paths } = await jsonOf(get("/docs/openapi.json")) as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    );
    assertEquals(routes.filter((route) => !called.has(route)), []);
    assertEquals(routes.length >= 9, true);
  });
});
