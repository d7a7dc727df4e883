/**
 * From a route to the source that says it: the call of a router's method, or the method of a class.
 *
 * @module
 */

import { fromFileUrl, toFileUrl } from "@std/path";
import type ts from "typescript";
import { type Site, sitesOf } from "../router/sites.ts";
import type { TypeContext } from "./native_type_context.ts";

/** Modules of this package, which are in every stack. */
const OWN_FOLDERS = ["./", "../router/"].map((folder) => new URL(folder, import.meta.url).href);

/** Where the application says something, innermost place first, with URLs of files. */
export function applicationSites(what: object): readonly Site[] {
  return sitesOf(what)
    .map((site) => ({ ...site, file: urlOf(site.file) }))
    .filter(({ file }) => !OWN_FOLDERS.some((folder) => file.startsWith(folder)));
}

function urlOf(file: string): string {
  return /^[a-z][a-z\d+.-]+:/i.test(file) ? file : toFileUrl(file).href; // `C:` is no scheme
}

/** The call at a place; `undefined` if nothing is called there, or the file is not in the program. */
export function callAt(
  { ts, program }: TypeContext,
  { file: url, line, column }: Site,
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
  sites: readonly Site[],
  name: string,
): ts.ClassLikeDeclaration | undefined {
  for (const url of new Set(sites.map((one) => one.file))) {
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
