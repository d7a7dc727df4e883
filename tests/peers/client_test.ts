import { assertEquals } from "@std/assert";
import document from "../../examples/notes/openapi.json" with { type: "json" };
import { withNotes } from "../examples/_notes_service.ts";
import { mailReader } from "./_account_walk.ts";
import { withPrograms } from "./_client.ts";
import { HEAD, WRONG } from "./_client_programs.ts";
import { loadGeneratedWalk, loadWalk } from "./_client_walk.ts";
import { operationsOf } from "./_contract.ts";
import { calledRoutes } from "./_generated_client.ts";
import { pageFetch } from "./_page_fetch.ts";
import { findProblems } from "./openapi_gate.ts";

Deno.test("The document of the example passes all gates", async () => {
  assertEquals(await findProblems(document), []);
});

Deno.test("A client made of the example's document fits its types, and what the service answers", async () => {
  await withPrograms(document, async (programs) => {
    const walk = await loadWalk(programs);
    await withNotes(({ port, stranger, outbox }) =>
      walk(`http://127.0.0.1:${port}`, () => pageFetch(stranger()), mailReader(outbox))
    );
  });
});

Deno.test("The client that the example's pages use has every operation of its document", async () => {
  await withPrograms(document, async (programs) => {
    const walk = await loadGeneratedWalk(programs);
    await withNotes(({ port, stranger, outbox }) =>
      walk(`http://127.0.0.1:${port}`, () => pageFetch(stranger()), mailReader(outbox))
    );
  });
  const operations = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
  assertEquals([...calledRoutes].sort(), operations.sort());
});

/** Separates what is right from what is wrong in a program. */
const CHOICE_REGEXP = /«([^¦»]*)¦([^»]*)»/g;

Deno.test("A client made of the example's document does not compile where it is used wrongly", async (t) => {
  await withPrograms(document, async ({ write, check }) => {
    const names = WRONG.map((_, i) => [`right_${i}.ts`, `wrong_${i}.ts`] as const);
    for (const [i, [right, wrong]] of names.entries()) {
      const text = HEAD + WRONG[i]?.[1];
      await write(right, text.replace(CHOICE_REGEXP, "$1"));
      await write(wrong, text.replace(CHOICE_REGEXP, "$2"));
    }
    const lines = await check(names.flat());
    for (const [i, [why, program]] of WRONG.entries()) {
      await t.step(`The compiler finds ${why}`, () => {
        const before = (HEAD + program).slice(0, (HEAD + program).lastIndexOf("¦"));
        assertEquals(lines.get(`right_${i}.ts`), []);
        assertEquals(lines.get(`wrong_${i}.ts`), [before.split("\n").length]);
      });
    }
  });
});
