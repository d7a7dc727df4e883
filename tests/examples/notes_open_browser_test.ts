import { assertEquals, assertMatch } from "@std/assert";
import { runDeno } from "../../dev/_project.ts";
import { browserCommand } from "../../examples/notes/open_browser.ts";

const PAGE = "http://localhost:8000/?a=1&b=2";

/** Operating systems, and what opens an address. It is one argument, which no shell reads. */
const COMMANDS: readonly (readonly [os: string, command: readonly string[]])[] = [
  ["darwin", ["open", PAGE]],
  ["windows", ["rundll32", "url.dll,FileProtocolHandler", PAGE]],
  ["linux", ["xdg-open", PAGE]],
  ["freebsd", ["xdg-open", PAGE]],
];
for (const [os, command] of COMMANDS) {
  Deno.test(`browserCommand() is ${command[0]} on ${os}`, () => {
    assertEquals([...browserCommand(os, PAGE)], [...command]);
  });
}

Deno.test("openBrowser() says why it could not, if the program may not run", async () => {
  const module = new URL("../../examples/notes/open_browser.ts", import.meta.url).href;
  const script = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const code =
      `import { openBrowser } from "${module}";\nconsole.log(await openBrowser("${PAGE}"));`;
    await Deno.writeTextFile(script, code);
    const { stdout } = await runDeno([
      "run",
      "--quiet",
      "--no-prompt",
      "--config=deno.json",
      script,
    ]);
    assertMatch(stdout, /^Requires run access to "/);
  } finally {
    await Deno.remove(script);
  }
});
