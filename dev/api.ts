/**
 * Keeps the public API in `tests/project/api.txt`, so that a change to it is a change somebody
 * reads.
 *
 * `deno task api` writes the file, `deno task api --check` fails if it is out of date. One line per
 * exported symbol, its members indented below it; what several entries export is printed once.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join, toFileUrl } from "@std/path";
import { packageModules, readConfig, ROOT, runDeno } from "./_project.ts";
import type { DocCallable, DocMembers, DocType, DocTypeParam } from "./_doc_types.ts";
import { formatCallable, formatMembers, formatType, formatTypeParams } from "./_doc_types.ts";

const SNAPSHOT = join(ROOT, "tests/project/api.txt");

/**
 * The part of `deno doc --json` that the snapshot is made of: the symbols of each module, by its
 * URL.
 */
export interface DocOutput {
  readonly nodes: Readonly<Record<string, { readonly symbols?: readonly DocSymbol[] }>>;
}

/**
 * An exported name and what it stands for: more than one declaration if it is overloaded or merged.
 */
export interface DocSymbol {
  readonly name: string;
  readonly declarations: readonly DocDeclaration[];
}

/** One declaration. */
export interface DocDeclaration {
  readonly kind: string;
  readonly def: unknown;
  readonly location: DocLocation;
}

interface DocLocation {
  readonly filename: string;
  readonly line: number;
  readonly col: number;
}

interface ClassDefinition extends DocMembers {
  readonly isAbstract?: boolean;
  readonly extends?: string | readonly DocType[];
  readonly superTypeParams?: readonly DocType[];
  readonly implements?: readonly DocType[];
  readonly typeParams?: readonly DocTypeParam[];
}

/**
 * The snapshot's text.
 *
 * @param output What `deno doc --json` says of all modules.
 * @param entries The URL of each entry's module, by the entry's name.
 */
export function formatApi(output: DocOutput, entries: ReadonlyMap<string, string>): string {
  const declared = indexDeclarations(output);
  const firstEntries = new Map<string, string>();
  const sections: string[] = [];
  for (const [entry, module] of entries) {
    const lines = [`[${entry}]`];
    for (const symbol of [...output.nodes[module]?.symbols ?? []].sort(byName)) {
      const { name, declarations } = dropImplementation(resolveSymbol(symbol, declared));
      const renamed = name === symbol.name ? "" : `${symbol.name} = `;
      const id = declarations.map(locationId).join();
      const first = firstEntries.get(id);
      if (first !== undefined) lines.push(`${renamed}${name}: see [${first}]`);
      else lines.push(...declarations.flatMap((each) => formatDeclaration(renamed + name, each)));
      firstEntries.set(id, first ?? entry);
    }
    sections.push(lines.join("\n"));
  }
  return sections.join("\n\n") + "\n";
}

function formatDeclaration(name: string, { kind, def }: DocDeclaration): string[] {
  switch (kind) {
    case "function":
      return [`function ${name}${formatCallable(def as DocCallable)}`];
    case "variable": {
      const variable = def as { kind: string; tsType?: DocType };
      const type = variable.tsType === undefined ? "" : `: ${formatType(variable.tsType)}`;
      return [`${variable.kind} ${name}${type}`];
    }
    case "typeAlias": {
      const alias = def as { tsType: DocType; typeParams?: readonly DocTypeParam[] };
      return [`type ${name}${formatTypeParams(alias.typeParams)} = ${formatType(alias.tsType)}`];
    }
    case "interface":
    case "class":
      return formatClass(kind, name, def as ClassDefinition);
    case "namespace": // export * as name
      return [`namespace ${name}`];
    default:
      throw new TypeError(`Cannot print ${name}: unknown kind of declaration ${kind}`);
  }
}

function formatClass(kind: "interface" | "class", name: string, def: ClassDefinition): string[] {
  const parents = typeof def.extends === "string"
    ? [def.extends + formatArguments(def.superTypeParams)]
    : (def.extends ?? []).map(formatType);
  const head = [
    `${def.isAbstract ? "abstract " : ""}${kind} ${name}${formatTypeParams(def.typeParams)}`,
    parents.length === 0 ? "" : ` extends ${parents.join(", ")}`,
    (def.implements ?? []).length === 0
      ? ""
      : ` implements ${(def.implements ?? []).map(formatType).join(", ")}`,
  ].join("");
  const members = formatMembers(def, kind === "class" ? "constructor" : "new ");
  return [head, ...members.map((member) => `  ${member}`)];
}

function formatArguments(types: readonly DocType[] = []): string {
  return types.length === 0 ? "" : `<${types.map(formatType).join(", ")}>`;
}

/** Follows re-exports to the module that declares the symbol. */
function resolveSymbol(
  symbol: DocSymbol,
  declared: ReadonlyMap<string, DocSymbol>,
): DocSymbol {
  const reference = symbol.declarations.find(({ kind }) => kind === "reference");
  if (reference === undefined) return symbol;
  const target = (reference.def as { target: DocLocation }).target;
  const found = declared.get(`${target.filename}:${target.line}:${target.col}`);
  if (found === undefined) {
    throw new Error(
      `Cannot find the declaration of ${symbol.name}: ${target.filename}:${target.line}`,
    );
  }
  return found;
}

/** The implementation of an overloaded function is not one of its signatures. */
function dropImplementation({ name, declarations }: DocSymbol): DocSymbol {
  const overloads = declarations.filter(({ kind, def }) =>
    kind !== "function" || !(def as { hasBody?: boolean }).hasBody
  );
  return { name, declarations: overloads.length === 0 ? declarations : overloads };
}

function indexDeclarations({ nodes }: DocOutput): Map<string, DocSymbol> {
  const declared = new Map<string, DocSymbol>();
  for (const symbol of Object.values(nodes).flatMap(({ symbols = [] }) => symbols)) {
    for (const declaration of symbol.declarations) {
      if (declaration.kind !== "reference") declared.set(locationId(declaration), symbol);
    }
  }
  return declared;
}

function locationId({ location }: DocDeclaration): string {
  return `${location.filename}:${location.line}:${location.col}`;
}

function byName(a: DocSymbol, b: DocSymbol): number {
  return a.name < b.name ? -1 : 1;
}

async function readApi(): Promise<string> {
  const output = await runDeno(["doc", "--json", ...packageModules()]);
  if (!output.success) throw new Error(`Cannot read the API: ${output.stderr}`);
  const entries = Object.entries(readConfig().exports)
    .map(([name, path]) => [name, toFileUrl(join(ROOT, path)).href] as const);
  return formatApi(JSON.parse(output.stdout) as DocOutput, new Map(entries));
}

async function main(args: readonly string[]): Promise<void> {
  const text = await readApi();
  if (!args.includes("--check")) {
    await Deno.writeTextFile(SNAPSHOT, text);
    console.log(`Wrote ${text.split("\n").length} lines to tests/project/api.txt`);
    return;
  }
  const kept = await Deno.readTextFile(SNAPSHOT).catch(() => "");
  const [old, now] = [new Set(kept.split("\n")), new Set(text.split("\n"))];
  for (const line of old.difference(now)) console.error(`- ${line}`);
  for (const line of now.difference(old)) console.error(`+ ${line}`);
  if (kept !== text) {
    console.error("The public API changed: run `deno task api` and read the difference");
    Deno.exit(1);
  }
}

if (import.meta.main) await main(Deno.args);
