/** The page of an error. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ENGLISH } from "../../../auth/server/core/page_strings.ts";
import { errorPage, type ErrorPageStatus } from "../../../auth/server/core/pages.ts";
import { assertPageHeaders, elements, escaped, GERMAN, HOSTILE, visibleText } from "./_pages.ts";

const STATUSES: readonly ErrorPageStatus[] = [400, 403, 404, 429, 500, 503];

for (const status of STATUSES) {
  Deno.test(`errorPage() responds with status ${status} and the header fields that protect it`, async () => {
    const response = errorPage("client_unknown", ENGLISH, status);
    assertEquals(response.status, status);
    await assertPageHeaders(response, "; form-action 'none'");
  });
}

Deno.test("errorPage() shows the texts and the reason, and nothing else", async () => {
  assertEquals(
    visibleText(await errorPage("redirect_uri_mismatch", ENGLISH, 400).text()),
    "Something went wrong Your request could not be completed. " +
      "Go back to the application that sent you here and try again. redirect_uri_mismatch",
  );
});

Deno.test("errorPage() speaks German", async () => {
  const page = await errorPage("client_unknown", GERMAN, 400).text();
  assertStringIncludes(page, '<html lang="de" dir="auto">');
  assertStringIncludes(page, "<title>Etwas ist schiefgegangen</title>");
  assertEquals(
    visibleText(page),
    "Etwas ist schiefgegangen Ihre Anfrage konnte nicht bearbeitet werden. client_unknown",
  );
});

Deno.test("errorPage() escapes reason and texts, and has no script", async () => {
  const harmless = elements(await errorPage("a", ENGLISH, 400).text());
  assertEquals(harmless.includes("script"), false);
  for (const text of HOSTILE) {
    const strings = { ...ENGLISH, errorTitle: text, error: text };
    const page = await errorPage(text, strings, 400).text();
    assertEquals(elements(page), harmless);
    assertEquals(page.split(escaped(text)).length - 1, 4); // the title occurs in the head too
  }
});

Deno.test("errorPage() takes more header fields, which replace none of its own", () => {
  const { headers } = errorPage("temporarily_unavailable", ENGLISH, 429, {
    "Retry-After": "30",
    "Cache-Control": "public",
    "content-security-policy": "default-src *",
  });
  assertEquals(headers.get("Retry-After"), "30");
  assertEquals(headers.get("Cache-Control"), "no-store");
  assertEquals(headers.get("Content-Security-Policy")?.includes("*"), false);
});
