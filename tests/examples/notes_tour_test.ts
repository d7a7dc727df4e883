/** The tour of the notes service: its code is that of the example, and its links lead somewhere. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { tourCards } from "../../examples/notes/pages/tour_cards.ts";
import { withNotes } from "./_notes_service.ts";

const ACCOUNT_URL = "http://localhost:8001/";
const CARDS = tourCards({ accountUrl: ACCOUNT_URL, hasOutbox: true });

/** Lines without the indentation that all have. */
function dedent(lines: readonly string[]): string {
  const indentation = /^ */.exec(lines[0] ?? "")?.[0].length ?? 0;
  return lines.map((line) => line.slice(indentation)).join("\n");
}

for (const { title, file, code } of CARDS) {
  Deno.test(`The tour shows code of ${file}: ${title}`, async () => {
    const lines = (await Deno.readTextFile(new URL(`../../${file}`, import.meta.url))).split("\n");
    const count = code.split("\n").length;
    const excerpts = lines.map((_, i) => dedent(lines.slice(i, i + count)));
    assertEquals(excerpts.filter((excerpt) => excerpt === code).length, 1);
  });
}

Deno.test("Every link of the tour leads somewhere, signed in or not", async () => {
  await withNotes(async ({ page, stranger }) => {
    const links = CARDS.flatMap((card) => card.links).filter(({ href }) => href.startsWith("/"));
    for (const { href } of links) {
      const response = await page(href);
      await response.body?.cancel();
      assertEquals(response.status < 400, true, `${href}: ${response.status}`);
      const unknown = await stranger().page(href);
      await unknown.body?.cancel();
      // A query of GraphQL is no page that could lead to the sign-in
      assertEquals(unknown.status < 400 || href.startsWith("/graphql"), true, href);
    }
  });
});

Deno.test("The tour is the start page of visitors, and a page of users", async () => {
  await withNotes(async ({ page, stranger }) => {
    const visitor = stranger();
    for (
      const text of [await (await visitor.page("/")).text(), await (await page("/tour")).text()]
    ) {
      for (const { title } of tourCards({ hasOutbox: true })) {
        assertStringIncludes(text, `<h3>${title}</h3>`);
      }
      assertEquals(text.includes(ACCOUNT_URL), false); // without Notes ID there is no such card
    }
    const sent = await visitor.page("/tour");
    await sent.body?.cancel();
    assertEquals([sent.status, sent.headers.get("Location")], [303, "/"]);
  });
});
