import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PASSWORD, withNotes } from "../examples/_notes_service.ts";

/** Targets after signing in, and where the page redirects. */
const NEXT: readonly (readonly [why: string, next: string, target: string])[] = [
  ["a page", "/sessions", "/sessions"],
  ["a search", "/?q=a+b", "/?q=a+b"],
  ["a search for an address", "/?q=http%3A%2F%2Fx", "/?q=http%3A%2F%2Fx"],
  ["non-ASCII letters", "/ż?q=ż", "/%C5%BC?q=%C5%BC"],
  ["dot segments, resolved", "/a/../sessions", "/sessions"],
  ["markup", '/?q="><script>', "/?q=%22%3E%3Cscript%3E"],
  ["an empty target", "", "/"],
  ["another site", "https://evil.example/", "/"],
  ["another site without slashes", "https:evil.example", "/"],
  ["a host after two slashes", "//evil.example", "/"],
  ["three slashes", "///evil.example", "/"],
  ["two slashes after a dot segment", "/.//evil.example", "/"],
  ["a backslash", "/\\evil.example", "/"],
  ["a backslash before", "\\/evil.example", "/"],
  ["an encoded backslash", "/%5cevil.example", "/"],
  ["an encoded slash", "/%2fevil.example", "/"],
  ["a tab, which browsers remove", "/\t/evil.example", "/"],
  ["an encoded tab", "/%09/evil.example", "/"],
  ["a line feed", "/\n/evil.example", "/"],
  ["an injected header field", "/\r\nSet-Cookie: a=b", "/"],
  ["a NUL", "/%00", "/"],
  ["a script", "javascript:alert(1)", "/"],
  ["data", "data:text/html,x", "/"],
  ["a path without a slash", "sessions", "/"],
  ["a space before", " /sessions", "/"],
  ["a malformed escape", "/%zz", "/"],
  ["3 KiB", `/${"a".repeat(3072)}`, "/"],
];
for (const [why, next, target] of NEXT) {
  Deno.test(`/sign-in continues to ${target} for ${why}`, async () => {
    await withNotes(async ({ page, stranger }) => {
      const path = `/sign-in?${new URLSearchParams({ next })}`;
      const text = await (await stranger().page(path)).text();
      const escaped = target.replaceAll("&", "&amp;");
      assertStringIncludes(text, `data-next="${escaped}"`);
      const signedIn = await page(path);
      assertEquals([signedIn.status, signedIn.headers.get("location")], [303, target]);
      await signedIn.body?.cancel();
    });
  });
}

Deno.test("/sign-in ignores an invalid query", async () => {
  await withNotes(async ({ stranger }) => {
    for (const query of ["next=/a&next=/b", "next", "ended=2", "__proto__=x"]) {
      const response = await stranger().page(`/sign-in?${query}`);
      assertEquals(response.status, 200);
      assertStringIncludes(await response.text(), 'data-next="/"');
    }
  });
});

/** Pages that require a session, and the redirects without one. */
const ASKED: readonly (readonly [path: string, target: string])[] = [
  ["/sessions", "/sign-in?next=%2Fsessions"],
  ["/developer", "/sign-in?next=%2Fdeveloper"],
  ["/notes", "/sign-in?next=%2Fnotes"],
  ["/notes?q=a%20b&limit=1", "/sign-in?next=%2Fnotes%3Fq%3Da%2520b%26limit%3D1"],
  ["/notes/7", "/sign-in?next=%2Fnotes%2F7"],
];
for (const [path, target] of ASKED) {
  Deno.test(`${path} redirects browsers to the sign-in page, and responds 401 to API clients`, async () => {
    await withNotes(async ({ stranger }) => {
      const { call, page } = stranger();
      const sent = await page(path);
      assertEquals([sent.status, sent.headers.get("location")], [303, target]);
      assertEquals([await sent.text(), sent.headers.get("cache-control")], ["", "no-store"]);
      for (const headers of [{}, { Accept: "*/*" }, { Accept: "application/json" }]) {
        const refused = await call(path, { headers });
        assertEquals(
          refused.headers.get("www-authenticate"),
          'ApiKey, Bearer realm="api", Session',
        );
        assertEquals([refused.status, (await refused.json()).code], [401, "unauthenticated"]);
      }
    });
  });
}

Deno.test("/notes does not redirect unsafe requests", async () => {
  await withNotes(async ({ stranger }) => {
    const headers = { Accept: "text/html" };
    const refused = await stranger().send("POST", "/notes", { title: "a" }, headers);
    assertEquals([refused.status, (await refused.json()).code], [401, "unauthenticated"]);
  });
});

Deno.test("/ shows that the session has expired, and clears the cookie", async () => {
  await withNotes(async (service) => {
    const sid = service.cookies.get("__Host-sid") ?? "";
    await (await service.send("POST", "/auth/logout", {})).body?.cancel();
    const Cookie = `__Host-sid=${sid}`;
    const sent = await service.page("/?q=a", { Cookie });
    assertEquals(
      [sent.status, sent.headers.get("location")],
      [303, "/sign-in?next=%2F%3Fq%3Da&ended=1"],
    );
    await sent.body?.cancel();
    assertMatch(sent.headers.get("set-cookie") ?? "", /^__Host-sid=; .*Expires=Thu, 01 Jan 1970 /);
    const page = await service.page(sent.headers.get("location") ?? "");
    assertStringIncludes(await page.text(), "Your session has ended");

    // A browser that keeps the cookie anyway is not in a redirect loop
    for (const path of ["/sign-in?next=/sessions", "/register?next=/sessions"]) {
      const again = await service.page(path, { Cookie });
      assertEquals(again.status, 200);
      assertStringIncludes(await again.text(), 'data-next="/sessions"');
    }
    const program = await service.call("/notes", { headers: { Cookie } });
    assertEquals([program.status, (await program.json()).code], [401, "session_expired"]);
  });
});

/** Other errors, the status, and the heading of the page. */
const REFUSED: readonly (readonly [path: string, status: number, heading: string])[] = [
  ["/nothing", 404, "There is nothing here"],
  ["/notes/0000000000000000000000000", 404, "There is nothing here"],
  ["/assets/nothing.css", 404, "There is nothing here"],
  ["/auth/login", 405, "This is no page"],
  ["/notes?limit=0", 422, "This does not work"],
];
for (const [path, status, heading] of REFUSED) {
  Deno.test(`${path} responds with a page to browsers, and with a problem to API clients`, async () => {
    await withNotes(async ({ call, page }) => {
      const response = await page(path);
      assertEquals([response.status, response.headers.get("content-type")], [
        status,
        "text/html; charset=utf-8",
      ]);
      assertMatch(response.headers.get("vary") ?? "", /\bAccept\b/);
      assertStringIncludes(await response.text(), `<h1>${heading}</h1>`);
      const problem = await call(path);
      assertEquals([problem.status, (await problem.json()).status], [status, status]);
      assertEquals(problem.headers.get("content-type"), "application/problem+json");
    });
  });
}

Deno.test("/sign-in and /register ignore a name and password in the query", async () => {
  await withNotes(async ({ stranger, events }) => {
    const before = events.length;
    const query = new URLSearchParams({ identifier: "ada", password: PASSWORD });
    for (const path of ["/sign-in", "/register", "/auth/login"]) {
      const { status, headers, body } = await stranger().page(`${path}?${query}`);
      await body?.cancel();
      assertEquals([status === 200 || status === 405, headers.get("set-cookie")], [true, null]);
    }
    assertEquals(events.slice(before), []);
  });
});
