/** Further cases of the notes service in separate processes. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { createClient } from "../../examples/_notes_service.ts";
import { enter, EXAMPLE, spawn, start, withFolder } from "../../flows/_notes_process.ts";

Deno.test("main.ts packages the static assets once, and serves the package", async () => {
  await withFolder(async (folder) => {
    const packaged = join(folder, "static-assets.json");
    const written: (Date | null)[] = [];
    for (let run = 0; run < 2; run++) {
      const service = await start(folder);
      const style = await fetch(`${service.origin}/assets/style.css`);
      assertMatch(style.headers.get("etag") ?? "", /^"[0-9a-f]{64}"$/);
      assertEquals(await style.text(), await Deno.readTextFile(join(EXAMPLE, "assets/style.css")));
      assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
      written.push((await Deno.stat(packaged)).mtime);
    }
    assertEquals(written[1], written[0]);
  });
});

Deno.test("main.ts --watch serves the static assets from their folder", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder, { args: ["--watch"] });
    const style = await fetch(`${service.origin}/assets/style.css`);
    assertMatch(style.headers.get("etag") ?? "", /^W\/"\d+-\d+-\d+"$/);
    assertEquals(await style.text(), await Deno.readTextFile(join(EXAMPLE, "assets/style.css")));
    assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});

Deno.test("main.ts prints ORIGIN as the address of the documentation", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder, { env: { ORIGIN: "https://notes.example" } });
    assertEquals(service.docs, "https://notes.example/docs");
    assertMatch(service.origin, /^http:\/\/localhost:\d+$/);
    assertEquals(service.kept, `Deno KV, in the folder ${folder}`);
    assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});

Deno.test("main.ts stores a secret that only its owner can read, and does not change it if SECRET is set", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "secret");
    const first = await start(folder);
    const kept = await Deno.readTextFile(path);
    assertMatch(kept, /^[\w-]{43}$/);
    if (Deno.build.os !== "windows") {
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    }
    assertEquals(await first.stop("SIGTERM"), { code: 0, stderr: "" });
    const second = await start(folder, { secret: "another secret that only the tests know" });
    assertEquals(await second.stop("SIGTERM"), { code: 0, stderr: "" });
    assertEquals(await Deno.readTextFile(path), kept);
  });
});

Deno.test("main.ts logs events and refusals in one line each, without user input", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder);
    const { client } = await enter(service.origin);
    const headers = { "Sec-Fetch-Site": "cross-site" };
    const forged = await client.send("POST", "/notes", { title: "forged" }, headers);
    assertEquals(forged.status, 403);
    await forged.body?.cancel();
    const { id } = await client.create({ title: "mine" });
    const eve = createClient(service.origin);
    await (await eve.enter("register", "eve")).body?.cancel();
    const denied = await eve.call(`/notes/${id}`);
    assertEquals(denied.status, 403);
    await denied.body?.cancel();
    for (let i = 0; i < 6; i++) {
      const guess = { identifier: "ada", password: "hunter2" };
      await (await eve.send("POST", "/auth/login", guess)).body?.cancel();
    }
    const { code, stderr } = await service.stop("SIGTERM");
    const lines = stderr.split("\n");
    const refused = lines.filter((line) => line.startsWith("Denied "));
    const events = lines.filter((line) => !line.startsWith("Denied "));
    const [forgery = "", denial = "", throttled = "", ...rest] = events;
    assertEquals([code, forgery, rest], [0, 'csrf.failed reason="cross_origin"', [""]]);
    assertEquals(refused, [
      "Denied POST /notes: 403 csrf_failed (cross_origin)",
      "Denied GET /notes/:id: 403 access_denied (the principal does not own the note)",
      ...Array(5).fill("Denied POST /auth/login: 401 invalid_credentials (password_wrong)"),
    ]);
    assertMatch(denial, /^authz\.denied sub="[\w-]{22}" route="\/notes\/:id" reason="[^"]+"$/);
    assertMatch(throttled, /^login\.throttled attempt="login" address="127\.0\.0\.1" seconds=\d+$/);
  });
});

Deno.test("main.ts serves Notes ID at a port of its own, and stops it with the notes", async () => {
  await withFolder(async (folder) => {
    const child = spawn(folder, "0");
    const stderr = new Response(child.stderr).text();
    let printed = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text;
      const [, issuer] = /^Notes ID is served at (http:\/\/localhost:\d+)\/$/m.exec(printed) ?? [];
      if (issuer === undefined) continue;
      const metadata = await fetch(`${issuer}/.well-known/openid-configuration`);
      assertEquals((await metadata.json()).issuer, issuer);
      const [, notes] = /^Notes are served at (http:\/\/localhost:\d+)\/ /m.exec(printed) ?? [];
      const signIn = await fetch(`${notes}/auth/oauth/notes-id/start`, { redirect: "manual" });
      await signIn.body?.cancel();
      assertMatch(signIn.headers.get("Location") ?? "", new RegExp(`^${issuer}/oauth/authorize`));
      child.kill("SIGTERM");
    }
    assertEquals([(await child.status).code, await stderr], [0, ""]);
  });
});

Deno.test("main.ts serves no Notes ID if OIDC_PORT is off", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder, { env: { OIDC_PORT: "off" } });
    const page = await fetch(`${service.origin}/sign-in`);
    assertEquals((await page.text()).includes("Notes ID"), false);
    assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});

Deno.test("main.ts says that the port of Notes ID is in use", async () => {
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  try {
    await withFolder(async (folder) => {
      const env = { OIDC_PORT: String(port) };
      const { code, stdout, stderr } = await spawn(folder, "0", { env }).output();
      const message = `port ${port} is in use; set OIDC_PORT to another one, or to off`;
      assertEquals(new TextDecoder().decode(stderr), `Cannot start: ${message}\n`);
      assertEquals([code, stdout.length], [1, 0]);
    });
  } finally {
    taken.close();
  }
});

/** PostgreSQL's client reads environment variables, which other tests may not. */
const UNUSABLE: readonly (readonly [env: Readonly<Record<string, string>>, message: string])[] = [
  [{ PORT: "80x" }, "PORT must be an integer from 0 to 65535"],
  [{ OIDC_PORT: "80x" }, "OIDC_PORT must be off, or an integer from 0 to 65535"],
  [
    { DATABASE_URL: "postgres://notes:hunter2@127.0.0.1:1/notes" },
    "cannot connect to DATABASE_URL: ECONNREFUSED",
  ],
];

for (const [env, message] of UNUSABLE) {
  Deno.test(`main.ts prints one line for ${JSON.stringify(env)}`, async () => {
    await withFolder(async (folder) => {
      const { code, stdout, stderr } = await spawn(folder, "0", { env }).output();
      assertEquals(new TextDecoder().decode(stderr), `Cannot start: ${message}\n`);
      assertEquals([code, stdout.length], [1, 0]);
    });
  });
}
