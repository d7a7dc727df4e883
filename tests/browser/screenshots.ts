/**
 * Writes the pictures of the example service to `docs/images/`: `deno task screenshots`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { createOutbox } from "../../examples/notes/outbox.ts";
import { createNotesWithId, type NotesWithId } from "../examples/_notes_id.ts";
import { launchChromium, type WindowOptions } from "./_playwright.ts";

const FOLDER = new URL("../../docs/images/", import.meta.url);
const DESKTOP = { width: 1200, height: 800 };

/** The pictures, by name. */
const PICTURES: Readonly<Record<string, WindowOptions>> = {
  tour: { viewport: DESKTOP },
  tour_phone: { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
};

const LOCAL = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

async function main(): Promise<void> {
  await using notes = Deno.serve(LOCAL, (request, info) => both.notes(request, info));
  await using id = Deno.serve(LOCAL, (request, info) => both.id(request, info));
  const [notesOrigin, issuer] = [notes, id].map(({ addr }) => `http://localhost:${addr.port}`) as [
    string,
    string,
  ];
  const outbox = createOutbox(notesOrigin, () => Math.floor(Date.now() / 1000));
  const both: NotesWithId = await createNotesWithId({ notesOrigin, issuer, outbox });
  const browser = await launchChromium();
  for (const [name, options] of Object.entries(PICTURES)) {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(notesOrigin);
    const path = new URL(`${name}.png`, FOLDER).pathname;
    await page.screenshot({ path, fullPage: true });
    console.log(`docs/images/${name}.png`);
  }
  await browser.close();
}

if (import.meta.main) await main();
