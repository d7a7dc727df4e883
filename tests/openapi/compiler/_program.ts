/**
 * The program of the compiler's process. Each line of its input is a request, each line of its output the answer.
 *
 * It needs more permissions than a test has: the compiler's files are in Deno's cache.
 *
 * @module
 */

import process from "node:process";
import { runCli } from "../../../openapi/cli/main.ts";
import type { CliRun } from "../_cli.ts";
import type { CompilerRequest } from "./_process.ts";
import { readTypeCases } from "./_type_cases.ts";
import type { TypeRequest } from "./_type_requests.ts";

async function run(args: readonly string[]): Promise<CliRun> {
  let [stdout, stderr] = ["", ""];
  const code = await runCli(args, {
    print: (text) => void (stdout += text),
    printError: (text) => void (stderr += text),
  });
  return { code, stdout, stderr };
}

async function answer(request: CompilerRequest): Promise<unknown> {
  process.chdir(request.folder);
  switch (request.kind) {
    case "run":
      return await run(request.args);
    case "link":
      Object.entries(request.links).forEach(([link, target]) => Deno.symlinkSync(target, link));
      return {};
    case "table":
      return await readTypeCases(request.folder, request.table as TypeRequest);
  }
}

let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const answered = JSON.stringify(await answer(JSON.parse(line)));
    await Deno.stdout.write(new TextEncoder().encode(answered + "\n"));
  }
}
