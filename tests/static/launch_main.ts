/**
 * Runs a command without root's right to read every file, if possible: `deno run -A launch_main.ts <command> <args>`.
 *
 * @module
 */

const CAPABILITIES = "-dac_override,-dac_read_search";

const [command, ...args] = Deno.args;
if (command === undefined) throw new TypeError("Cannot launch: no command is given");
const limits = [`--bounding-set=${CAPABILITIES}`, `--inh-caps=${CAPABILITIES}`];
const limited = Deno.uid() === 0 && canRun("setpriv", ...limits, "true");
const { code } = await new Deno.Command(
  limited ? "setpriv" : command,
  { args: limited ? [...limits, command, ...args] : args, stdin: "inherit" },
).spawn().status;
Deno.exit(code);

function canRun(program: string, ...programArgs: readonly string[]): boolean {
  try {
    return new Deno.Command(program, { args: [...programArgs] }).outputSync().success;
  } catch {
    return false;
  }
}
