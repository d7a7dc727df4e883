import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { runDeno } from "../../dev/_project.ts";
import { type DocOutput, formatApi } from "../../dev/api.ts";

/** Something of everything that TypeScript can export. */
const DECLARATIONS = `
export type Template<T extends string = "x"> = T extends \`\${infer H}/\${string}\` ? H : keyof T;
export type Mapped = { readonly [K in "a" | "b" as \`x\${K}\`]?: K } & { -readonly [K in "c"]-?: K };
export type Literal = { new (a: string): Date; (x?: number): void; [k: string]: unknown; m?(): void };
export type Tuple = readonly [string, number?, ...boolean[]];
export type Call = (this: Date, a: string) => asserts a is "b";
export type Many = typeof overloaded | Literal["m"] | 1n | -1 | null | (new () => Date)[];
export function overloaded<T>({ a }: { a: T }, ...rest: T[]): T;
export function overloaded(a: number, b?: string): number;
export function overloaded(): unknown { return 0; }
export function defaults({ a }: { a?: string } = {}, b: number = 1): boolean { return a === String(b); }
export const VALUE: { readonly a: 1 } = { a: 1 };
export abstract class Base<T> extends Map<string, T> implements Iterable<[string, T]> {
  static count: number = 0;
  #hidden = 1;
  private alsoHidden = 1;
  protected readonly seen: string = "";
  constructor(a: string) { super(); }
  get size2(): number { return this.#hidden + this.alsoHidden; }
  abstract run?(): Promise<void>;
}
export interface Shape<T = 1> extends Iterable<T> {
  readonly a: string;
  b?: (x: unknown) => x is string;
  c<U>(u: U): U;
}
`;

const PRINTED = `[.]
abstract class Base<T> extends Map<string, T> implements Iterable<[string, T]>
  constructor(a: string)
  static count: number
  protected readonly seen: string
  get size2(): number
  abstract run?(): Promise<void>
type Call = (this: Date, a: string) => asserts a is "b"
type Literal = { new (a: string): Date; (x?: number): void; [k: string]: unknown; m?(): void }
type Many = typeof overloaded | Literal["m"] | 1n | -1 | null | (new () => Date)[]
type Mapped = { readonly [K in "a" | "b" as \`x\${K}\`]?: K } & { -readonly [K in "c"]-?: K }
interface Shape<T = 1> extends Iterable<T>
  readonly a: string
  b?: (x: unknown) => x is string
  c<U>(u: U): U
type Template<T extends string = "x"> = T extends \`\${infer H}/\${string}\` ? H : keyof T
type Tuple = readonly [string, number?, ...boolean[]]
const VALUE: { readonly a: 1 }
function defaults({}?: { a?: string }, b?: number): boolean
function overloaded<T>({}: { a: T }, ...rest: T[]): T
function overloaded(a: number, b?: string): number

[./more]
Shape: see [.]
renamed = VALUE: see [.]
`;

Deno.test("formatApi() prints each symbol once, under its first entry, in order", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [main, more] = [join(folder, "main.ts"), join(folder, "more.ts")];
    await Deno.writeTextFile(main, DECLARATIONS);
    await Deno.writeTextFile(more, `export { type Shape, VALUE as renamed } from "./main.ts";\n`);
    const { stdout, success } = await runDeno(["doc", "--json", main, more]);
    assertEquals(success, true);
    const entries = new Map([[".", toFileUrl(main).href], ["./more", toFileUrl(more).href]]);
    assertEquals(formatApi(JSON.parse(stdout) as DocOutput, entries), PRINTED);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
