/**
 * Runs a command on a terminal of its own, where Deno asks for the permissions that it lacks:
 * `deno run -A terminal_main.ts <command> <args>`. Says `no terminal` where there is no `script` to make one.
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
