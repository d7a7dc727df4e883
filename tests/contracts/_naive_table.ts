/**
 * A database without transactions, for stores that must fail races.
 *
 * @module
 */

/** Records of one kind, in a database without transactions. Every call takes some turns. */
export interface Table<Row> {
  get(key: string): Promise<Row | null>;
  put(key: string, row: Row): Promise<void>;
  remove(key: string): Promise<void>;
  all(): Promise<readonly Row[]>;
}

/** Creates an empty table. */
export function createTable<Row>(): Table<Row> {
  const rows = new Map<string, string>();
  const parse = (text: string): Row => JSON.parse(text);
  const soon = async <Result>(step: () => Result): Promise<Result> => {
    await Promise.resolve();
    return step();
  };
  return {
    get: (key) =>
      soon(() => {
        const text = rows.get(key);
        return text === undefined ? null : parse(text);
      }),
    put(key, row) {
      const text = JSON.stringify(row);
      return soon(() => void rows.set(key, text));
    },
    remove: (key) => soon(() => void rows.delete(key)),
    all: () => soon(() => [...rows.values()].map(parse)),
  };
}

/** A new version. */
export function nextVersion(): string {
  return crypto.randomUUID();
}
