import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const EXAMPLE = fromFileUrl(new URL("../../examples/notes", import.meta.url));

/** A service that runs in a process of its own. */
interface Service {
  /** Origin that it printed. */
  readonly origin: string;
  /** Command that it printed. */
  readonly command: string;
  /** Sends a signal and waits for the end. */
  stop(signal: Deno.Signal): Promise<{ code: number; stderr: string }>;
}

/** Runs `main.ts` with the permissions of `deno task start`, and no more. */
function spawn(folder: string, port: string, ...args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-net",
      "--allow-env=PORT",
      `--allow-read=${EXAMPLE},${folder}`,
      `--allow-write=${folder}`,
      join(EXAMPLE, "main.ts"),
      folder,
      ...args,
    ],
    env: { PORT: port, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function start(folder: string, ...args: readonly string[]): Promise<Service> {
  const child = spawn(folder, "0", ...args);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stderr = new Response(child.stderr).text();
  let printed = "";
  while (printed.split("\n").length < 3) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The service did not start: ${await stderr}`);
    printed += value;
  }
  const [, origin = ""] = /^Notes are served at (http:\/\/localhost:\d+)\/ /m.exec(printed) ?? [];
  const [, command = ""] = /^Add one: (curl .+)$/m.exec(printed) ?? [];
  return {
    origin,
    command,
    async stop(signal) {
      child.kill(signal);
      const { code } = await child.status;
      await reader.cancel();
      return { code, stderr: await stderr };
    },
  };
}

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    await test(join(parent, "new", "notes"));
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

async function titles(origin: string): Promise<string[]> {
  const { notes } = await (await fetch(`${origin}/notes`)).json();
  return notes.map(({ title }: { title: string }) => title);
}

Deno.test("main.ts prints an address that answers and a command that adds a note", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder);
    const page = await fetch(`${service.origin}/`);
    assertMatch(await page.text(), /<h1>Notes<\/h1>/);

    const [, type = "", body = "", url = ""] =
      /^curl -H "Content-Type: (.+)" -d "(.+)" (http:\S+)$/.exec(service.command) ?? [];
    const added = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": type },
      body: body.replaceAll('\\"', '"'), // as a shell reads it
    });
    assertEquals([added.status, (await added.json()).title], [201, "My note"]);
    assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});

Deno.test("main.ts keeps the notes over a restart and seeds only once", async () => {
  await withFolder(async (folder) => {
    const first = await start(folder);
    const seeds = await titles(first.origin);
    assertEquals(seeds.length > 1, true);
    const { notes } = await (await fetch(`${first.origin}/notes`)).json();
    for (const { id } of notes) {
      assertEquals((await fetch(`${first.origin}/notes/${id}`, { method: "DELETE" })).status, 204);
    }
    const added = await fetch(`${first.origin}/notes`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"title":"mine"}',
    });
    await added.body?.cancel();
    assertEquals(await first.stop("SIGINT"), { code: 0, stderr: "" });

    const second = await start(folder);
    assertEquals(await titles(second.origin), ["mine"]);
    assertEquals(await second.stop("SIGTERM"), { code: 0, stderr: "" });
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
    const answer = fetch(`${service.origin}/notes`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    await begun.promise;
    await titles(service.origin); // the request before this one has arrived
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
    const service = await start(folder, "--watch");
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
        "Cannot start: PORT is not a whole number from 0 to 65535\n",
      );
      assertEquals([code, stdout.length], [1, 0]);
    });
  });
}

Deno.test("main.ts says in one line that the database does not open", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "notes.sqlite3"), "This is no database. ".repeat(100));
    const { code, stderr } = await spawn(folder, "0").output();
    assertMatch(
      new TextDecoder().decode(stderr),
      /^Cannot start: the database in .+ does not open: .+\n$/,
    );
    assertEquals(code, 1);
  });
});
