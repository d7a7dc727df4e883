/**
 * Prints what 200 routes cost the type checker, by how they are written: `deno task bench:types`.
 *
 * The compiler's own count of type instantiations, for a file of 200 routes together with the router's sources, without
 * a schema library.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import ts from "npm:typescript@6.0.3";

const ROUTES = 200;
const ROUTER = new URL("../router/mod.ts", import.meta.url).pathname;
const FILE = new URL("./_generated_routes.ts", import.meta.url).pathname;

/** Most instantiations that each form may cost. */
const TARGETS: Readonly<Record<string, number>> = {
  "inferred": 22_500,
  "explicit": 22_500,
  "guarded inferred": 22_500,
  "guarded explicit": 22_500,
};

/** One route of each form, by number. */
const FORMS: Readonly<Record<string, (n: number) => string>> = {
  "inferred": (n) =>
    n % 2 === 0
      ? `router.get("/r${n}/:org/users/:id", (req) => json({ id: req.params.id, org: req.params.org }));`
      : `router.post("/r${n}/:org/users", (req) => json({ org: req.params.org, got: req.content }));`,
  "explicit": (n) =>
    n % 2 === 0
      ? `router.get<RequestSpec<PathParams<{ id: string }>, QueryParams<{ q?: string }>>, ResponseSpec<User>>("/r${n}/:id", (req) => json({ id: ${n}, name: req.params.id }));`
      : `router.post<RequestSpec<Json<New${n}>, PathParams<{ org: string }>>, ResponseSpec<User>>("/r${n}/:org", (req) => json({ id: ${n}, name: req.content.name }));`,
  "guarded inferred": (n) =>
    n % 2 === 0
      ? `guarded.get("/r${n}/:org/users/:id", (req) => json({ id: req.params.id, by: req.principal.sub }));`
      : `guarded.post("/r${n}/:org/users", (req) => json({ org: req.params.org, by: req.principal.sub }));`,
  "guarded explicit": (n) =>
    n % 2 === 0
      ? `guarded.get<RequestSpec<PathParams<{ id: string }>, QueryParams<{ q?: string }>>, ResponseSpec<User>>("/r${n}/:id", (req) => json({ id: ${n}, name: req.principal.sub }));`
      : `guarded.post<RequestSpec<Json<New${n}>, PathParams<{ org: string }>>, ResponseSpec<User>>("/r${n}/:org", (req) => json({ id: ${n}, name: req.content.name }));`,
};

function source(form: (n: number) => string): string {
  const numbers = Array.from({ length: ROUTES }, (_, n) => n);
  return [
    `import { createRouter, json, type Json, type PathParams, type QueryParams, type RequestSpec, type ResponseSpec } from "../router/mod.ts";`,
    `interface User { id: number; name: string }`,
    ...numbers.map((n) => `interface New${n} { name: string; n${n}: number }`),
    `const router = createRouter();`,
    `const guarded = createRouter().withAuth<{ readonly sub: string }>({ guard: () => ({ sub: "ada" }) });`,
    ...numbers.map(form),
    `export { guarded, router };`,
  ].join("\n");
}

function instantiations(text: string): number {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.readFile = (name) => name === FILE ? text : readFile(name);
  host.fileExists = (name) => name === FILE || ts.sys.fileExists(name);
  host.getSourceFile = (name, version) => {
    const content = host.readFile(name);
    return content === undefined ? undefined : ts.createSourceFile(name, content, version);
  };
  const program = ts.createProgram([FILE, ROUTER], options, host);
  const problems = program.getSemanticDiagnostics(program.getSourceFile(FILE));
  for (const { messageText } of problems) {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
  }
  return program.getInstantiationCount();
}

if (import.meta.main) {
  let missed = false;
  for (const [name, form] of Object.entries(FORMS)) {
    const count = instantiations(source(form));
    const target = TARGETS[name] ?? 0;
    missed ||= count > target;
    console.log(
      `${name.padEnd(18)} ${String(count).padStart(7)} instantiations (target ${target})`,
    );
  }
  Deno.exit(missed ? 1 : 0);
}
