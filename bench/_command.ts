/**
 * Running other programs.
 *
 * @module
 */

/** A program and its arguments. */
export type Command = readonly string[];

/**
 * Runs a command.
 *
 * @returns What it printed.
 * @throws {Error} If it fails, or is not there.
 */
export async function output(
  [program = "", ...args]: Command,
  options: { cwd?: string } = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${program} failed: ${decoder.decode(stderr).trim()}`);
  return decoder.decode(stdout);
}

/** Whether a command is there and succeeds. */
export async function succeeds(command: Command): Promise<boolean> {
  return await output(command).then(() => true, () => false);
}
