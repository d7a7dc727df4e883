/** The pages about accounts of the notes service, as they come from it: mail, second factors, the end of an account. */

import { inMemoryAuthStores, pbkdf2Hasher, totpCode } from "@gatehouse/http/auth";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { memoryAdapter } from "../../auth/stores/memory.ts";
import { createApp } from "../../examples/notes/app.ts";
import { LIVE_ASSETS } from "../../examples/notes/assets.ts";
import { createOutbox } from "../../examples/notes/outbox.ts";
import { isLocalOrigin } from "../../examples/notes/settings.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { type Client, withNotes } from "./_notes_service.ts";

/** Pages, for whom they are, their heading, and what other pages are told of their address. */
const PAGES: readonly (readonly [
  path: string,
  signedIn: boolean,
  heading: string,
  referrerPolicy: "same-origin" | "no-referrer",
])[] = [
  ["/forgot", false, "Forgot your password?", "same-origin"],
  ["/reset?token=x", false, "New password", "no-referrer"],
  ["/verify?token=x", true, "Verify your address", "no-referrer"],
  ["/verify", true, "Look at your mail", "same-origin"],
  ["/sign-in/link?token=x", false, "Sign in by a link", "no-referrer"],
  ["/sign-in/link", false, "Look at your mail", "same-origin"],
  ["/sign-in/code", false, "Enter the code", "same-origin"],
  ["/outbox", false, "Outbox", "no-referrer"],
  ["/security", true, "Security", "same-origin"],
  ["/security/delete", true, "Delete your account?", "same-origin"],
];

Deno.test("Pages about accounts have no inline script, names on their fields, and keep tokens to themselves", async () => {
  await withNotes(async ({ page, stranger }) => {
    for (const [path, signedIn, heading, referrerPolicy] of PAGES) {
      const response = await (signedIn ? page : stranger().page)(path);
      const text = await response.text();
      assertEquals([response.status, response.headers.get("referrer-policy")], [
        200,
        referrerPolicy,
      ], path);
      assertStringIncludes(text, `<h1>${heading}</h1>`);
      assertEquals(text.match(/<script[^>]*>(?!\s*<\/script>)|<style|\s(?:style|on\w+)=/g), null);
      assertMatch(
        response.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; script-src 'self'; /,
      );
      for (const [field] of text.matchAll(/<input[^>]*>/g)) {
        const [, id = ""] = /\sid="([^"]+)"/.exec(field) ?? [];
        const isInLabel = new RegExp(`<label[^>]*><input\\s+id="${id}"`).test(text);
        assertEquals(isInLabel || text.includes(`<label for="${id}">`), true, field);
      }
    }
  });
});

Deno.test("Pages for users ask to sign in first, and come back with the token", async () => {
  await withNotes(async ({ stranger }) => {
    for (
      const [path, target] of [
        ["/security", "/sign-in?next=%2Fsecurity"],
        ["/security/delete", "/sign-in?next=%2Fsecurity%2Fdelete"],
        ["/verify?token=x", "/sign-in?next=%2Fverify%3Ftoken%3Dx"],
        ["/step-up?next=/security", "/sign-in?next=%2Fstep-up%3Fnext%3D%2Fsecurity"],
        ["/second-factor?next=/sessions", "/sign-in?next=%2Fsessions"],
        ["/sign-in?error=mfa_required&next=/sessions", "/second-factor?next=%2Fsessions"],
      ] as const
    ) {
      const response = await stranger().page(path);
      await response.body?.cancel();
      assertEquals([response.status, response.headers.get("location")], [303, target], path);
    }
  });
});

Deno.test("/outbox shows messages as text, newest first, and keeps 50", async () => {
  let now = 1_700_000_000;
  const outbox = createOutbox("http://localhost:8000", () => now++);
  for (let i = 0; i < 60; i++) {
    await outbox?.deliver({ kind: "sign_in_code", to: `${i}@x`, code: "1" });
  }
  const messages = outbox?.list() ?? [];
  assertEquals([messages.length, messages[0]?.to, messages.at(-1)?.to], [50, "59@x", "10@x"]);

  await withNotes(async ({ stranger, outbox }) => {
    await outbox.deliver({ kind: "email_changed", to: '"<img src=x>"@example.org' });
    await outbox.deliver({ kind: "reset_password", to: "a@b", url: 'http://x/?a=1&b="' });
    const response = await stranger().page("/outbox");
    const page = await response.text();
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertEquals([...page.matchAll(/data-kind="(\w+)"/g)].map(([, kind]) => kind), [
      "reset_password",
      "email_changed",
    ]);
    assertStringIncludes(page, "&quot;&lt;img src=x&gt;&quot;@example.org");
    assertStringIncludes(page, 'href="http://x/?a=1&amp;b=&quot;"');
    assertEquals(page.includes("<img"), false);
  });
});

/** Origins, and whether they are of this machine. */
const ORIGINS: readonly (readonly [origin: string, isLocal: boolean])[] = [
  ["http://localhost:8000", true],
  ["https://notes.localhost", true],
  ["https://notes.example.com", false],
  ["https://localhost.example.com", false],
  ["https://notlocalhost", false],
  ["nonsense", false],
];
for (const [origin, isLocal] of ORIGINS) {
  Deno.test(`createOutbox() creates ${isLocal ? "an" : "no"} outbox at ${origin}`, () => {
    assertEquals(isLocalOrigin(origin), isLocal);
    assertEquals(createOutbox(origin, () => 0) !== undefined, isLocal);
  });
}

Deno.test("/outbox is shown under names of this machine alone", async () => {
  await withNotes(async ({ port }) => {
    for (
      const [host, status] of [
        ["localhost", 200],
        ["127.0.0.1", 200],
        ["notes.localhost", 200],
        ["evil.example", 404],
        ["localhost.evil.example", 404],
        ["127.0.0.1.evil.example", 404],
      ] as const
    ) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const head = `GET /outbox HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(head));
      assertStringIncludes(await new Response(connection.readable).text(), `HTTP/1.1 ${status} `);
    }
  });
});

Deno.test("A public service has no outbox, and nothing that needs mail", async () => {
  const origin = "https://notes.example.com";
  const app = createApp({
    store: recordNoteStore(memoryAdapter()),
    stores: inMemoryAuthStores(),
    origin,
    secret: "a secret that only the tests know, kept",
    assets: LIVE_ASSETS,
    outbox: createOutbox(origin, () => 0),
    hasher: pbkdf2Hasher({ iterations: 1_000 }),
  });
  const info = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 } } as const;
  for (
    const path of ["/outbox", "/forgot", "/reset", "/verify", "/sign-in/link", "/sign-in/code"]
  ) {
    const { status, body } = await app.fetch(new Request(origin + path), info as never);
    await body?.cancel();
    assertEquals(status, 404, path);
  }
  const signIn = await (await app.fetch(new Request(`${origin}/sign-in`), info as never)).text();
  assertEquals(signIn.includes("/forgot") || signIn.includes("Send me"), false);
});

/** Sets up an authenticator for a client. @returns Creates a code. */
async function enrol({ send }: Client): Promise<(seconds: number) => Promise<string>> {
  const started = await send("POST", "/auth/second-factors/totp/start", {});
  const { secret } = await started.json();
  const codeIn = (seconds: number) => totpCode(secret, Date.now() / 1000 + seconds);
  const confirmed = await send("POST", "/auth/second-factors/totp/confirm", {
    code: await codeIn(0),
  });
  assertEquals((await confirmed.json()).recoveryCodes.length, 10);
  return codeIn;
}

Deno.test("DELETE /account deletes the account with its notes, and nothing else", async () => {
  await withNotes(async ({ call, create, page, user, stranger, cookies }) => {
    const bob = await user("bob");
    const kept = await bob.create({ title: "Bob's" });
    const { id } = await create({ title: "Ada's" });
    const gone = await call("/account", { method: "DELETE" });
    assertEquals([gone.status, await gone.text()], [204, ""]);
    assertEquals(cookies.has("__Host-sid"), false);
    const refused = await page("/security");
    await refused.body?.cancel();
    assertEquals(refused.status, 303);
    const again = await stranger().enter("login", "ada");
    assertEquals([again.status, (await again.json()).code], [401, "invalid_credentials"]);
    const found = await bob.call(`/notes/${id}`);
    assertEquals([found.status, (await found.json()).code], [404, "no_such_note"]);
    assertEquals((await (await bob.call(`/notes/${kept.id}`)).json()).title, "Bob's");
  });
});

Deno.test("DELETE /account needs a recent sign-in, and the second factor of who has one", async () => {
  let waitedMs = 0;
  await withNotes(async (service) => {
    const { call, page, send } = service;
    const remove = async () => {
      const response = await call("/account", { method: "DELETE" });
      return response.status === 204 ? 204 : (await response.json()).code;
    };
    const targetOf = async (path: string) => {
      const { headers, body } = await page(path);
      await body?.cancel();
      return headers.get("location");
    };
    const codeIn = await enrol(service);
    assertEquals(await remove(), "insufficient_authentication");
    assertEquals(await targetOf("/security/delete"), "/step-up?next=%2Fsecurity%2Fdelete");
    const stepUp = await page("/step-up?next=/security/delete");
    assertStringIncludes(await stepUp.text(), 'data-next="/security/delete"');
    const both = await send("POST", "/auth/step-up", { totp: await codeIn(30) });
    const { csrfToken } = await both.json();
    assertEquals(await targetOf("/step-up?next=/security/delete"), "/security/delete");
    waitedMs = 301_000;
    const headers = { "X-CSRF-Token": csrfToken };
    const late = await call("/account", { method: "DELETE", headers });
    assertEquals((await late.json()).code, "insufficient_authentication");
    waitedMs = 0;
    const gone = await call("/account", { method: "DELETE", headers });
    await gone.body?.cancel();
    assertEquals(gone.status, 204);
  }, { nowMs: () => Date.now() + waitedMs });
});

Deno.test("DELETE /account is for people in a session of theirs", async () => {
  await withNotes(async ({ call, send, stranger, page }) => {
    const made = await send("POST", "/api-keys", { name: "k", scope: ["notes:write"] });
    const { key } = await made.json();
    const program = await stranger().call("/account", {
      method: "DELETE",
      headers: { "X-API-Key": key },
    });
    await program.body?.cancel();
    assertEquals(program.status >= 401 && program.status <= 403, true);
    const forged = await call("/account", {
      method: "DELETE",
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    assertEquals((await forged.json()).code, "csrf_failed");
    assertEquals((await page("/security").then((page) => page.text())).includes("ada"), true);
  });
});

Deno.test("/security shows the address and the authenticator, and / what is not verified", async () => {
  await withNotes(async ({ user, outbox, stranger, page }) => {
    assertStringIncludes(await (await page("/security")).text(), "You have none.");
    const grace = await user("grace@example.org");
    assertStringIncludes(await (await grace.page("/")).text(), "Verify <strong>grace@example.org");
    assertStringIncludes(await (await grace.page("/security")).text(), "Not verified");
    await enrol(grace);
    assertStringIncludes(
      await (await grace.page("/security")).text(),
      "10 recovery codes are left.",
    );
    assertEquals(outbox.list()[0]?.kind, "verify_email");
    const script = await stranger().call("/scripts/uqr.js");
    assertMatch(await script.text(), /export \{[^}]*\brenderSVG\b/);
    assertEquals(script.headers.get("content-type"), "text/javascript; charset=utf-8");
  });
});
