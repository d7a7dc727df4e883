/**
 * The statuses in a handler's code: `json(note, { status: 201 })`. If a route has type arguments, only the statuses are
 * missing, and reading them from the code takes a tenth of the time of checking it.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import { fileNameOf } from "./_modules.ts";
import { declarationOf, targetOf, type TypeContext } from "./_type_context.ts";

/** A response that a handler creates with a literal status. */
export interface MadeResponse {
  readonly status: string;
  /** Whether it has data. */
  readonly hasData: boolean;
  /** Whether it is a stream of events. */
  readonly isStream: boolean;
}

/** Modules of the functions that create responses. */
const OWN_MODULES: readonly string[] = ["response", "problem", "live/sse", "live/websocket"]
  .map((name) =>
    fileNameOf({ specifier: new URL(`../../router/${name}.ts`, import.meta.url).href })
  );

/** The responses that a function returns; `undefined` if one of them is created in another way. */
export function responsesMadeBy(
  context: TypeContext,
  handler: ts.Expression,
): readonly MadeResponse[] | undefined {
  const { ts } = context;
  if (!ts.isArrowFunction(handler) && !ts.isFunctionExpression(handler)) return undefined;
  if (handler.type !== undefined || handler.asteriskToken !== undefined) return undefined;
  const found: MadeResponse[] = [];
  for (const returned of returnsOf(context, handler.body)) {
    const made = madeBy(context, returned);
    if (made === undefined) return undefined;
    found.push(...made);
  }
  return found;
}

/** The expressions that a body returns, without those of nested functions. */
function returnsOf({ ts }: TypeContext, body: ts.ConciseBody): readonly ts.Expression[] {
  if (!ts.isBlock(body)) return [body];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

function madeBy(context: TypeContext, node: ts.Expression): readonly MadeResponse[] | undefined {
  const { ts } = context;
  if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node)) {
    return madeBy(context, node.expression);
  }
  if (ts.isConditionalExpression(node)) {
    const [one, other] = [madeBy(context, node.whenTrue), madeBy(context, node.whenFalse)];
    return one && other && [...one, ...other];
  }
  if (!ts.isCallExpression(node)) return undefined;
  const name = ownFunctionName(context, node.expression);
  if (name === "pass") return []; // another route answers
  const status = statusOf(context, name, node.arguments);
  if (status === undefined) return undefined;
  const isStream = name === "sse";
  return [{ status, hasData: isStream || name === "json", isStream }];
}

/** The status of a call of one of our functions; `undefined` if it is not a literal. */
function statusOf(
  context: TypeContext,
  name: string | undefined,
  [first, second]: readonly ts.Expression[],
): string | undefined {
  switch (name) {
    case "json":
      return statusOfInit(context, second);
    case "sse":
      return "200";
    case "websocket":
      return "101";
    case "empty":
      return numberOf(context, first, "204");
    case "redirect":
      return numberOf(context, second, "302");
    case "problem":
      return numberOf(context, first);
    default:
      return undefined;
  }
}

/** The name of one of our functions, whatever its local name. */
function ownFunctionName(context: TypeContext, node: ts.Expression): string | undefined {
  if (!context.ts.isIdentifier(node)) return undefined;
  const symbol = context.checker.getSymbolAtLocation(node);
  const target = symbol && targetOf(context, symbol);
  const declaration = target && declarationOf(target);
  const isOwn = declaration !== undefined &&
    OWN_MODULES.includes(declaration.getSourceFile().fileName);
  return isOwn ? target?.name : undefined;
}

function numberOf(
  { ts }: TypeContext,
  node: ts.Expression | undefined,
  standard?: string,
): string | undefined {
  if (node === undefined) return standard;
  return ts.isNumericLiteral(node) ? node.text : undefined;
}

/** The status in a `ResponseInit`, by default 200; `undefined` if it is not a literal or may be in a spread. */
function statusOfInit(context: TypeContext, node: ts.Expression | undefined): string | undefined {
  const { ts } = context;
  if (node === undefined) return "200";
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  let status: string | undefined = "200";
  for (const one of node.properties) {
    const name =
      one.name !== undefined && (ts.isIdentifier(one.name) || ts.isStringLiteral(one.name))
        ? one.name.text
        : undefined;
    if (name === "status") {
      status = ts.isPropertyAssignment(one) ? numberOf(context, one.initializer) : undefined;
    } else if (name === undefined) {
      status = undefined;
    }
  }
  return status;
}
