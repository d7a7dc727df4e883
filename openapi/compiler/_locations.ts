/**
 * From a route to the source that says it: the call of a router's method, or the method of a class.
 *
 * @module
 */

import { fromFileUrl, toFileUrl } from "@std/path";
import process from "node:process";
import type ts from "typescript";
import { listenForDefinitions, locationsOf, type SourceLocation } from "./_stacks.ts";
import type { TypeContext } from "./_type_context.ts";

/** Modules of this package, which are in every stack. */
const OWN_FOLDERS = ["../", "../../router/"].map((folder) => new URL(folder, import.meta.url).href);

/** Notes from now on where the application that is imported says its routes. */
export function recordLocations(): void {
  listenForDefinitions();
  process.setSourceMapsEnabled?.(true); // for Node, which reads the maps of compilers only then
}

/** Where the application says something, innermost place first, with URLs of files. */
export function applicationLocations(what: object): readonly SourceLocation[] {
  return locationsOf(what)
    .map((site) => sourceOf({ ...site, file: urlOf(site.file) }))
    .filter(({ file }) => !isOwnModule(file));
}

/** Whether something stands in the modules of this package that every stack has. */
export function isOwnModule(url: string): boolean {
  return OWN_FOLDERS.some((folder) => url.startsWith(folder));
}

/** Where compiled JavaScript was written. Deno and Bun say so themselves. */
function sourceOf(site: SourceLocation): SourceLocation {
  if (!/^file:.*\.[cm]?js$/.test(site.file)) return site;
  const map = process.getBuiltinModule?.("node:module").findSourceMap?.(fromFileUrl(site.file));
  const entry = map?.findEntry(site.line - 1, site.column - 1);
  if (entry === undefined || !("originalSource" in entry)) return site;
  const { originalSource, originalLine, originalColumn } = entry;
  return { file: urlOf(originalSource), line: originalLine + 1, column: originalColumn + 1 };
}

function urlOf(file: string): string {
  return /^[a-z][a-z\d+.-]+:/i.test(file) ? file : toFileUrl(file).href; // `C:` is no scheme
}

/** The call at a place; `undefined` if nothing is called there, or the file is not in the program. */
export function callAt(
  { ts, program }: TypeContext,
  { file: url, line, column }: SourceLocation,
): ts.CallExpression | undefined {
  const file = program.getSourceFile(fileOf(url));
  if (file === undefined) return undefined;
  const start = file.getLineStarts()[line - 1];
  if (start === undefined) return undefined;
  const position = start + column - 1;
  let found: ts.CallExpression | undefined;
  const visit = (node: ts.Node): void => {
    if (position < node.getStart(file) || position >= node.end) return;
    if (ts.isCallExpression(node) && isCalledAt(node, position, file)) found = node;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether a position is where a runtime says that something is called: at its name, or what stands behind that. */
function isCalledAt(
  node: ts.CallExpression,
  position: number,
  file: ts.SourceFile,
): boolean {
  return position >= node.expression.getStart(file) && position < node.arguments.pos;
}

/**
 * The class that was decorated at a place. Where none stands around it, since its decorator was called by hand, it is
 * the only one of its name in the file.
 *
 * @param name The name that the class has at run time.
 */
export function classAt(
  context: TypeContext,
  sites: readonly SourceLocation[],
  name: string,
): ts.ClassLikeDeclaration | undefined {
  const files = sites.flatMap((site) => {
    const file = context.program.getSourceFile(fileOf(site.file));
    return file === undefined ? [] : [{ ...site, file }];
  });
  for (const { file, line, column } of files) {
    const position = (file.getLineStarts()[line - 1] ?? file.end) + column - 1;
    const found = classesIn(context, file, name).find((one) =>
      isDecoratedAt(context, one, position)
    );
    if (found !== undefined) return found;
  }
  for (const file of new Set(files.map((one) => one.file))) {
    const [only, ...others] = classesIn(context, file, name);
    if (only !== undefined && others.length === 0) return only;
  }
  return undefined;
}

/**
 * Whether a runtime may say that a class is decorated at a position: at its beginning, the word `class`, its name, what it
 * extends, or its end. Helpers of compilers are in the stack, too, at lines of code that nobody wrote.
 */
function isDecoratedAt(
  { ts }: TypeContext,
  node: ts.ClassLikeDeclaration,
  position: number,
): boolean {
  const decorators = ts.getDecorators(node) ?? [];
  const keyword = node.getChildren().find(({ kind }) => kind === ts.SyntaxKind.ClassKeyword);
  const base = node.heritageClauses?.[0]?.types[0];
  const places = [node, ...decorators, keyword, node.name, base]
    .flatMap((one) => one?.getStart() ?? []);
  return decorators.length > 0 && [...places, node.end - 1].includes(position);
}

/** The classes that may have a name. */
function classesIn(
  { ts }: TypeContext,
  file: ts.SourceFile,
  name: string,
): readonly ts.ClassLikeDeclaration[] {
  const found: ts.ClassLikeDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node) && mayBeCalled(ts, node, name)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether a class may have a name at run time. One that is written without has that of its variable, or a made-up one. */
function mayBeCalled(
  compiler: typeof ts,
  { name: own, parent }: ts.ClassLikeDeclaration,
  name: string,
): boolean {
  if (own !== undefined) return own.text === name;
  if (/^(?:_?default)?$/.test(name)) return true;
  return compiler.isVariableDeclaration(parent) && parent.name.getText() === name;
}

function fileOf(url: string): string {
  return url.startsWith("file:") ? fromFileUrl(url) : url;
}
