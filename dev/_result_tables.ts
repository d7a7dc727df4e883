/**
 * Reads the tables of `bench/RESULTS.md`.
 *
 * @module
 */

/** A table of a section. */
export interface ResultTable {
  /** Names of the columns; the first names the table. */
  readonly columns: readonly string[];
  /** Rows, each with a cell for each column. */
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** Which table is meant. */
export interface TableName {
  /** How the heading of its section starts: `Size`. */
  readonly section: string;
  /** The name of its first column. */
  readonly first: string;
  /** The first cell of one of its rows, where a section has several tables with this column. @default any */
  readonly has?: string;
}

/** Finds a table. @throws {Error} If there is none of that name. */
export function readTable(markdown: string, { section, first, has }: TableName): ResultTable {
  const text = markdown.split(/^##+ /m).find((part) => part.startsWith(section));
  for (const block of text?.split("\n\n") ?? []) {
    const [header, , ...rows] = block.split("\n").filter((line) => line.startsWith("|"))
      .map(cellsOf);
    if (header?.[0] !== first) continue;
    if (has !== undefined && !rows.some(([cell]) => cell === has)) continue;
    return { columns: header, rows: rows.map((cells) => byColumn(header, cells)) };
  }
  throw new Error(`Cannot find the table "${first}" in the section "${section}"`);
}

/** A cell of a table, by its column and the first cells of its row. @throws {Error} If there is none. */
export function readCell(table: ResultTable, row: string, column: string): string {
  const first = table.columns[0] ?? "";
  const cell = table.rows.find((cells) => cells[first] === row)?.[column];
  if (cell === undefined) throw new Error(`Cannot find the cell "${column}" of the row "${row}"`);
  return cell;
}

/** The number in a cell that the first group of an expression matches: `1,005` is 1005. @throws {Error} If there is none. */
export function numberIn(cell: string, regexp: RegExp): number {
  const number = Number(regexp.exec(cell)?.[1]?.replaceAll(",", "") ?? NaN);
  if (Number.isNaN(number)) throw new Error(`Cannot find a number in "${cell}"`);
  return number;
}

function cellsOf(line: string): string[] {
  return line.split("|").slice(1, -1).map((cell) => cell.trim());
}

function byColumn(columns: readonly string[], cells: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? ""]));
}
