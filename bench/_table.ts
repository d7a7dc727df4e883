/**
 * How results are printed: as Markdown, so that they can be kept.
 *
 * @module
 */

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** A whole number of bytes in KiB. */
export function kibibytes(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}

/**
 * A number from the command line, written `--name=7`.
 *
 * @throws {RangeError} If it is there and not a number above 0.
 */
export function numberOption(name: string, fallback: number): number {
  const prefix = `--${name}=`;
  const given = Deno.args.find((arg) => arg.startsWith(prefix));
  const value = given === undefined ? fallback : Number(given.slice(prefix.length));
  if (!(value > 0)) throw new RangeError(`Cannot use ${given}: not a number above 0`);
  return value;
}
