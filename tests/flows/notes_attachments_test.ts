import { assertEquals, assertNotEquals } from "@std/assert";
import {
  countRecords,
  formOf,
  type NotesService,
  type ProblemBody,
  randomBytes,
  withNotes,
} from "../examples/_notes_service.ts";

const MIB = 1024 * 1024;

/** An attachment, as tests read it. */
interface AttachmentBody {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly url: string;
}

async function upload(
  { call }: NotesService,
  id: string,
  ...files: readonly File[]
): Promise<{ response: Response; attachments: readonly AttachmentBody[] }> {
  const response = await call(`/notes/${id}/attachments`, {
    method: "POST",
    body: formOf(...files),
  });
  return { response, attachments: (await response.json()).attachments };
}

/** Why a size is tested, and the size in bytes. */
const SIZES: readonly (readonly [string, number])[] = [
  ["an empty file", 0],
  ["one byte", 1],
  ["exactly one chunk", 45 * 1024],
  ["one byte more than a chunk", 45 * 1024 + 1],
  ["more than the size limit of a value", 64 * 1024 + 1],
  ["a multiple of the chunk size", 10 * 45 * 1024],
  ["more than the size limit of a commit", MIB + 1],
  ["almost the body limit", 10 * MIB - 1000],
];
for (const [why, size] of SIZES) {
  Deno.test(`POST /notes/:id/attachments keeps ${why}, byte for byte`, async () => {
    await withNotes(async (service) => {
      const { id } = await service.create({ title: "a" });
      const bytes = randomBytes(size);
      const { response, attachments: [attachment] } = await upload(
        service,
        id,
        new File([bytes], "a.bin"),
      );
      assertEquals([response.status, attachment?.size], [201, size]);
      assertEquals(response.headers.get("location"), attachment?.url);

      const download = await service.call(attachment?.url ?? "");
      assertEquals(download.headers.get("content-length"), String(size));
      const got = new Uint8Array(await download.arrayBuffer());
      assertEquals(got.length, size);
      assertEquals(await digest(got), await digest(bytes));
    });
  });
}

Deno.test("/notes/:id/attachments supports files from upload to deletion", async () => {
  await withNotes(async (service) => {
    const { call, create, kv } = service;
    const { id } = await create({ title: "a" });
    const path = `/notes/${id}/attachments`;
    assertEquals(await (await call(path)).json(), { attachments: [] });

    const files = [new File(["one"], "1.txt", { type: "text/plain" }), new File(["two"], "2.txt")];
    const { response } = await upload(service, id, ...files);
    assertEquals(response.headers.get("location"), path);
    await upload(service, id, new File([randomBytes(200_000)], "3.bin"));
    const { attachments } = await (await call(path)).json();
    assertEquals(
      attachments.map(({ name, type, size }: AttachmentBody) => [name, type, size]),
      [["1.txt", "text/plain", 3], ["2.txt", "application/octet-stream", 3], [
        "3.bin",
        "application/octet-stream",
        200_000,
      ]],
    );
    assertEquals([await countRecords(kv, "note_chunks"), await countRecords(kv, "note_work")], [
      7,
      0,
    ]);

    const deleted = await call(`${path}/3.bin`, { method: "DELETE" });
    assertEquals([deleted.status, await deleted.text()], [204, ""]);
    assertEquals([await countRecords(kv, "note_chunks"), await countRecords(kv, "note_work")], [
      2,
      0,
    ]);
    for (const method of ["GET", "DELETE"]) {
      const gone = await call(`${path}/3.bin`, { method });
      assertEquals([gone.status, (await gone.json()).code], [404, "no_such_attachment"]);
    }

    const removed = await call(`/notes/${id}`, { method: "DELETE" });
    assertEquals(removed.status, 204);
    const left = await Promise.all(
      ["note_chunks", "note_work", "note_attachments", "notes"].map((collection) =>
        countRecords(kv, collection)
      ),
    );
    assertEquals(left, [0, 0, 0, 0]);
    for (const one of [path, `${path}/1.txt`]) {
      const gone = await call(one);
      assertEquals([gone.status, (await gone.json()).code], [404, "no_such_note"]);
    }
  });
});

/** The name of an uploaded file, and its stored name. */
const NAMES: readonly (readonly [string, string])[] = [
  ["żółw \u{1F422}.txt", "żółw \u{1F422}.txt"],
  ["100%.txt", "100%.txt"],
  ["a%2Fb.txt", "a%2Fb.txt"],
  ["../../etc/passwd", "passwd"],
  ["C:\\temp\\a b.txt", "a b.txt"],
  ["a?b#c&d.txt", "a?b#c&d.txt"],
  ["...", "..."],
  [".env", ".env"],
  ["it's (a) *test*.txt", "it's (a) *test*.txt"],
];
for (const [given, kept] of NAMES) {
  Deno.test(`POST /notes/:id/attachments keeps the name ${JSON.stringify(given)}`, async () => {
    await withNotes(async (service) => {
      const { id } = await service.create({ title: "a" });
      const { attachments: [attachment] } = await upload(service, id, new File(["x"], given));
      assertEquals(attachment?.name, kept);
      const download = await service.call(attachment?.url ?? "");
      assertEquals([download.status, await download.text()], [200, "x"]);
      const [, encoded = ""] = /filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(
        download.headers.get("content-disposition") ?? "",
      ) ?? [];
      assertEquals(decodeURIComponent(encoded), kept);
      const deleted = await service.call(attachment?.url ?? "", { method: "DELETE" });
      assertEquals(deleted.status, 204);
    });
  });
}

/** The type of an upload, and the one that it is served with. */
const TYPES: readonly (readonly [string, string])[] = [
  ["image/png", "image/png"],
  ["TEXT/Plain; charset=utf-8", "text/plain"],
  ["text/html", "application/octet-stream"],
  ["image/svg+xml", "application/octet-stream"],
  ["application/xhtml+xml", "application/octet-stream"],
  ["text/javascript", "application/octet-stream"],
  ["", "application/octet-stream"],
];
for (const [given, served] of TYPES) {
  Deno.test(`GET /notes/:id/attachments/:name serves "${given}" as a harmless download`, async () => {
    await withNotes(async (service) => {
      const { id } = await service.create({ title: "a" });
      const file = new File(["<script>alert(1)</script>"], "a", { type: given });
      const { attachments: [attachment] } = await upload(service, id, file);
      const { headers, body } = await service.call(attachment?.url ?? "");
      await body?.cancel();
      assertEquals([attachment?.type, headers.get("content-type")], [served, served]);
      assertEquals(
        headers.get("content-disposition"),
        `attachment; filename="a"; filename*=UTF-8''a`,
      );
      assertEquals(headers.get("x-content-type-options"), "nosniff");
      assertEquals(headers.get("content-security-policy"), "sandbox; default-src 'none'");
    });
  });
}

/** Why an upload is rejected, its parts, and the pointers of the violations. */
const REFUSED_FORMS:
  readonly (readonly [string, readonly (readonly [string, string | File])[], readonly string[]])[] =
    [
      ["without a part", [], ["/file"]],
      ["with a part of another name", [["file", new File(["x"], "a")], ["note", "b"]], ["/note"]],
      ["with a string in place of a file", [["file", "x"]], ["/file/0"]],
      ["with two files of the same name", [["file", new File(["x"], "a")], [
        "file",
        new File(["x"], "b/a"),
      ]], ["/file/1"]],
      ["with a file named ..", [["file", new File(["x"], "..")]], ["/file/0"]],
      ["with a name of 151 characters", [["file", new File(["x"], "a".repeat(151))]], ["/file/0"]],
      ["with 21 files", Array.from({ length: 21 }, (_, i) => ["file", new File(["x"], `${i}`)]), [
        "/file",
      ]],
    ];
for (const [why, parts, pointers] of REFUSED_FORMS) {
  Deno.test(`POST /notes/:id/attachments rejects a form ${why}`, async () => {
    await withNotes(async ({ call, create, kv }) => {
      const { id } = await create({ title: "a" });
      const body = new FormData();
      for (const [name, value] of parts) body.append(name, value);
      const response = await call(`/notes/${id}/attachments`, { method: "POST", body });
      const problem: ProblemBody = await response.json();
      assertEquals([response.status, problem.code], [422, "validation_failed"]);
      assertEquals(problem.violations?.map(({ pointer }) => pointer), pointers);
      assertEquals(await countRecords(kv, "note_chunks"), 0);
    });
  });
}

/** Why an upload is rejected, its options, and the status and code of the response. */
const REFUSED_UPLOADS: readonly (readonly [string, RequestInit, number, string])[] = [
  [
    "JSON",
    { body: "{}", headers: { "Content-Type": "application/json" } },
    415,
    "unsupported_media_type",
  ],
  ["bytes", { body: randomBytes(10) }, 415, "unsupported_media_type"],
  [
    "a malformed form",
    { body: "hello", headers: { "Content-Type": "multipart/form-data; boundary=x" } },
    400,
    "invalid_form",
  ],
  [
    "more than 10 MiB",
    { body: formOf(new File([new Uint8Array(10 * MIB)], "a")) },
    413,
    "payload_too_large",
  ],
  [
    "more than 10 MiB of unknown length",
    {
      body: new Blob([new Uint8Array(11 * MIB)]).stream(),
      headers: { "Content-Type": "multipart/form-data; boundary=x" },
    },
    413,
    "payload_too_large",
  ],
];
for (const [why, init, status, code] of REFUSED_UPLOADS) {
  Deno.test(`POST /notes/:id/attachments rejects ${why}`, async () => {
    await withNotes(async ({ call, create, kv }) => {
      const { id } = await create({ title: "a" });
      const response = await call(`/notes/${id}/attachments`, { method: "POST", ...init });
      const problem: ProblemBody = await response.json();
      assertEquals([response.status, problem.code], [status, code]);
      assertEquals(await countRecords(kv, "note_chunks"), 0);
    });
  });
}

Deno.test("POST /notes/:id/attachments rejects an unknown note before it reads the body", async () => {
  await withNotes(async ({ call }) => {
    const response = await call("/notes/7/attachments", {
      method: "POST",
      body: "not even a form",
    });
    assertEquals([response.status, (await response.json()).code], [404, "no_such_note"]);
  });
});

Deno.test("POST /notes/:id/attachments rejects a duplicate file name, and keeps the first file", async () => {
  await withNotes(async (service) => {
    const { id } = await service.create({ title: "a" });
    await upload(service, id, new File(["old"], "a.txt"));
    const { response } = await upload(
      service,
      id,
      new File(["b"], "b.txt"),
      new File(["new"], "a.txt"),
    );
    assertEquals(response.status, 409);
    const { attachments } = await (await service.call(`/notes/${id}/attachments`)).json();
    assertEquals(attachments.map(({ name }: AttachmentBody) => name), ["a.txt"]);
    assertEquals(await (await service.call(attachments[0].url)).text(), "old");
    assertEquals([
      await countRecords(service.kv, "note_chunks"),
      await countRecords(service.kv, "note_work"),
    ], [1, 0]);
  });
});

Deno.test("POST /notes/:id/attachments rejects the 51st attachment", async () => {
  await withNotes(async (service) => {
    const { id } = await service.create({ title: "a" });
    for (const count of [20, 20, 10]) {
      const files = Array.from({ length: count }, () => new File(["x"], crypto.randomUUID()));
      assertEquals((await upload(service, id, ...files)).response.status, 201);
    }
    const { response } = await upload(service, id, new File(["x"], "last"));
    assertEquals(response.status, 409);
    const deleted = await service.call(`/notes/${id}`, { method: "DELETE" });
    assertEquals([deleted.status, await countRecords(service.kv, "note_chunks")], [204, 0]);
  });
});

Deno.test("POST /notes/:id/attachments keeps all of many concurrent uploads", async () => {
  await withNotes(async (service) => {
    const { id } = await service.create({ title: "a" });
    const names = Array.from({ length: 8 }, (_, i) => `${i}.bin`);
    const outcomes = await Promise.all(
      names.map((name) => upload(service, id, new File([randomBytes(100_000)], name))),
    );
    assertEquals(outcomes.map(({ response }) => response.status), names.map(() => 201));
    const { attachments } = await (await service.call(`/notes/${id}/attachments`)).json();
    assertEquals(attachments.map(({ name }: AttachmentBody) => name).sort(), names);
  });
});

Deno.test("POST /notes/:id/attachments does not change the note's ETag", async () => {
  await withNotes(async (service) => {
    const { id } = await service.create({ title: "a" });
    const before = await service.call(`/notes/${id}`, { method: "HEAD" });
    await upload(service, id, new File(["x"], "a"));
    const after = await service.call(`/notes/${id}`, { method: "HEAD" });
    assertNotEquals(after.headers.get("etag"), null);
    assertEquals(after.headers.get("etag"), before.headers.get("etag"));
  });
});

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
