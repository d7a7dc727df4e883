import { assert, assertEquals, assertMatch } from "@std/assert";
import { listenForDefinitions, locationsOf } from "../../../openapi/compiler/_stacks.ts";
import { reportDefinition } from "../../../router/_origin.ts";
import { withProject } from "../_cli.ts";

const settings = Error as { stackTraceLimit?: number; prepareStackTrace?: unknown };

Deno.test("reportDefinition() notes nothing before noteSites(), and then its caller", () => {
  const [before, after] = [{}, {}];
  reportDefinition(before);
  assertEquals(locationsOf(before), []);
  listenForDefinitions();
  reportDefinition(after);
  assertEquals(locationsOf(before), []);
  const found = locationsOf(after).find(({ file }) => file === import.meta.url);
  assert(found !== undefined && found.line > 1 && found.column > 1);
});

Deno.test("reportDefinition() leaves the settings of stacks as they were", () => {
  const { stackTraceLimit, prepareStackTrace } = settings;
  const own = (_: unknown, frames: readonly unknown[]): string => `own ${frames.length}`;
  settings.stackTraceLimit = 3;
  settings.prepareStackTrace = own;
  try {
    listenForDefinitions();
    reportDefinition({});
    assertEquals(settings.stackTraceLimit, 3);
    assert(settings.prepareStackTrace === own);
    assertMatch(String(new Error().stack), /^own [1-3]$/);
  } finally {
    Object.assign(settings, { stackTraceLimit, prepareStackTrace });
  }
});

/** Classes that are decorated by hand, so that only their names say which is meant. */
const BY_HAND = `
import { Controller, Get, json } from "@gatehouse/http";
export const info = { title: "By hand", version: "1" };
Decorated();
function Decorated() {
  class Same { @Get("/") list() { return json({ first: 1 }); } }
  class Other { @Get("/") list() { return json({ other: "" }); } }
  for (const [one, path] of [[Same, "/same"], [Other, "/other"]] as const) {
    Controller(path)(one as never, undefined as never);
  }
}
export function unused() {
  class Same { list() { return json({ second: true }); } }
  return Same;
}
`;

Deno.test("generate takes no class for another one of its file", async () => {
  await withProject({ "c.ts": BY_HAND }, async ({ generate, read }) => {
    const { code, stderr } = await generate("--controllers", "c.ts");
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /the types of Same\.list were not found/);
    const text = await read("openapi.json");
    assertEquals(["first", "second", "other"].filter((one) => text.includes(`"${one}"`)), [
      "other",
    ]);
  });
});
