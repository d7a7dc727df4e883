/**
 * Runs a command on a new terminal, where Deno prompts for missing permissions:
 * `deno run -A terminal_main.ts <command> <args>`. Prints `no terminal` if there is no `script` command to create one.
 *
 * @module
 */

const line = Deno.args.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ");
try {
  const child = new Deno.Command("script", { args: ["-qec", line, "/dev/null"] }).spawn();
  Deno.stdin.readable.pipeTo(new WritableStream()).finally(() => child.kill());
  await child.status;
} catch (error) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
  await Deno.stdout.write(new TextEncoder().encode("no terminal\n"));
}
Deno.exit(0);
