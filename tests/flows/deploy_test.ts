/** `examples/deploy`, as Deno Deploy runs it: on Deno KV, by `deno serve` and by `deno run`. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { ADA, MAIN, openFolder, SERVE } from "./_deploy.ts";
import { createClient, jsonOf, statusOf, withServed } from "./_served.ts";

Deno.test("examples/deploy signs users in, and they still are after it was started again", async () => {
  await using options = await openFolder();
  const { get, post } = createClient(`http://127.0.0.1:${options.port}`);

  await withServed(fromFileUrl(MAIN), options, async () => {
    assertEquals(await jsonOf(get("/")), { hello: "world" });
    assertEquals(await statusOf(get("/me")), 401);
    assertEquals(await statusOf(post("/auth/register", ADA)), 201);
    assertEquals(await statusOf(post("/auth/login", ADA)), 200);
  });

  await withServed(fromFileUrl(SERVE), { ...options, command: "run" }, async () => {
    assertEquals((await jsonOf(get("/me")) as { name: string }).name, ADA.identifier);
    assertEquals(await statusOf(post("/auth/logout")), 204);
    assertEquals(await statusOf(get("/me")), 401);
  });
});

Deno.test("examples/deploy does not start without a secret", async () => {
  await using options = await openFolder();
  const env = { ...options.env, SECRET: "" };
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["serve", "--no-prompt", "--port=0", ...options.flags, fromFileUrl(MAIN)],
    env: { NO_COLOR: "1", ...env },
  }).output();
  assertEquals(code, 1);
  assertMatch(new TextDecoder().decode(stderr), /a secret has 0 bytes/);
});
