import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { withNotes } from "../examples/_notes_service.ts";

Deno.test("/ shows the notes as escaped HTML", async () => {
  await withNotes(async ({ call, create }) => {
    const title = `<script>alert("1")</script>`;
    const note = await create({
      title,
      text: "</p><img src=x onerror='alert(2)'>",
      tags: ["<b>&amp;"],
    });
    const response = await call("/");
    const page = await response.text();
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
    assertMatch(
      response.headers.get("content-security-policy") ?? "",
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    assertEquals(response.headers.get("x-content-type-options"), "nosniff");
    assertStringIncludes(
      page,
      `<a href="/notes/${note.id}">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</a>`,
    );
    assertStringIncludes(page, "<p>&lt;/p&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;</p>");
    assertStringIncludes(page, "&lt;b&gt;&amp;amp;");
    assertEquals(page.match(/<script[^>]*>/g), [
      '<script type="module" src="/assets/sign_out.js">',
      '<script type="module" src="/assets/notes.js">',
    ]);
    assertEquals(page.includes("<img"), false);
    const elsewhere = [...page.matchAll(/(?:src|href|action)="(?!\/)[^"]*"/g)].map(String);
    assertEquals(elsewhere, ['href="data:,"', 'href="#main"']); // no icon, and this page
  });
});

Deno.test("/ lists the routes, and has a style sheet and a script", async () => {
  await withNotes(async ({ call }) => {
    const page = await (await call("/")).text();
    for (const route of ["GET /notes", "PATCH /notes/:id", "DELETE /notes/:id/attachments/:name"]) {
      assertStringIncludes(page, `<code>${route}</code>`);
    }
    for (
      const [reference, type] of [
        [/<link rel="stylesheet" href="([^"]+)">/, "text/css"],
        [/<script type="module" src="([^"]+)">/, "text/javascript"],
      ] as const
    ) {
      const file = await call(reference.exec(page)?.[1] ?? "");
      assertEquals([file.status, file.headers.get("content-type")], [
        200,
        `${type}; charset=utf-8`,
      ]);
      await file.body?.cancel();
    }
  });
});

Deno.test("/ searches with its form and paginates with its links", async () => {
  await withNotes(async ({ call, create }) => {
    for (let i = 0; i < 21; i++) await create({ title: `needle "${i}"` });
    await create({ title: "hay" });
    const first = await (await call(`/?q=${encodeURIComponent(`needle "`)}`)).text();
    assertStringIncludes(
      first,
      `<input id="q" name="q" type="search" maxlength="200" value="needle &quot;">`,
    );
    assertEquals([first.match(/<article>/g)?.length, first.includes("hay")], [20, false]);
    const older = /<a href="(\/\?q=[^"]+)">Older notes<\/a>/.exec(first)?.[1] ?? "";
    const second = await (await call(older.replaceAll("&amp;", "&"))).text();
    assertEquals(second.match(/<article>/g)?.length, 1);
    assertStringIncludes(second, "needle &quot;0&quot;");
    assertStringIncludes(second, "Newest notes");
  });
});

Deno.test("/ ignores an invalid query", async () => {
  await withNotes(async ({ call, create }) => {
    await create({ title: "a" });
    for (const query of ["cursor=nonsense", "q=a&q=b", "utm=1", "q=", "q=%"]) {
      const response = await call(`/?${query}`);
      assertEquals(response.status, 200, query);
      await response.body?.cancel();
    }
  });
});

/** A `Host` field, and the status of the response. */
const HOSTS: readonly (readonly [string, number])[] = [
  ["notes.example:81", 200],
  ["[::1]:81", 200],
  ["a b", 400],
  ['"><script>', 400],
  ["$(id)", 400],
];
for (const [host, status] of HOSTS) {
  Deno.test(`/ does not reflect the Host header ${JSON.stringify(host)}`, async () => {
    await withNotes(async ({ port }) => {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const head =
        `GET / HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(head));
      const answer = await new Response(connection.readable).text();
      assertStringIncludes(answer, `HTTP/1.1 ${status} `);
      assertEquals(answer.includes(host), false);
    });
  });
}

Deno.test("/ shows an introduction without a session, and no notes", async () => {
  await withNotes(async ({ create, stranger }) => {
    await create({ title: "secret of ada" });
    const response = await stranger().page("/");
    const page = await response.text();
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("set-cookie"), null);
    for (const link of ['href="/register"', 'href="/sign-in"', 'href="/docs"']) {
      assertStringIncludes(page, link);
    }
    assertEquals([page.includes("secret of ada"), page.includes("<script")], [false, false]);
  });
});

Deno.test("/ shows the signed-in user, escaped, and sends no-store", async () => {
  await withNotes(async ({ user }) => {
    const client = await user("o'hara&co@example.org");
    const response = await client.page("/");
    assertStringIncludes(
      await response.text(),
      "Signed in as <strong>o&#39;hara&amp;co@example.org</strong>",
    );
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertMatch(response.headers.get("vary") ?? "", /\bCookie\b/);
  });
});

Deno.test("/ creates sample notes once for every user", async () => {
  await withNotes(async (service) => {
    const titles = async () => (await (await service.page("/")).text()).match(/<article>/g)?.length;
    assertEquals([await titles(), await titles()], [5, 5]);
    const { notes } = await (await service.call("/notes")).json();
    for (const { id } of notes) await service.call(`/notes/${id}`, { method: "DELETE" });
    assertEquals(await titles(), undefined);
    const other = await service.user("bob");
    assertEquals((await (await other.call("/notes")).json()).notes.length, 5);
  }, { seeds: true });
});

/** Pages, whether they require a session, and the forms on each. */
const PAGES: readonly (readonly [path: string, signedIn: boolean, forms: readonly string[]])[] = [
  ["/", true, ["/auth/logout", "/", "/notes"]],
  ["/passkeys", true, ["/auth/logout", "/auth/webauthn/register/options"]],
  ["/sessions", true, ["/auth/logout"]],
  ["/developer", true, ["/auth/logout", "/api-keys"]],
  ["/register", false, ["/auth/register"]],
  ["/sign-in", false, ["/auth/login"]],
  ["/", false, []],
];
for (const [path, signedIn, forms] of PAGES) {
  Deno.test(`${path} is responsive and usable with a keyboard, signed ${signedIn ? "in" : "out"}`, async () => {
    await withNotes(async ({ page, stranger, call }) => {
      const response = await (signedIn ? page : stranger().page)(path);
      const text = await response.text();
      assertEquals(response.status, 200);
      assertMatch(text, /<!DOCTYPE html>\s*<html lang="en">/);
      assertMatch(text, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
      assertEquals(text.match(/<h1>/g)?.length, 1);
      assertMatch(
        response.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'$/,
      );
      assertEquals(text.match(/<script[^>]*>(?!\s*<\/script>)|<style|\s(?:style|on\w+)=/g), null);
      assertEquals(
        [...text.matchAll(/<form[^>]*\saction="([^"]*)"/g)].map(([, to = ""]) => to),
        forms,
      );
      for (const [, file = ""] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
        const asset = await call(file);
        assertEquals(asset.status, 200, file);
        await asset.body?.cancel();
      }
      for (const [field] of text.matchAll(/<(?:input|select|textarea)[^>]*>/g)) {
        const [, id = ""] = /\sid="([^"]+)"/.exec(field) ?? [];
        const isInLabel = new RegExp(`<label[^>]*><input id="${id}"`).test(text);
        assertEquals(isInLabel || text.includes(`<label for="${id}">`), true, field);
      }
    });
  });
}

/** Pages with a password, and the autocomplete values of the fields. */
const AUTOCOMPLETE = [
  ["/register", "username", "new-password"],
  ["/sign-in", "username webauthn", "current-password"],
] as const;
for (const [path, name, kind] of AUTOCOMPLETE) {
  Deno.test(`${path} has a form for password managers, which does not send passwords in a URL without scripts`, async () => {
    await withNotes(async ({ stranger }) => {
      const text = await (await stranger().page(path)).text();
      assertMatch(text, /<form id="account"[^>]* method="post"/);
      assertMatch(text, new RegExp(`<input id="identifier"[^>]* autocomplete="${name}"`));
      assertMatch(text, new RegExp(`<input id="password"[^>]* autocomplete="${kind}"`));
      assertMatch(text, /<p class="message" role="alert" tabindex="-1"><\/p>/);
      assertEquals(text.match(/<button(?![^>]*\sdisabled[\s>])/), null);
      assertMatch(text, /<noscript>[^]*JavaScript[^]*<\/noscript>/);
    });
  });
}
