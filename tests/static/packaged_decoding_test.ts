/** When packaged contents are decoded, how they are sent, and that they cannot be modified. */

import { mountStatic, type StaticMount, verifyStaticAssets } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { withServer } from "../attacks/_raw.ts";
import { type Contents, countDigests, get, noise, packageOf } from "./_packages.ts";

async function mountOf(files: Contents, gzip = false): Promise<StaticMount<Response>> {
  const pkg = await packageOf(files, { gzip });
  return mountStatic("/", { directory: "decoding", package: pkg });
}

/** Compares without printing megabytes. */
function assertBytes(actual: Uint8Array, expected: Uint8Array | undefined, why = "bytes"): void {
  assertEquals(actual.length, expected?.length, why);
  assert(actual.every((byte, i) => byte === expected?.[i]), why);
}

async function bytesOf(response: Response | undefined): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response?.arrayBuffer() ?? []);
}

Deno.test("packagedSource() decodes nothing before a file is requested", async () => {
  const pkg = await packageOf({ "a.txt": "hello" });
  const count = await countDigests(async () => {
    const mount = mountStatic("/", { directory: "decoding", package: pkg });
    const etag = (await get(mount, "/a.txt", { method: "HEAD" }))?.headers.get("ETag") ?? "";
    const requests: readonly [path: string, init: RequestInit, status: number][] = [
      ["/a.txt", { method: "HEAD" }, 200],
      ["/a.txt", { headers: { "If-None-Match": etag } }, 304],
      ["/a.txt", { headers: { "If-None-Match": "*" } }, 304],
      ["/a.txt", { headers: { "If-Match": '"x"' } }, 412],
      ["/a.txt", { method: "POST" }, 405],
      ["/b.txt", {}, 404],
      ["/..%2fa.txt", {}, 403],
      ["/%zz", {}, 400],
    ];
    for (const [path, init, status] of requests) {
      assertEquals((await get(mount, path, init))?.status, status, path);
    }
  });
  assertEquals(count, 0);
});

for (const gzip of [false, true]) {
  Deno.test(`packagedSource() decodes each file once${gzip ? ", compressed" : ""}`, async () => {
    const mount = await mountOf({ "a.txt": "hello", "b.txt": "world" }, gzip);
    const count = await countDigests(async () => {
      for (const name of ["a", "b", "a", "a", "b"]) {
        assertEquals((await get(mount, `/${name}.txt`))?.status, 200);
      }
    });
    assertEquals(count, 2);
  });

  Deno.test(`packagedSource() decodes once for concurrent first requests${gzip ? ", compressed" : ""}`, async () => {
    const mount = await mountOf({ "a.txt": "hello" }, gzip);
    const count = await countDigests(async () => {
      const requests = Array.from({ length: 50 }, () => get(mount, "/a.txt"));
      for (const response of await Promise.all(requests)) {
        assertEquals(await response?.text(), "hello");
      }
    });
    assertEquals(count, 1);
  });
}

Deno.test("packagedSource() answers without a promise once a file is decoded", async () => {
  const mount = await mountOf({ "a.txt": "hello" });
  const request = new Request("http://localhost/a.txt");
  assert(mount.fetch(request) instanceof Promise);
  await mount.fetch(request);
  assert(mount.fetch(request) instanceof Response);
});

Deno.test("packagedSource() serves one package on two mounts", async () => {
  const pkg = await packageOf({ "a.txt": "hello" });
  const [one, two] = ["/one", "/two"].map((prefix) =>
    mountStatic(prefix, { directory: "decoding", package: pkg })
  );
  assert(one !== undefined && two !== undefined);
  const first = await get(one, "/one/a.txt");
  const second = await get(two, "/two/a.txt");
  assertEquals(first?.headers.get("ETag"), second?.headers.get("ETag"));
  assertEquals([await first?.text(), await second?.text()], ["hello", "hello"]);
  assertEquals((await get(one, "/two/a.txt"))?.status, 404);
});

/** Sizes around what is sent in one chunk (64 KiB) and around the chunk size of streams (256 KiB). */
const SIZES = [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 524_288, 3_000_001];

for (const gzip of [false, true]) {
  Deno.test(`packagedSource() sends every size completely over a socket${gzip ? ", compressed" : ""}`, async () => {
    const files = Object.fromEntries(SIZES.map((size) => [`${size}.bin`, noise(size, size)]));
    const mount = await mountOf(files, gzip);
    await withServer(mount.fetch, async (port) => {
      for (const size of [...SIZES, ...SIZES]) {
        const url = `http://127.0.0.1:${port}/${size}.bin`;
        const response = await fetch(url);
        const { headers } = response;
        assertBytes(await bytesOf(response), files[`${size}.bin`], `${size}`);
        assertEquals(headers.get("Content-Length"), String(size), "GET");
        assertEquals(headers.get("Transfer-Encoding"), null, `${size}`);
        const head = await fetch(url, { method: "HEAD" });
        assertEquals(await head.text(), "");
        assertEquals(head.headers.get("Content-Length"), String(size), "HEAD");
        const etag = headers.get("ETag") ?? "";
        const again = await fetch(url, { headers: { "If-None-Match": etag } });
        assertEquals([again.status, await again.text()], [304, ""]);
      }
    });
  });
}

Deno.test("packagedSource() continues after clients that disconnected midway", async () => {
  const files = { "large.bin": noise(2_000_000) };
  const mount = await mountOf(files);
  await withServer(mount.fetch, async (port) => {
    for (let i = 0; i < 20; i++) {
      const response = await fetch(`http://127.0.0.1:${port}/large.bin`);
      await response.body?.cancel();
    }
    const whole = await fetch(`http://127.0.0.1:${port}/large.bin`);
    assertBytes(await bytesOf(whole), files["large.bin"]);
  });
});

/** What a reader between the mount and the client may do to a body's chunks. */
const MODIFIERS: readonly [why: string, modify: (chunk: Uint8Array<ArrayBuffer>) => unknown][] = [
  ["overwrites its chunks", (chunk) => chunk.fill(0)],
  [
    "transfers the buffer of its chunks",
    (chunk) => structuredClone(chunk, { transfer: [chunk.buffer] }),
  ],
];

Deno.test("packagedSource() sends no empty chunks, which streams of bytes reject", async () => {
  for (const size of SIZES.slice(1)) { // the runtime decides about empty files
    const mount = await mountOf({ "a.bin": noise(size) });
    for await (const chunk of (await get(mount, "/a.bin"))?.body ?? []) assert(chunk.length > 0);
  }
});

for (const [why, modify] of MODIFIERS) {
  for (const size of [100, 65_536, 300_000]) {
    Deno.test(`packagedSource() keeps ${size} bytes unchanged if a reader ${why}`, async () => {
      const files = { "a.bin": noise(size) };
      const mount = await mountOf(files);
      for (let i = 0; i < 2; i++) {
        for await (const chunk of (await get(mount, "/a.bin"))?.body ?? []) modify(chunk);
      }
      const buffer = await (await get(mount, "/a.bin"))?.arrayBuffer();
      modify(new Uint8Array(buffer ?? new ArrayBuffer(0)));
      assertBytes(await bytesOf(await get(mount, "/a.bin")), files["a.bin"]);
    });
  }
}

Deno.test("packagedSource() serves the registered package, even if the object changes later", async () => {
  const files = { "a.txt": "hello", "b.txt": "world" };
  const pkg = JSON.parse(JSON.stringify(await packageOf(files)));
  const other = await packageOf({ "a.txt": "something else", "c.txt": "new" });
  const mount = mountStatic("/", { directory: "decoding", package: pkg });
  Object.assign(pkg.entries["a.txt"], other.entries["a.txt"]);
  pkg.entries["c.txt"] = other.entries["c.txt"];
  delete pkg.entries["b.txt"];
  pkg.version = 2;
  for (const [key, text] of Object.entries(files)) {
    const response = await get(mount, `/${key}`);
    assertEquals(response?.headers.get("Content-Length"), String(text.length));
    assertEquals(await response?.text(), text);
  }
  assertEquals((await get(mount, "/c.txt"))?.status, 404);
});

Deno.test("packagedSource() decodes if the runtime has no native base64", async () => {
  const descriptor = Object.getOwnPropertyDescriptor(Uint8Array, "fromBase64");
  assert(descriptor !== undefined);
  const files = { "a.bin": noise(100_001), "b.txt": "b" };
  const pkg = await packageOf(files);
  Reflect.deleteProperty(Uint8Array, "fromBase64");
  try {
    await verifyStaticAssets(pkg);
    const mount = mountStatic("/", { directory: "decoding", package: pkg });
    assertBytes(await bytesOf(await get(mount, "/a.bin")), files["a.bin"]);
  } finally {
    Object.defineProperty(Uint8Array, "fromBase64", descriptor);
  }
});
