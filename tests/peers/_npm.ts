/**
 * Commands in the folder of a test.
 *
 * @module
 */

/** Runs a command. @returns What it prints. @throws {Error} If it fails. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { NODE_PATH: `${cwd}/node_modules` }; // where modules of the project find packages, too
  const output = await new Deno.Command(command, { args: [...args], cwd, env }).output();
  const text = new TextDecoder().decode(output.stdout);
  if (output.success) return text;
  throw new Error(`${command} failed: ${text}${new TextDecoder().decode(output.stderr)}`);
}
