/**
 * What the compiler says of a module that must not compile.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { readConfig, ROOT, runDeno } from "../../../dev/_project.ts";

/** The messages of `deno check`, by the line that they are about; the first if there are several. Line 0: another module. */
export async function messagesByLine(
  text: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<ReadonlyMap<number, string>> {
  const folder = await Deno.makeTempDir({ prefix: "messages_" });
  const [config, module] = [join(folder, "deno.json"), join(folder, "wrong.ts")];
  const imports = {
    ...readConfig().imports,
    "@gatehouse/http": toFileUrl(join(ROOT, "mod.ts")).href,
  };
  const compilerOptions = {
    ...readConfig().compilerOptions,
    isolatedDeclarations: false,
    ...options,
  };
  await Deno.writeTextFile(config, JSON.stringify({ imports, compilerOptions }));
  await Deno.writeTextFile(module, text);
  const { stderr } = await runDeno(["check", "--no-lock", "--config", config, module]);
  await Deno.remove(folder, { recursive: true });
  const messages = stderr.split(/^(?=TS\d+ \[ERROR\])/m).slice(1);
  return new Map(
    messages.flatMap((message): readonly (readonly [number, string])[] => {
      const [, line] = /wrong\.ts:(\d+):\d+$/m.exec(message) ?? [];
      if (line === undefined && /^TS\d+ \[ERROR\]: {2}/.test(message)) return []; // it belongs to the message above
      return [[Number(line ?? 0), message]];
    }).reverse(),
  );
}
