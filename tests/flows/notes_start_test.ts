import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { enter, EXAMPLE, spawn, start, titles, withFolder } from "./_notes_process.ts";

Deno.test("main.ts prints where to register and where to try it out, and both answer", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder);
    const page = await (await fetch(`${service.origin}/`)).text();
    assertMatch(page, /<a [^>]*href="\/register">Register<\/a>/);
    assertEquals(service.docs, `${service.origin}/docs`);
    const docs = await fetch(service.docs);
    assertEquals(docs.status, 200);
    await docs.body?.cancel();

    const { client, response } = await enter(service.origin);
    assertEquals(response.status, 201);
    assertEquals((await client.create({ title: "My note" })).title, "My note");
    assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});

Deno.test("main.ts lets an upload finish that is on its way when it is asked to stop", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder);
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const late: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
      async pull(controller): Promise<void> {
        begun.resolve();
        await stopped.promise;
        controller.enqueue(new TextEncoder().encode('{"title":"late"}'));
        controller.close();
      },
    };
    const body = new ReadableStream(late, { highWaterMark: 0 }); // pulled once the request is under way
    const { client } = await enter(service.origin);
    const answer = client.call("/notes", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    await begun.promise;
    await titles(client); // the request before this one has arrived
    const end = service.stop("SIGTERM");
    await unavailable(service.origin);
    stopped.resolve();
    const response = await answer;
    assertEquals([response.status, (await response.json()).title], [201, "late"]);
    assertEquals(await end, { code: 0, stderr: "" });
  });
});

/** Waits until new requests are refused. */
async function unavailable(origin: string): Promise<void> {
  for (;;) {
    const { status, body } = await fetch(`${origin}/notes`);
    await body?.cancel();
    if (status === 503) return;
  }
}

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

Deno.test("main.ts says in one line that the port is taken", async () => {
  await withFolder(async (folder) => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const { code, stdout, stderr } = await spawn(folder, String(port)).output();
    assertEquals(
      new TextDecoder().decode(stderr),
      `Cannot start: port ${port} is in use; set PORT to another one\n`,
    );
    assertEquals([code, stdout.length], [1, 0]);
  });
});

for (const port of ["80x", "-1", "65536", "1e3", " 80", "0x50", "8000.0"]) {
  Deno.test(`main.ts says in one line that PORT=${JSON.stringify(port)} is no port`, async () => {
    await withFolder(async (folder) => {
      const { code, stdout, stderr } = await spawn(folder, port).output();
      assertEquals(
        new TextDecoder().decode(stderr),
        "Cannot start: PORT must be an integer from 0 to 65535\n",
      );
      assertEquals([code, stdout.length], [1, 0]);
    });
  });
}

/** Variables that nothing can be started with, and the line that says so: it repeats nothing of them. */
const UNUSABLE: readonly (readonly [env: Readonly<Record<string, string>>, line: string])[] = [
  [
    { DATABASE_URL: "postgres://notes:hunter2@127.0.0.1:1/notes" },
    "cannot connect to DATABASE_URL: ECONNREFUSED",
  ],
  [
    { REDIS_URL: "redis://notes:hunter2@127.0.0.1:1" },
    "cannot connect to REDIS_URL: ECONNREFUSED",
  ],
  [
    { REDIS_URL: "redis://notes:hunter2@127.0.0.1:port" },
    "cannot connect to REDIS_URL: TypeError",
  ],
  [{ DATABASE_URL: "mysql://hunter2@db/notes" }, "DATABASE_URL must start with postgres://"],
  [{ REDIS_URL: "127.0.0.1:6379" }, "REDIS_URL must start with redis://"],
  [
    { DATABASE_URL: "postgres://db/notes", REDIS_URL: "redis://db" },
    "DATABASE_URL and REDIS_URL are both set; unset one of them",
  ],
  ...["localhost:8000", "http://localhost:8000/", "ftp://localhost", "notes"].map((ORIGIN) => {
    return [{ ORIGIN }, "ORIGIN must be an origin such as http://localhost:8000"] as const;
  }),
];
for (const [env, line] of UNUSABLE) {
  Deno.test(`main.ts says in one line why it does not start with ${JSON.stringify(env)}`, async () => {
    await withFolder(async (folder) => {
      const { code, stdout, stderr } = await spawn(folder, "0", { env }).output();
      assertEquals(new TextDecoder().decode(stderr), `Cannot start: ${line}\n`);
      assertEquals([code, stdout.length], [1, 0]);
    });
  });
}

Deno.test("main.ts says where people reach it, if that is not its own port", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder, { env: { ORIGIN: "https://notes.example" } });
    assertEquals(service.docs, "https://notes.example/docs");
    assertMatch(service.origin, /^http:\/\/localhost:\d+$/);
    assertEquals(service.kept, `Deno KV, in the folder ${folder}`);
    assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});

Deno.test("main.ts says in one line that the database does not open", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "notes.sqlite3"), "This is no database. ".repeat(100));
    const { code, stderr } = await spawn(folder, "0").output();
    assertMatch(
      new TextDecoder().decode(stderr),
      /^Cannot start: cannot open the database in .+: .+\n$/,
    );
    assertEquals(code, 1);
  });
});
