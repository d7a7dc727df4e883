import { assertEquals } from "@std/assert";
import { spawn, withFolder } from "../flows/_notes_process.ts";
import { SHARED_CASES } from "../flows/_notes_processes.ts";
import { ENGINE_NAMES, ENGINES, engineTest } from "./_engines.ts";

/** Time limit for a service that must not start, in milliseconds. */
const LIMIT_MS = 30_000;

for (const engine of ENGINE_NAMES) {
  const { title, appVariable } = ENGINES[engine];
  for (const { name, run } of SHARED_CASES) {
    engineTest(
      engine,
      name,
      (url) => run({ kept: new RegExp(`^${title}$`), env: { [appVariable]: url } }),
    );
  }

  // Processes with a generated secret each could not decrypt each other's signing keys
  engineTest(engine, "main.ts does not generate a secret for a shared database", async (url) => {
    await withFolder(async (folder) => {
      const service = spawn(folder, "0", { env: { [appVariable]: url } });
      const timer = setTimeout(() => service.kill("SIGKILL"), LIMIT_MS);
      const { code, stderr } = await service.output();
      clearTimeout(timer);
      assertEquals(
        new TextDecoder().decode(stderr),
        "Cannot start: SECRET is not set; all processes of one database need the same, of 32 bytes or more\n",
      );
      assertEquals(code, 1);
      assertEquals([...Deno.readDirSync(folder)], []);
    });
  });
}
