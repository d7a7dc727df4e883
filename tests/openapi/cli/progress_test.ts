import { assert, assertEquals } from "@std/assert";
import { createProgressBar } from "../../../openapi/cli/_progress.ts";

const ERASE = "\r\x1b[K";

/** A bar on a terminal that keeps what is written, at a fixed time. */
function barOf(columns: number | undefined) {
  const written: string[] = [];
  const clock = { ms: 5000, columns };
  const bar = createProgressBar(
    { columns: () => clock.columns, write: (text) => written.push(text) },
    { nowMs: () => clock.ms },
  );
  return { bar, written, clock };
}

/** How far it is, columns, and the line that is drawn. */
const LINES: readonly (readonly [number, number, string, number | undefined, string])[] = [
  [0, 3, "a.txt", 80, "0/3 [--------------------] a.txt"],
  [1, 3, "a.txt", 80, "1/3 [######--------------] a.txt"],
  [2, 3, "sub/b.txt", 80, "2/3 [#############-------] sub/b.txt"],
  [10, 20, "a", 80, "10/20 [##########----------] a"],
  [999, 1000, "a", 80, "999/1000 [###################-] a"],
  [0, 1, "a".repeat(100), 80, `0/1 [--------------------] ${"a".repeat(52)}`],
  [1, 3, "a.txt", 33, "1/3 [######--------------] a.txt"],
  [1, 3, "a.txt", 32, "1/3 [######--------------] a.tx"],
  [1, 3, "a.txt", 10, "1/3 [####"],
  [1, 3, "a.txt", 2, "1"],
  [1, 3, "a.txt", 1, ""],
  // Terminals that do not know
  [0, 1, "a".repeat(100), 0, `0/1 [--------------------] ${"a".repeat(52)}`],
  [0, 1, "a".repeat(100), undefined, `0/1 [--------------------] ${"a".repeat(52)}`],
  // What takes two columns
  [0, 1, "日本語", 34, "0/1 [--------------------] 日本語"],
  [0, 1, "日本語", 33, "0/1 [--------------------] 日本"],
  [0, 1, "日本語", 32, "0/1 [--------------------] 日本"],
  [0, 1, "🦕🦕", 30, "0/1 [--------------------] 🦕"],
  // What would steer the terminal
  [0, 1, "a\x1b[2Jb", 80, "0/1 [--------------------] a\\u{1b}[2Jb"],
  [0, 1, "\r\n\t\0\x7f", 80, "0/1 [--------------------] \\u{d}\\u{a}\\u{9}\\u{0}\\u{7f}"],
  [0, 1, "\x9b31m\x9d", 80, "0/1 [--------------------] \\u{9b}31m\\u{9d}"],
  [0, 1, "\u202etxt.exe\u2028", 80, "0/1 [--------------------] \\u{202e}txt.exe\\u{2028}"],
];
for (const [done, total, key, columns, line] of LINES) {
  const name = `${done} of ${total}, ${JSON.stringify(key.slice(0, 12))} in ${columns} columns`;
  Deno.test(`createProgressBar() draws ${name}`, () => {
    const { bar, written } = barOf(columns);
    bar.draw({ done, total, key });
    assertEquals(written, [ERASE + line]);
  });
}

Deno.test("createProgressBar() writes nothing before the first draw", () => {
  const { bar, written } = barOf(80);
  bar.clear();
  bar.draw({ done: 0, total: 0, key: undefined });
  assertEquals(written, []);
});

Deno.test("createProgressBar() redraws after a tenth of a second and clears immediately", () => {
  const { bar, written, clock } = barOf(80);
  const drawn = (): number => written.splice(0).length;
  bar.draw({ done: 0, total: 9, key: "a" });
  assertEquals(drawn(), 1);
  for (const [ms, expected] of [[1, 0], [98, 0], [1, 1], [99, 0], [1, 1], [5000, 1]] as const) {
    clock.ms += ms;
    bar.draw({ done: 1, total: 9, key: "b" });
    assertEquals(drawn(), expected, `${clock.ms}`);
  }
  bar.draw({ done: 9, total: 9, key: undefined });
  assertEquals(written, [ERASE]);
  bar.clear();
  assertEquals(written, [ERASE]);
});

Deno.test("createProgressBar() follows the terminal's width", () => {
  const { bar, written, clock } = barOf(80);
  for (const columns of [80, 20, 7]) {
    Object.assign(clock, { columns, ms: clock.ms + 100 });
    bar.draw({ done: 1, total: 2, key: "a".repeat(100) });
    assertEquals(written.pop()?.length, ERASE.length + columns - 1);
  }
});

Deno.test("createProgressBar() writes ten lines in a second by its own clock", () => {
  const written: string[] = [];
  const bar = createProgressBar({ columns: () => 80, write: (text) => written.push(text) });
  const until = performance.now() + 250;
  for (let done = 0; performance.now() < until; done++) {
    bar.draw({ done, total: 1e9, key: "a" });
  }
  assert(written.length >= 1 && written.length <= 4, `${written.length}`);
});
