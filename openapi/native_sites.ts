/**
 * From a route to the source that says it: the call of a router's method, or the method of a class.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import type ts from "typescript";
import type { TypeContext } from "./native_type_context.ts";

/** A place in a stack. */
export interface Frame {
  /** URL of the file. */
  readonly url: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

/** Modules of this package, which are in every stack. */
const OWN_FOLDERS = ["./", "../router/"].map((folder) => new URL(folder, import.meta.url).href);

/** The places of a stack that are the application's, innermost first. */
export function framesOf(stack: string): readonly Frame[] {
  return stack.split("\n").flatMap((text) => {
    const match = /(?:^|[\s(@])((?:\w+:\/\/|\/|[A-Za-z]:[\\/])\S*?):(\d+):(\d+)\)?$/.exec(text);
    if (match === null) return [];
    const [, place = "", line, column] = match;
    const url = /^\w+:\/\//.test(place) ? place : new URL(`file://${place}`).href; // Bun has paths
    if (OWN_FOLDERS.some((folder) => url.startsWith(folder))) return [];
    return [{ url, line: Number(line), column: Number(column) }];
  });
}

/** The call at a place; `undefined` if nothing is called there, or the file is not in the program. */
export function callAt(
  { ts, program }: TypeContext,
  { url, line, column }: Frame,
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

/** The class of a name in the files of a stack; one without a name is the one around a place. */
export function classAt(
  { ts, program }: TypeContext,
  frames: readonly Frame[],
  name: string,
): ts.ClassLikeDeclaration | undefined {
  for (const url of new Set(frames.map((one) => one.url))) {
    const file = program.getSourceFile(fileOf(url));
    if (file === undefined) continue;
    let found: ts.ClassLikeDeclaration | undefined;
    const visit = (node: ts.Node): void => {
      if (ts.isClassLike(node) && nameOf(ts, node) === name) found ??= node;
      ts.forEachChild(node, visit);
    };
    visit(file);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name that a class has at run time. */
function nameOf(compiler: typeof ts, node: ts.ClassLikeDeclaration): string {
  if (node.name !== undefined) return node.name.text;
  const { parent } = node;
  if (compiler.isVariableDeclaration(parent) && compiler.isIdentifier(parent.name)) {
    return parent.name.text;
  }
  return compiler.isClassDeclaration(node) ? "default" : "";
}

function fileOf(url: string): string {
  return url.startsWith("file:") ? fromFileUrl(url) : url;
}
