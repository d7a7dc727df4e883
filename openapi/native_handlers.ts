/**
 * The types of a handler: what it gets, what it sends, and what the validators of its route take.
 *
 * @module
 */

import type ts from "typescript";
import type { RequestPart } from "./_sources.ts";
import { isMissingType, type TypeContext, withoutNoInfer } from "./native_type_context.ts";

/** The types that a route has. */
export interface HandlerTypes {
  /** Where they are written, for messages. */
  readonly node: ts.Node;
  /** The type of a part of the request; `undefined` if the handler does not take it. */
  request(member: "content" | "params" | "query"): ts.Type | undefined;
  /** The type that a part's validator takes; `undefined` if it does not say. */
  validated(part: RequestPart): ts.Type | undefined;
  /** The types of the data that it sends, one for each kind of response; none where a response's data is not known. */
  data(): readonly ts.Type[];
}

/** The handler that a call of a router's method adds; `undefined` if the call is none. */
export function handlerAt(context: TypeContext, call: ts.CallExpression): HandlerTypes | undefined {
  const { ts, checker } = context;
  const [, handler, options] = call.arguments;
  const parameter = checker.getResolvedSignature(call)?.parameters[1];
  if (handler === undefined || parameter === undefined) return undefined;
  const [stated] = checker.getTypeOfSymbolAtLocation(parameter, call).getCallSignatures();
  if (stated === undefined) return undefined;
  const own = checker.getTypeAtLocation(handler).getCallSignatures()[0];
  const { expression } = call;
  return createHandler(
    context,
    ts.isPropertyAccessExpression(expression) ? expression.name : call,
    {
      signatures: own === undefined ? [stated] : [stated, own],
      options: options === undefined ? [] : [options],
    },
  );
}

/** The handler that a controller's method is; `undefined` if the class has no such method. */
export function methodAt(
  context: TypeContext,
  node: ts.ClassLikeDeclaration,
  name: string,
): HandlerTypes | undefined {
  const { ts, checker } = context;
  const method = checker.getPropertyOfType(checker.getTypeAtLocation(node), name);
  if (method === undefined) return undefined;
  const [signature] = checker.getTypeOfSymbolAtLocation(method, node).getCallSignatures();
  const declaration = method.valueDeclaration;
  if (signature === undefined || declaration === undefined) return undefined;
  const decorators = ts.canHaveDecorators(declaration) ? ts.getDecorators(declaration) ?? [] : [];
  return createHandler(context, declaration, {
    signatures: [signature],
    options: decorators.flatMap(({ expression }) =>
      ts.isCallExpression(expression) ? expression.arguments[1] ?? [] : []
    ),
  });
}

/** What a handler's types are read from. */
interface HandlerSource {
  /** What the route says of its handler, then what the handler says itself. */
  readonly signatures: readonly [ts.Signature, ...ts.Signature[]];
  /** The options of its routes. */
  readonly options: readonly ts.Expression[];
}

function createHandler(
  context: TypeContext,
  node: ts.Node,
  { signatures, options }: HandlerSource,
): HandlerTypes {
  const { checker } = context;
  const [parameter] = signatures[0].parameters;
  const request = parameter && checker.getTypeOfSymbolAtLocation(parameter, node);
  return {
    node,
    request: (name) =>
      request && (isMissingType(request) ? request : memberType(context, request, [name])),
    validated(part) {
      for (const one of options) {
        const type = checker.getTypeAtLocation(one);
        const input = memberType(context, type, ["schema", part, "~standard", "types", "input"]);
        if (input !== undefined) return input;
      }
      return undefined;
    },
    data() {
      for (const signature of signatures) {
        const types = dataTypes(context, checker.getReturnTypeOfSignature(signature));
        if (types.length > 0) return types;
      }
      return [];
    },
  };
}

/** The data of the responses that a handler returns; none if one of them does not say. */
function dataTypes(context: TypeContext, result: ts.Type): readonly ts.Type[] {
  const { checker } = context;
  const response = checker.getAwaitedType(result) ?? result;
  if (isMissingType(response)) return [response];
  const found: ts.Type[] = [];
  for (const one of response.isUnion() ? response.types : [response]) {
    if (checker.getPropertyOfType(one, "~pass") !== undefined) continue; // another route answers
    const data = checker.getPropertyOfType(one, "~data");
    if (data === undefined) return [];
    found.push(withoutNoInfer(context, checker.getTypeOfSymbol(data)));
  }
  return found;
}

/** The type of a member, and of a member of that, where each is there. */
function memberType(
  context: TypeContext,
  type: ts.Type,
  path: readonly string[],
): ts.Type | undefined {
  const { checker } = context;
  let found = type;
  for (const name of path) {
    const member = checker.getPropertyOfType(checker.getNonNullableType(found), name);
    if (member === undefined) return undefined;
    found = withoutNoInfer(context, checker.getTypeOfSymbol(member));
  }
  return found;
}
