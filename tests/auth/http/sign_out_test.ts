import { assertEquals } from "@std/assert";
import { ADA } from "../_services.ts";
import { enterApp, signedIn } from "./_sign_in.ts";

Deno.test("signOut() ends the session, and takes its cookies away", async () => {
  const { client, app } = await signedIn();
  const token = client.jar.get("__Host-sid") ?? "";
  const response = await client.send("/leave", { method: "POST" });
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(client.jar.names(), ["__Host-csrf", "__Host-dev", "__Host-presid"]);
  assertEquals(await app.runtime.sessions.verify(token), undefined);
  assertEquals((await client.send("/me")).status, 401);
});

Deno.test("signOut() is no error without a session, with a dead one, and twice", async () => {
  const app = enterApp();
  for (const value of [undefined, "dead", ""]) {
    const client = app.browser();
    if (value !== undefined) client.jar.set("__Host-sid", value);
    assertEquals((await client.send("/leave", { method: "POST" })).status, 204);
    assertEquals((await client.send("/leave", { method: "POST" })).status, 204);
    assertEquals(client.jar.names(), ["__Host-csrf", "__Host-presid"]);
  }
});

Deno.test("signOut() leaves other sessions of the user alone", async () => {
  const { client, app } = await signedIn();
  const other = app.browser();
  await other.send("/enter", { method: "POST", json: {} });
  await client.send("/leave", { method: "POST" });
  assertEquals((await other.send("/me")).status, 200);
});

Deno.test("signOut() ends tokens of the session's pages: none serves the next visitor", async () => {
  const { client, data } = await signedIn();
  await client.send("/leave", { method: "POST" });
  const response = await client.post("/auth/login", ADA, { token: data.csrfToken });
  assertEquals(response.status, 403);
  assertEquals((await client.login()).status, 200);
});
