/** The application that `gatehouse new` writes, in a separate process without permissions, over the network. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { runNew, writeConfig } from "../openapi/_new_app.ts";
import { createClient, jsonOf, statusOf, withServed } from "./_served.ts";

Deno.test("The application that new writes is served, with accounts and a document", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "new_" }));
  try {
    assertEquals((await runNew(join(folder, "app"), "--runtime", "deno")).code, 0);
    const flags = ["--no-check", ...await writeConfig(folder)];
    await withServed(join(folder, "app/main.ts"), { flags }, async (origin) => {
      const { get, post } = createClient(origin);
      assertEquals(await jsonOf(get("/")), { hello: "world" });
      assertEquals(await statusOf(get("/tasks")), 401);
      const ada = { identifier: "ada@example.org", password: "five quiet herons at dawn" };
      assertEquals(await statusOf(post("/auth/register", ada)), 201);
      assertEquals(await statusOf(post("/tasks", { title: "Milk" })), 201);
      assertEquals(await jsonOf(get("/tasks")), [{ title: "Milk", done: false }]);
      assertEquals(await statusOf(get("/docs")), 200);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
