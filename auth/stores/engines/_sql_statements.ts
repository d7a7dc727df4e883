/**
 * The statements of {@linkcode sqlAdapter} for both dialects.
 *
 * Result columns have names of one lower-case word: a client may be configured to turn `expires_at` into `expiresAt`.
 *
 * @module
 */

/** SQL dialect of a database. */
export type SqlDialect = "postgres" | "sqlite";

/** Rows that one sweep deletes at most, so that it holds its locks only briefly. */
export const SWEEP_ROWS = 1000;

/** Selects a statement that lists. */
export interface ListShape {
  readonly index: 0 | 1;
  readonly after: boolean;
  readonly limit: boolean;
  readonly reverse: boolean;
}

/** Statements by purpose. Each comment names the parameters in their order. */
export interface SqlStatements {
  /** The table and its indexes, one statement each. */
  readonly schema: readonly string[];
  /** None. Returns a row for each table and index of the schema that exists. */
  readonly schemaParts: string;
  /** Collection, key, now. */
  readonly get: string;
  /** Collection, now, then the number of keys. */
  getMany(count: number): string;
  /** Collection, unique value, now. */
  readonly find: string;
  /** Collection, indexed value, now; then, if the shape has them, the key to start after and the limit. */
  list(shape: ListShape): string;
  /** The columns of a record. Returns no row if another record has the unique value. */
  readonly put: string;
  /** The columns of a record, now. Returns no row if the key or the unique value is taken. */
  readonly create: string;
  /** The columns of a record, now, the expected version. Returns no row if it differs, or the unique value is taken. */
  readonly update: string;
  /** Collection, key, unique value. Returns the records that have either, expired or not. */
  readonly holders: string;
  /** Collection, key. */
  readonly delete: string;
  /** Collection, key, now, the expected version. Returns a row if it matched. */
  readonly remove: string;
  /** Collection, key, now. Returns the value. */
  readonly take: string;
  /** Collection, key, now, the expected version. Deletes the record if it has expired. */
  readonly deleteExpired: string;
  /** The latest expiry to delete. Returns a row for each record deleted, {@linkcode SWEEP_ROWS} at most. */
  readonly sweep: string;
}

/** PostgreSQL truncates names to 63 bytes; 48 leave room for the suffixes of the indexes. */
const TABLE_REGEXP = /^(?:([a-z_][a-z0-9_]{0,47})\.)?([a-z_][a-z0-9_]{0,47})$/;

const COLUMNS = "collection, key, value, version, expires_at, uniq, index_0, index_1";
const RECORD = "value, version, expires_at AS expires";
const PRESENT = "(expires_at IS NULL OR expires_at > ";

/**
 * Creates the statements for a table.
 *
 * @throws {RangeError} If its name is not `table` or `schema.table` of lower-case letters, digits and `_`.
 */
export function sqlStatements(dialect: SqlDialect, table: string): SqlStatements {
  const [, schema, name] = TABLE_REGEXP.exec(table) ?? [];
  if (name === undefined) {
    throw new RangeError(
      "Cannot create SQL adapter: table must be a name of at most 48 lower-case letters, digits and _",
    );
  }
  const home: Home = { dialect, schema, name };
  const at = qualified(home, name);
  /** bun:sqlite numbers `$2` by its position in the text; `?2` is the second parameter everywhere. */
  const p = (position: number) => `${dialect === "postgres" ? "$" : "?"}${position}`;
  const keyed = `collection = ${p(1)} AND key = ${p(2)}`;
  const current = (position: number) => `${PRESENT}${p(position)})`;
  const untaken = `NOT EXISTS (SELECT 1 FROM ${at} AS other ` +
    `WHERE other.collection = ${p(1)} AND other.uniq = ${p(6)} AND other.key <> ${p(2)})`;
  const insert = `INSERT INTO ${at} AS mine (${COLUMNS}) SELECT ${castColumns(p)} ` +
    `WHERE ${untaken} ON CONFLICT (collection, key) DO UPDATE SET ` +
    "value = excluded.value, version = excluded.version, expires_at = excluded.expires_at, " +
    "uniq = excluded.uniq, index_0 = excluded.index_0, index_1 = excluded.index_1";

  return {
    schema: writeSchema(home),
    schemaParts: writeSchemaParts(home),
    get: `SELECT ${RECORD} FROM ${at} WHERE ${keyed} AND ${current(3)}`,
    getMany(count) {
      const keys = Array.from({ length: count }, (_, i) => p(3 + i)).join(", ");
      return `SELECT key, ${RECORD} FROM ${at} ` +
        `WHERE collection = ${p(1)} AND key IN (${keys}) AND ${current(2)}`;
    },
    find: `SELECT key, ${RECORD} FROM ${at} ` +
      `WHERE collection = ${p(1)} AND uniq = ${p(2)} AND ${current(3)}`,
    list({ index, after, limit, reverse }) {
      const afterKey = after ? ` AND key ${reverse ? "<" : ">"} ${p(4)}` : "";
      const limitRows = limit ? ` LIMIT ${p(after ? 5 : 4)}` : "";
      return `SELECT key, ${RECORD} FROM ${at} ` +
        `WHERE collection = ${p(1)} AND index_${index} = ${p(2)} AND ${current(3)}${afterKey} ` +
        `ORDER BY key${reverse ? " DESC" : ""}${limitRows}`;
    },
    put: `${insert} RETURNING version`,
    create: `${insert} WHERE mine.expires_at <= ${p(9)} RETURNING version`,
    update: `UPDATE ${at} SET value = ${p(3)}, version = ${p(4)}, expires_at = ${p(5)}, ` +
      `uniq = ${p(6)}, index_0 = ${p(7)}, index_1 = ${p(8)} ` +
      `WHERE ${keyed} AND version = ${p(10)} AND ${current(9)} AND ${untaken} RETURNING version`,
    holders: `SELECT key, version, expires_at AS expires FROM ${at} ` +
      `WHERE collection = ${p(1)} AND (key = ${p(2)} OR uniq = ${p(3)})`,
    delete: `DELETE FROM ${at} WHERE ${keyed}`,
    remove: `DELETE FROM ${at} WHERE ${keyed} AND ${current(3)} AND version = ${p(4)} ` +
      "RETURNING version",
    take: `DELETE FROM ${at} WHERE ${keyed} AND ${current(3)} RETURNING value`,
    deleteExpired: `DELETE FROM ${at} WHERE ${keyed} AND expires_at <= ${p(3)} AND version = ${
      p(4)
    }`,
    sweep: writeSweep(dialect, at, p(1)),
  };
}

/** The place of a table. */
interface Home {
  readonly dialect: SqlDialect;
  readonly schema: string | undefined;
  readonly name: string;
}

function qualified({ schema }: Home, name: string): string {
  return schema === undefined ? `"${name}"` : `"${schema}"."${name}"`;
}

/** PostgreSQL cannot infer the type of a parameter that stands alone in a SELECT list. */
function castColumns(p: (position: number) => string): string {
  return COLUMNS.split(", ").map((column, index) => {
    const type = column === "expires_at" ? "DOUBLE PRECISION" : "TEXT";
    return `CAST(${p(index + 1)} AS ${type})`;
  }).join(", ");
}

/** The indexes. Each is partial: only rows that have a value in `column` are in it. */
const INDEXES: readonly (readonly [suffix: string, columns: string, column: string])[] = [
  ["uniq", "collection, uniq", "uniq"],
  ["index_0", "collection, index_0, key", "index_0"],
  ["index_1", "collection, index_1, key", "index_1"],
  ["expires_at", "expires_at", "expires_at"],
];

/** Strings are compared by their bytes, the default on SQLite: another collation could treat two keys as equal. */
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
  const indexes = INDEXES.map(([suffix, columns, column]) => {
    // The schema qualifies the table on PostgreSQL, the index on SQLite
    const [index, on] = dialect === "postgres"
      ? [`"${name}_${suffix}"`, qualified(home, name)]
      : [qualified(home, `${name}_${suffix}`), `"${name}"`];
    const create = suffix === "uniq" ? "CREATE UNIQUE INDEX" : "CREATE INDEX";
    return `${create} IF NOT EXISTS ${index}\n  ON ${on} (${columns}) WHERE ${column} IS NOT NULL`;
  });
  return [table, ...indexes];
}

function writeSchemaParts(home: Home): string {
  const names = [home.name, ...INDEXES.map(([suffix]) => `${home.name}_${suffix}`)];
  if (home.dialect === "sqlite") {
    const listed = names.map((each) => `'${each}'`).join(", ");
    return `SELECT name FROM ${qualified(home, "sqlite_master")} WHERE name IN (${listed})`;
  }
  const rows = names.map((each) => `('${qualified(home, each)}')`).join(", ");
  return `SELECT name FROM (VALUES ${rows}) AS part (name) WHERE to_regclass(name) IS NOT NULL`;
}

/** On PostgreSQL two concurrent sweeps could deadlock; each skips rows that the other one has locked. */
function writeSweep(dialect: SqlDialect, at: string, bound: string): string {
  const expired = `FROM ${at} WHERE expires_at <= ${bound} ORDER BY expires_at LIMIT ${SWEEP_ROWS}`;
  if (dialect === "sqlite") {
    return `DELETE FROM ${at} WHERE rowid IN (SELECT rowid ${expired}) RETURNING 1 AS gone`;
  }
  return `WITH expired AS (SELECT collection, key ${expired} FOR UPDATE SKIP LOCKED) ` +
    `DELETE FROM ${at} AS mine USING expired ` +
    "WHERE mine.collection = expired.collection AND mine.key = expired.key RETURNING 1 AS gone";
}
