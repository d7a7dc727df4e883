/** DESIGN §17: bodies of the routes of authentication have at most 16 KiB, whatever their length is said to be. */

import { assert, assertEquals } from "@std/assert";
import { rawFetch, withServer } from "../../attacks/_raw.ts";
import { assertRefused, assertUntouched, prepared, type Refusal, sendBody } from "./_routes.ts";
import { ADA } from "../_services.ts";

const LIMIT = 16_384;

const TOO_LARGE: Refusal = {
  status: 413,
  code: "payload_too_large",
  detail: "The body exceeds 16384 bytes",
};

/** Credentials of so many bytes. The password is wrong. */
function credentials(size: number): string {
  return JSON.stringify({ ...ADA, password: "babbage built engines" }).padEnd(size);
}

/** A body without a length, in pieces, and how much of it was asked for. */
function pieces(
  size: number,
): { body: ReadableStream<Uint8Array<ArrayBuffer>>; asked: () => number } {
  const bytes = new TextEncoder().encode(credentials(size));
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += 4_096));
    },
  }, { highWaterMark: 0 });
  return { body, asked: () => at };
}

/** How a length can be told: as it is, not at all, or wrong. */
const LENGTHS: readonly (readonly [why: string, length: (size: number) => string | undefined])[] = [
  ["its own Content-Length", String],
  ["no Content-Length", () => undefined],
  ["a Content-Length of 10", () => "10"],
  ["a Content-Length that is no number", () => "x"],
];

for (const [path, taken] of [["/auth/register", 409], ["/auth/login", 401]] as const) {
  for (const [why, length] of LENGTHS) {
    Deno.test(`POST ${path} takes 16 KiB, and not a byte more, with ${why}`, async () => {
      const app = await prepared();
      const { page } = app;
      for (const size of [LIMIT + 1, 20_000, 1_048_576]) {
        const { body, asked } = pieces(size);
        const response = await sendBody(page, path, body, { "Content-Length": length(size) });
        await assertRefused(response, TOO_LARGE);
        assert(asked() <= LIMIT + 4_096, "reading stops");
      }
      await assertUntouched(app);
      const { body } = pieces(LIMIT);
      const most = await sendBody(page, path, body, { "Content-Length": length(LIMIT) });
      assertEquals(most.status, taken);
    });
  }

  Deno.test(`POST ${path} reads nothing of a body whose length is said to be more`, async () => {
    const app = await prepared();
    const { body, asked } = pieces(100);
    const response = await sendBody(app.page, path, body, { "Content-Length": "16385" });
    await assertRefused(response, TOO_LARGE);
    assertEquals(asked(), 0);
    await assertUntouched(app);
  });

  Deno.test(`POST ${path} takes 16 KiB, and not a byte more, over a socket`, async () => {
    const app = await prepared();
    const token = await app.page.token();
    await withServer(app.router.fetch, async (port) => {
      const headers = [
        "Content-Type: application/json",
        "Sec-Fetch-Site: same-origin",
        `X-CSRF-Token: ${token}`,
        `Cookie: ${app.page.jar.field()}`,
      ];
      const send = async (body: string, field: string) => {
        const init = { method: "POST", headers: [...headers, field], body };
        return (await rawFetch(port, path, init)).status;
      };
      const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const [most, more] = [credentials(LIMIT), credentials(LIMIT + 1)];
      assertEquals(await send(more, `Content-Length: ${more.length}`), 413);
      assertEquals(await send(chunked(more), "Transfer-Encoding: chunked"), 413);
      assertEquals(await send(most, `Content-Length: ${most.length}`), taken);
      assertEquals(await send(chunked(most), "Transfer-Encoding: chunked"), taken);
    });
  });
}

Deno.test("POST /auth/logout reads no body", async () => {
  const app = await prepared();
  for (const size of [0, LIMIT + 1, 1_048_576]) {
    const { body, asked } = pieces(size);
    const response = await sendBody(app.page, "/auth/logout", body, { "Content-Type": undefined });
    assertEquals([response.status, asked()], [204, 0]);
  }
});

for (const type of [undefined, "text/plain", "application/json", "multipart/form-data"]) {
  Deno.test(`POST /auth/logout takes anything of the type ${type ?? "that nobody says"}`, async () => {
    const { page } = await prepared();
    for (const body of ["", "{}", "[", '{"__proto__":{}}']) {
      const bytes = new TextEncoder().encode(body);
      const headers = { "Content-Type": type };
      assertEquals((await sendBody(page, "/auth/logout", bytes, headers)).status, 204);
    }
  });
}
