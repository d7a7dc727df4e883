import { assertEquals } from "@std/assert";
import { inColor } from "../../../openapi/cli/_color.ts";

/** What is printed, where, and with the colors of a terminal. */
const TEXTS: readonly (readonly [text: string, to: "print" | "printError", colored: string])[] = [
  ["Wrote a.json (1 file)\n", "print", "\x1b[32mWrote\x1b[39m a.json (1 file)\n"],
  ["Up to date: a.json\n", "print", "\x1b[32mUp to date:\x1b[39m a.json\n"],
  ["Usage: gatehouse new\n", "print", "Usage: gatehouse new\n"],
  ["Not a Wrote\n", "print", "Not a Wrote\n"],
  ["", "print", ""],
  ["Note: Wrote\n", "printError", "\x1b[33mNote:\x1b[39m Wrote\n"],
  ["Directory not found: a\n", "printError", "\x1b[31mDirectory not found: a\x1b[39m\n"],
  [
    "Missing option: --a\n\nUsage\n",
    "printError",
    "\x1b[31mMissing option: --a\x1b[39m\n\nUsage\n",
  ],
];
for (const [text, to, colored] of TEXTS) {
  Deno.test(`inColor() colors ${to} of ${JSON.stringify(text)} on a terminal, and nowhere else`, () => {
    const printed: string[] = [];
    const output = {
      print: (text: string) => void printed.push(text),
      printError: (text: string) => void printed.push(text),
    };
    inColor(output, { stdout: true, stderr: true })[to](text);
    inColor(output, { stdout: to !== "print", stderr: to !== "printError" })[to](text);
    inColor(output, { stdout: undefined, stderr: undefined })[to](text);
    assertEquals(printed, [colored, text, text]);
  });
}
