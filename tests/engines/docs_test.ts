/** The recipes of docs/stores.md for servers run as they are written. */

import { assertEquals, assertExists } from "@std/assert";
import { type Engine, ENGINES, engineTest } from "./_engines.ts";
import { IOREDIS, POSTGRES_JS } from "./versions.ts";

const ROOT = new URL("../../", import.meta.url);

/** Recipes: the client's version as written and as locked, and how the client is closed. */
const RECIPES: readonly {
  readonly engine: Engine;
  readonly client: readonly [written: RegExp, locked: string];
  readonly close: string;
}[] = [
  {
    engine: "postgres",
    client: [/npm:postgres@\^[\d.]+/, POSTGRES_JS],
    close: "await sql.end();",
  },
  {
    engine: "redis",
    client: [/npm:ioredis@\^[\d.]+/, IOREDIS],
    close: "redis.disconnect();",
  },
];

for (const { engine, client: [written, locked], close } of RECIPES) {
  const { appVariable: variable } = ENGINES[engine];
  engineTest(engine, `docs/stores.md connects to ${variable}`, async (url) => {
    const page = await Deno.readTextFile(new URL("docs/stores.md", ROOT));
    const fences = [...page.matchAll(/^```ts ignore\n(.*?)^```$/gms)].map(([, code]) => code);
    const recipe = fences.find((code) => code?.includes(`Deno.env.get("${variable}")`));
    assertExists(recipe);
    assertEquals(recipe.match(written)?.length, 1, "the client is imported with its version");
    const program = recipe.replace(written, locked) + `
      const key = crypto.randomUUID();
      await stores.states.put(key, "kept", Date.now() / 1000 + 60);
      console.log(await stores.states.consume(key), await stores.states.consume(key));
      ${close}
    `;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--ext=ts", "--check", "--lock=tests/engines/deno.lock", program],
      cwd: ROOT,
      env: { [variable]: url, NO_COLOR: "1" },
    }).output();
    const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals(printed, "kept null\n", errors);
  });
}
