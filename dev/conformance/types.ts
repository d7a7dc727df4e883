/**
 * Rows of `docs/conformance.md`.
 *
 * @module
 */

/** What a standard demands, or an attack, and the id that titles of tests name. */
export type Row =
  /** What is sent, and what must happen. */
  | readonly [id: string, sent: string, expected: string]
  /** What is not built, and why no test can show it. */
  | readonly [id: string, sent: string, expected: string, absent: "absent"];

/** Rows of one source. */
export interface Section {
  readonly title: string;
  /** Where the rows come from. */
  readonly about: string;
  readonly rows: readonly Row[];
}
