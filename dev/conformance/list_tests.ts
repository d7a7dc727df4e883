/**
 * Prints the names of the tests of modules as JSON, by module, without running the tests.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { toFileUrl } from "@std/path";

const names: Record<string, string[]> = {};
let current: string[] = [];

/** The forms of `Deno.test`: a name, an object with a name, or a function with one. A test that is ignored shows nothing. */
function record(...args: readonly unknown[]): void {
  const [first, second] = args;
  const named = [first, second].find((one) => typeof one === "object" || typeof one === "function");
  const { name, ignore = false } = named as { readonly name: string; readonly ignore?: boolean };
  if (!ignore) current.push(typeof first === "string" ? first : name);
}

Object.defineProperty(Deno, "test", {
  value: Object.assign(record, { only: record, ignore() {}, beforeAll() {}, afterAll() {} }),
});
for (const path of Deno.args) {
  names[path] = current = [];
  await import(toFileUrl(path).href);
}
console.log(JSON.stringify(names));
Deno.exit(); // whatever a module has opened
