/**
 * Where the time of one document goes, for `types_openapi.ts`: `_types_phases.ts <entry>` prints
 * JSON.
 *
 * It calls what the command calls, each for the first time in its process. With `--together`, what
 * the command does at once is done at once, else one after another.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { toFileUrl } from "@std/path";
import { writeDocument } from "../openapi/_document.ts";
import type { TypesOf } from "../openapi/_schema_sources.ts";
import type { SchemaSource } from "../openapi/_standard_schema.ts";
import { findConfig, readDenoTypes, readModuleGraph } from "../openapi/compiler/_modules.ts";
import { readTypes } from "../openapi/compiler/_types.ts";
import type { OpenApiInfo } from "../router/openapi_types.ts";
import { listenForDefinitions } from "../openapi/compiler/_stacks.ts";
import type { RouteSource } from "../router/types.ts";

/** The one that `openapi/compiler/_program.ts` names. */
const COMPILER = "npm:typescript@6.0.3";

/** Milliseconds of each phase. */
export interface Phases {
  /** Until the application is imported, from the start of the process on. */
  readonly imported: number;
  /** Import of the compiler. */
  readonly compiler: number;
  /** `deno info`. */
  readonly info: number;
  /** `deno types`. */
  readonly declarations: number;
  /** These three at once; each of them is 0 then, and this is 0 otherwise. */
  readonly together: number;
  /** `createProgram()`. */
  readonly program: number;
  /** Of it, making syntax trees of texts. */
  readonly parse: number;
  /** Making the checker, which binds names to what they mean. */
  readonly bind: number;
  /** Reading the types of all routes. */
  readonly types: number;
  /** Writing the document, without reading types. */
  readonly document: number;
}

/** What the harness prints. */
export interface PhasesOutput {
  readonly phases: Phases;
  /** Version of the compiler. */
  readonly typescript: string;
  /** Files that the program is made of. */
  readonly files: number;
}

/** What the compiler measures of itself, which its declarations do not say. */
interface Compiler {
  readonly version: string;
  readonly performance: {
    enable(): boolean;
    getDuration(name: string): number;
    getCount(name: string): number;
  };
}

/** An application that exports its router. */
interface Application {
  readonly router: RouteSource & { readonly info: OpenApiInfo };
}

async function measurePhases(path: string, together: boolean): Promise<PhasesOutput> {
  listenForDefinitions();
  const entry = toFileUrl(path).href;
  const { router } = await import(entry) as Application;
  const imported = performance.now(); // which counts from the start of the process on
  const steps = [loadCompiler, () => readModuleGraph([entry], findConfig()), readDenoTypes];
  const alone: number[] = [];
  for (const step of together ? [] : steps) alone.push(await timed(step));
  const atOnce = together ? await timed(() => Promise.all(steps.map((step) => step()))) : 0;
  const [compiler = 0, info = 0, declarations = 0] = alone;

  const { version, performance: clock } = await loadCompiler();
  clock.enable();
  const { typesOf, notes } = await readTypes(entry, router.routes);
  const reading = createStopwatch(typesOf);
  const whole = await timed(() => writeDocument(router.info, router, reading.typesOf));
  if (notes.size > 0) throw new Error(`Cannot measure: ${[...notes].join("; ")}`);
  const phases = {
    ...{ imported, compiler, info, declarations, together: atOnce },
    program: clock.getDuration("Program"),
    parse: clock.getDuration("Parse"),
    bind: clock.getDuration("Bind"),
    types: reading.ms(),
    document: whole - reading.ms(),
  };
  const unknown = [phases.program, phases.parse, phases.bind, phases.types].some((ms) => !(ms > 0));
  if (unknown) throw new Error("Cannot measure: the compiler did not say what it did");
  return { phases, typescript: version, files: clock.getCount("beforeParse") };
}

/** The compiler, by a specifier that is no literal, as the command loads it. */
async function loadCompiler(): Promise<Compiler> {
  const name: string = COMPILER;
  const { default: compiler } = await import(name) as { readonly default: Compiler };
  return compiler;
}

async function timed(step: () => unknown): Promise<number> {
  const start = performance.now();
  await step();
  return performance.now() - start;
}

/** Adds up the time that types are read in, which is whenever a document asks for one. */
function createStopwatch(typesOf: TypesOf): { readonly typesOf: TypesOf; ms(): number } {
  let total = 0;
  function counted<T>(read: () => T): T {
    const start = performance.now();
    const result = read();
    total += performance.now() - start;
    return result;
  }
  /** A schema is not read before it is converted. */
  function watch(found: unknown): unknown {
    if (!isSource(found)) return found;
    const { "~standard": { vendor, jsonSchema } } = found;
    const read = (options: { target: string }): unknown =>
      counted(() => jsonSchema?.input(options));
    return { "~standard": { vendor, jsonSchema: { input: read, output: read } } };
  }
  return {
    ms: () => total,
    typesOf(route) {
      const types = counted(() => typesOf(route));
      if (types === undefined) return undefined;
      const members = Object.entries<(...args: never[]) => unknown>({ ...types });
      const watched = members.map(([name, read]) => [
        name,
        (...args: never[]) => watch(counted(() => read(...args))),
      ]);
      return Object.fromEntries(watched) as typeof types;
    },
  };
}

function isSource(value: unknown): value is SchemaSource {
  return typeof value === "object" && value !== null && "~standard" in value;
}

if (import.meta.main) {
  const [path = "", ...flags] = Deno.args;
  console.log(JSON.stringify(await measurePhases(path, flags.includes("--together"))));
}
