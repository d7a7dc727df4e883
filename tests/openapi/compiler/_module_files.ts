/**
 * Modules that applications import types from.
 *
 * @module
 */

import type { Files } from "../_cli.ts";

/** Files that others import. */
export const LIBRARY: Files = {
  "lib/a.ts": `export interface A { a: 1 }
    export type { B as Other } from "./b.ts";
    export default interface Standard { standard: 1 }`,
  "lib/b.ts": `import type { A } from "./a.ts";
    export interface B { b: 1; again?: A }
    export type { Cycle } from "./cycle.ts";`,
  "lib/cycle.ts": `import type { B } from "./b.ts"; export interface Cycle { b: B; self?: Cycle }`,
  "lib/mod.ts": `export * from "./a.ts"; export * as all from "./b.ts";
    export type * from "./types.d.ts"; export type * as types from "./types.d.ts";
    export { type A as Second, default as First } from "./a.ts";`,
  "lib/types.d.ts": `export interface T { t: 1 } declare global { interface FromTypes { g: 1 } }`,
  "lib/global.ts": `declare global { interface FromModule { h: 1 } } export {};`,
  "lib/ambient.d.ts": `interface Ambient { ambient: 1 }
    declare module "ambient" { export interface Inner { inner: 1 } }`,
  "lib/data.json": `{"n": 1, "s": "x", "l": [1, 2], "o": {"k": null}}`,
  "lib/text.txt": "hello",
  "lib/doc.js": `/** @typedef {{ j: 1, o?: string }} J */
    /** @returns {J} */
    export function make() { return { j: 1 }; }
    export const inferred = { q: 1, r: "x" };`,
  "lib/value.js": "export const value = { wrong: 1 };",
  "lib/value.d.ts": "export interface V { v: 1 } export declare const value: V;",
  "lib/self.js": '// @ts-self-types="./value.d.ts"\nexport const value = { wrong: 1 };',
  "lib/m.mts": "export interface M { m: 1 }",
  "lib/x.tsx": "export interface X { x: 1 } export const id = <T,>(value: T) => value;",
  "lib/enum.ts": `export const kinds = { A: "a", B: "b" } as const;
    export type Kind = typeof kinds[keyof typeof kinds];`,
};
