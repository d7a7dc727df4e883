import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import ts from "typescript";
import { listFiles, ROOT } from "../../dev/_project.ts";

const ASSETS = "examples/notes/assets";
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  lib: ["lib.esnext.d.ts"], // without the DOM: what comes from a page has no type, and fits everywhere
  types: [],
  strict: true,
  noImplicitAny: false,
  allowJs: true,
  checkJs: true,
  noEmit: true,
};

/** Code of the compiler for names of the DOM, such as `location`. */
const UNKNOWN_NAME = 2304;

/** Calls of routes of providers: the document is written without any. */
const UNDOCUMENTED = ["POST /auth/identities/unlink", "POST /auth/oauth/{provider}/link"];

/** Calls of `send()` in a script, and what the compiler finds in them. */
function callsOf(file: ts.SourceFile, program: ts.Program): { calls: number; problems: string[] } {
  const found: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText(file) === "send") found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const isWithin = (start = 0) =>
    found.some((call) => call.getStart(file) <= start && start < call.end);
  const problems = program.getSemanticDiagnostics(file)
    .filter(({ start, code }) => isWithin(start) && code !== UNKNOWN_NAME)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
    .filter((text) => !UNDOCUMENTED.some((route) => text.includes(route)));
  return { calls: found.length, problems };
}

Deno.test("The example's scripts call its routes as the generated client's types say", () => {
  const scripts = listFiles(ASSETS).filter((path) => path.endsWith(".js"));
  const program = ts.createProgram(scripts.map((path) => join(ROOT, path)), OPTIONS);
  let total = 0;
  for (const path of scripts.filter((one) => !one.endsWith("/client.js"))) {
    const file = program.getSourceFile(join(ROOT, path));
    if (file === undefined) throw new Error(`Cannot read ${path}`);
    const { calls, problems } = callsOf(file, program);
    assertEquals(problems, [], path);
    total += calls;
  }
  assertEquals(total, 29);
});
