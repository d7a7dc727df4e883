/**
 * The statements of {@linkcode sqlAdapter}: all that it says to a database, for both dialects.
 *
 * What comes back has names of one lower-case word: a client may be set up to turn `expires_at` into `expiresAt`.
 *
 * @module
 */

/** What a database speaks. */
export type SqlDialect = "postgres" | "sqlite";

/** Rows that one sweep removes at most: so few that nobody waits for it. */
export const SWEEP_ROWS = 1000;

/** Which statement lists. */
export interface ListShape {
  readonly index: 0 | 1;
  readonly after: boolean;
  readonly limit: boolean;
  readonly reverse: boolean;
}

/** Statements, by what they do. Their parameters are in the order that is said here. */
export interface SqlStatements {
  /** What has to be there, one statement each. */
  readonly schema: readonly string[];
  /** Name of the index that refuses a unique text which another record has. */
  readonly uniqueIndex: string;
  /** None. Gives a row for each table and index of the schema that is there. */
  readonly schemaParts: string;
  /** Collection, key, now. */
  readonly get: string;
  /** Collection, unique text, now. */
  readonly find: string;
  /** Collection, text, now; then the key it starts behind, then the most rows, of these what there is. */
  list(shape: ListShape): string;
  /** The columns of a record. Gives no row if another record has the unique text. */
  readonly put: string;
  /** The columns of a record, now. Gives no row if the key is taken, or the unique text. */
  readonly create: string;
  /** The columns of a record, now, the version that was read. Gives no row if that is not there, or the text is taken. */
  readonly update: string;
  /** Collection, key, unique text. Gives the records that have one of both, ended or not. */
  readonly holders: string;
  /** Collection, key. */
  readonly delete: string;
  /** Collection, key, now, the version that was read. Gives a row if it was there. */
  readonly remove: string;
  /** Collection, key, now. Gives the value. */
  readonly take: string;
  /** Collection, key, now, the version that was read. Removes it if it has ended. */
  readonly removeEnded: string;
  /** From which end on records stay. Gives a row for each that it removes, {@linkcode SWEEP_ROWS} at most. */
  readonly sweep: string;
}

/** Index names end in these; a name is cut after 63 bytes on PostgreSQL, and two that were cut are one. */
const TABLE_REGEXP = /^(?:([a-z_][a-z0-9_]{0,47})\.)?([a-z_][a-z0-9_]{0,47})$/;

const COLUMNS = "collection, key, value, version, expires_at, uniq, index_0, index_1";
const RECORD = "value, version, expires_at AS expires";
const PRESENT = "(expires_at IS NULL OR expires_at > ";

/**
 * Writes the statements for a table.
 *
 * @throws {RangeError} If its name is no `table` or `schema.table` of small letters, digits and `_`.
 */
export function sqlStatements(dialect: SqlDialect, table: string): SqlStatements {
  const [, schema, name] = TABLE_REGEXP.exec(table) ?? [];
  if (name === undefined) {
    throw new RangeError("Cannot create SQL adapter: table is no name of small letters, digits, _");
  }
  const home: Home = { dialect, schema, name };
  const at = qualified(home, name);
  /** bun:sqlite takes `$2` for the first parameter if it comes first; `?2` is the second everywhere. */
  const p = (position: number) => `${dialect === "postgres" ? "$" : "?"}${position}`;
  const keyed = `collection = ${p(1)} AND key = ${p(2)}`;
  const living = (position: number) => `${PRESENT}${p(position)})`;
  const untaken = `NOT EXISTS (SELECT 1 FROM ${at} AS other ` +
    `WHERE other.collection = ${p(1)} AND other.uniq = ${p(6)} AND other.key <> ${p(2)})`;
  const insert = `INSERT INTO ${at} AS mine (${COLUMNS}) SELECT ${castColumns(p)} ` +
    `WHERE ${untaken} ON CONFLICT (collection, key) DO UPDATE SET ` +
    "value = excluded.value, version = excluded.version, expires_at = excluded.expires_at, " +
    "uniq = excluded.uniq, index_0 = excluded.index_0, index_1 = excluded.index_1";

  return {
    schema: writeSchema(home),
    uniqueIndex: `${name}_uniq`,
    schemaParts: writeSchemaParts(home),
    get: `SELECT ${RECORD} FROM ${at} WHERE ${keyed} AND ${living(3)}`,
    find: `SELECT key, ${RECORD} FROM ${at} ` +
      `WHERE collection = ${p(1)} AND uniq = ${p(2)} AND ${living(3)}`,
    list({ index, after, limit, reverse }) {
      const behind = after ? ` AND key ${reverse ? "<" : ">"} ${p(4)}` : "";
      const most = limit ? ` LIMIT ${p(after ? 5 : 4)}` : "";
      return `SELECT key, ${RECORD} FROM ${at} ` +
        `WHERE collection = ${p(1)} AND index_${index} = ${p(2)} AND ${living(3)}${behind} ` +
        `ORDER BY key${reverse ? " DESC" : ""}${most}`;
    },
    put: `${insert} RETURNING version`,
    create: `${insert} WHERE mine.expires_at <= ${p(9)} RETURNING version`,
    update: `UPDATE ${at} SET value = ${p(3)}, version = ${p(4)}, expires_at = ${p(5)}, ` +
      `uniq = ${p(6)}, index_0 = ${p(7)}, index_1 = ${p(8)} ` +
      `WHERE ${keyed} AND version = ${p(10)} AND ${living(9)} AND ${untaken} RETURNING version`,
    holders: `SELECT key, version, expires_at AS expires FROM ${at} ` +
      `WHERE collection = ${p(1)} AND (key = ${p(2)} OR uniq = ${p(3)})`,
    delete: `DELETE FROM ${at} WHERE ${keyed}`,
    remove: `DELETE FROM ${at} WHERE ${keyed} AND ${living(3)} AND version = ${p(4)} ` +
      "RETURNING version",
    take: `DELETE FROM ${at} WHERE ${keyed} AND ${living(3)} RETURNING value`,
    removeEnded: `DELETE FROM ${at} WHERE ${keyed} AND expires_at <= ${p(3)} AND version = ${p(4)}`,
    sweep: writeSweep(dialect, at, p(1)),
  };
}

/** Where a table is. */
interface Home {
  readonly dialect: SqlDialect;
  readonly schema: string | undefined;
  readonly name: string;
}

function qualified({ schema }: Home, name: string): string {
  return schema === undefined ? `"${name}"` : `"${schema}"."${name}"`;
}

/** Without a type PostgreSQL does not know what a parameter is that stands alone. */
function castColumns(p: (position: number) => string): string {
  return COLUMNS.split(", ").map((column, index) => {
    const type = column === "expires_at" ? "DOUBLE PRECISION" : "TEXT";
    return `CAST(${p(index + 1)} AS ${type})`;
  }).join(", ");
}

/** Its indexes: what they are called, and what they are on. */
const INDEXES: readonly (readonly [end: string, columns: string, needed: string])[] = [
  ["uniq", "collection, uniq", "uniq"],
  ["index_0", "collection, index_0, key", "index_0"],
  ["index_1", "collection, index_1, key", "index_1"],
  ["expires_at", "expires_at", "expires_at"],
];

/** Texts in the order of their bytes: another collation may take two keys for one. SQLite does so by itself. */
function writeSchema(home: Home): string[] {
  const { dialect, name } = home;
  const text = dialect === "postgres" ? 'TEXT COLLATE "C"' : "TEXT";
  const table = `CREATE TABLE IF NOT EXISTS ${qualified(home, name)} (
  collection ${text} NOT NULL,
  key ${text} NOT NULL,
  value TEXT NOT NULL,
  version ${text} NOT NULL,
  expires_at DOUBLE PRECISION,
  uniq ${text},
  index_0 ${text},
  index_1 ${text},
  PRIMARY KEY (collection, key)
)`;
  const indexes = INDEXES.map(([end, columns, needed]) => {
    // Which of both names says the schema: on PostgreSQL the table's, on SQLite the index's
    const [index, on] = dialect === "postgres"
      ? [`"${name}_${end}"`, qualified(home, name)]
      : [qualified(home, `${name}_${end}`), `"${name}"`];
    const create = end === "uniq" ? "CREATE UNIQUE INDEX" : "CREATE INDEX";
    return `${create} IF NOT EXISTS ${index}\n  ON ${on} (${columns}) WHERE ${needed} IS NOT NULL`;
  });
  return [table, ...indexes];
}

function writeSchemaParts(home: Home): string {
  const names = [home.name, ...INDEXES.map(([end]) => `${home.name}_${end}`)];
  if (home.dialect === "sqlite") {
    const listed = names.map((each) => `'${each}'`).join(", ");
    return `SELECT name FROM ${qualified(home, "sqlite_master")} WHERE name IN (${listed})`;
  }
  const rows = names.map((each) => `('${qualified(home, each)}')`).join(", ");
  return `SELECT name FROM (VALUES ${rows}) AS part (name) WHERE to_regclass(name) IS NOT NULL`;
}

/** On PostgreSQL two sweeps would wait for each other's rows, in either order; each takes those that nobody holds. */
function writeSweep(dialect: SqlDialect, at: string, bound: string): string {
  const ended = `FROM ${at} WHERE expires_at <= ${bound} ORDER BY expires_at LIMIT ${SWEEP_ROWS}`;
  if (dialect === "sqlite") {
    return `DELETE FROM ${at} WHERE rowid IN (SELECT rowid ${ended}) RETURNING 1 AS gone`;
  }
  return `WITH ended AS (SELECT collection, key ${ended} FOR UPDATE SKIP LOCKED) ` +
    `DELETE FROM ${at} AS mine USING ended ` +
    "WHERE mine.collection = ended.collection AND mine.key = ended.key RETURNING 1 AS gone";
}
