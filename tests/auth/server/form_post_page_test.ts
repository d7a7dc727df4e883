/** The page that returns to the client by a form: attack AS5. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ENGLISH } from "../../../auth/server/core/page_strings.ts";
import { formPostPage } from "../../../auth/server/authorize/_form_post_page.ts";
import {
  assertPageHeaders,
  elements,
  escaped,
  GERMAN,
  HOSTILE,
  sourceHash,
  visibleText,
} from "./_pages.ts";

const REDIRECT_URI = "https://client.example/callback?a=1&b=2";

Deno.test("formPostPage() posts the parameters to the redirect URI", async () => {
  const parameters = { code: "abc", state: "x&y", iss: "https://as.example" };
  const page = await formPostPage(REDIRECT_URI, parameters, ENGLISH).text();
  const tags = [...page.matchAll(/<(?:form|input)\b[^>]*>/g)].map(([tag]) => tag);
  assertEquals(tags, [
    '<form method="post" action="https://client.example/callback?a=1&amp;b=2">',
    '<input type="hidden" name="code" value="abc">',
    '<input type="hidden" name="state" value="x&amp;y">',
    '<input type="hidden" name="iss" value="https://as.example">',
  ]);
  assertStringIncludes(page, "<script>document.forms[0].submit()</script>");
});

Deno.test("formPostPage() allows its one script by the hash, and no form-action", async () => {
  const response = formPostPage(REDIRECT_URI, { code: "abc" }, ENGLISH);
  assertEquals(response.status, 200);
  const script = await sourceHash(await response.clone().text(), "script");
  await assertPageHeaders(response, `; script-src '${script}'`);
});

Deno.test("formPostPage() has the same script whatever the parameters are", async () => {
  const plain = await formPostPage(REDIRECT_URI, {}, ENGLISH).text();
  const hostile = await formPostPage(REDIRECT_URI, { state: HOSTILE.join("") }, GERMAN).text();
  assertEquals(await sourceHash(plain, "script"), await sourceHash(hostile, "script"));
});

Deno.test("formPostPage() escapes addresses, names, values and texts", async () => {
  const harmless = elements(await formPostPage(REDIRECT_URI, { a: "b" }, ENGLISH).text());
  for (const text of HOSTILE) {
    const strings = { ...ENGLISH, lang: text, continue: text, redirect: text };
    const page = await formPostPage(`${REDIRECT_URI}#${text}`, { [text]: text }, strings).text();
    assertEquals(
      elements(page).filter((name) => name !== "strong"),
      harmless.filter((name) => name !== "strong"),
    );
    assertStringIncludes(page, `name="${escaped(text)}" value="${escaped(text)}"`);
    assertStringIncludes(page, `action="${escaped(`${REDIRECT_URI}#${text}`)}"`);
    assertStringIncludes(page, `<button>${escaped(text)}</button>`);
  }
});

Deno.test("formPostPage() shows the host and a button where scripts are disabled", async () => {
  const page = await formPostPage(REDIRECT_URI, { code: "abc" }, GERMAN).text();
  const [, shown = ""] = /<noscript>([^]*)<\/noscript>/.exec(page) ?? [];
  assertEquals(visibleText(shown), "Weiter Sie werden zu client.example weitergeleitet Weiter");
  assertEquals(visibleText(page.replace(shown, "")), "");
  assertStringIncludes(page, '<html lang="de" dir="auto">');
});

const REFUSED: readonly (readonly [why: string, redirectUri: string])[] = [
  ["javascript:", "javascript:alert(1)"],
  ["data:", "data:text/html,<script>alert(1)</script>"],
  ["the scheme of a native application", "com.example.notes:/callback"],
];

for (const [why, redirectUri] of REFUSED) {
  Deno.test(`formPostPage() throws RangeError for ${why}`, () => {
    assertThrows(() => formPostPage(redirectUri, { code: "abc" }, ENGLISH), RangeError);
  });
}
