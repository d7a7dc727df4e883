/**
 * Maps a route to its source: the call of a router's method, or a method of a class.
 *
 * @module
 */

import { fromFileUrl, toFileUrl } from "@std/path";
import process from "node:process";
import type * as ts from "./_compiler.ts";
import { listenForDefinitions, locationsOf, type SourceLocation } from "./_stacks.ts";
import type { TypeContext } from "./_type_context.ts";

/** Modules of this package, which are in every stack trace. */
const OWN_FOLDERS = ["../", "../../router/"].map((folder) => new URL(folder, import.meta.url).href);

/** Records the source locations of routes from now on, while the application is imported. */
export function recordLocations(): void {
  listenForDefinitions();
  process.setSourceMapsEnabled?.(true); // Node reads source maps only if this is set
}

/** Where the application defines something, innermost location first; files are URLs. */
export function applicationLocations(what: object): readonly SourceLocation[] {
  return locationsOf(what)
    .map((location) => sourceOf({ ...location, file: urlOf(location.file) }))
    .filter(({ file }) => !isOwnModule(file));
}

/** Whether a URL is a module of this package. */
export function isOwnModule(url: string): boolean {
  return OWN_FOLDERS.some((folder) => url.startsWith(folder));
}

/** The original location of compiled JavaScript. Deno and Bun apply source maps themselves. */
function sourceOf(location: SourceLocation): SourceLocation {
  if (!/^file:.*\.[cm]?js$/.test(location.file)) return location;
  const map = process.getBuiltinModule?.("node:module").findSourceMap?.(fromFileUrl(location.file));
  const entry = map?.findEntry(location.line - 1, location.column - 1);
  if (entry === undefined || !("originalSource" in entry)) return location;
  const { originalSource, originalLine, originalColumn } = entry;
  return { file: urlOf(originalSource), line: originalLine + 1, column: originalColumn + 1 };
}

function urlOf(file: string): string {
  return /^[a-z][a-z\d+.-]+:/i.test(file) ? file : toFileUrl(file).href; // `C:` is not a scheme
}

/** The call at a location; `undefined` if there is none, or the file is not part of the program. */
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

/** Whether a runtime may report a call at a position: anywhere from the callee to the opening parenthesis. */
function isCalledAt(
  node: ts.CallExpression,
  position: number,
  file: ts.SourceFile,
): boolean {
  return position >= node.expression.getStart(file) && position < node.arguments.pos;
}

/**
 * The class that was decorated at a location. If no class is there because the decorator was called as a function, it
 * is the only class of that name in the file.
 *
 * @param name Name of the class at run time.
 */
export function classAt(
  context: TypeContext,
  locations: readonly SourceLocation[],
  name: string,
): ts.ClassLikeDeclaration | undefined {
  const files = locations.flatMap((location) => {
    const file = context.program.getSourceFile(fileOf(location.file));
    return file === undefined ? [] : [{ ...location, file }];
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
 * Whether a runtime may report the decoration of a class at a position: its start, its `class` keyword, its name, what
 * it extends, or its end. Helper functions that compilers insert are in the stack trace, too.
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

/** The classes that may have a name at run time. */
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

/** Whether a class may have a name at run time. An anonymous class gets that of its variable, or a generated one. */
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
