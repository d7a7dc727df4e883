/**
 * The types of a handler: its request, its responses, and the inputs of its route's validators.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { RequestPart } from "../_schema_sources.ts";
import { missingInTypes } from "./_unresolved_types.ts";
import { responsesMadeBy } from "./_statuses.ts";
import { isMissingType, type TypeContext, withoutNoInfer } from "./_type_context.ts";

/** The types of a route. */
export interface HandlerTypes {
  /** Where they are written, for messages. */
  readonly node: ts.Node;
  /** The type of a part of the request; `undefined` if the handler does not use it. */
  request(member: "content" | "params" | "query"): ts.Type | undefined;
  /** The input type of a part's validator; `undefined` if unknown. */
  validated(part: RequestPart): ts.Type | undefined;
  /** A type in its annotations that cannot be resolved. */
  missing(): string | undefined;
  /** The types of its responses, one for each kind of response. */
  sent(): readonly SentTypes[];
}

/** The types of a response. */
export interface SentTypes {
  /** The status; `undefined` if its type does not tell. */
  readonly status: string | undefined;
  /** The type of its data; `undefined` if unknown. */
  readonly data: ts.Type | undefined;
  /** Whether it is a stream of events, each with such data. */
  readonly isStream?: boolean;
}

/** The handler that a call of a router's method adds; `undefined` if the call adds none. */
export function handlerAt(context: TypeContext, call: ts.CallExpression): HandlerTypes | undefined {
  const [, handler, options] = call.arguments;
  const parts = {
    options: options === undefined ? [] : [options],
    annotations: [
      ...call.typeArguments ?? [],
      ...handler === undefined ? [] : annotationsOf(context, handler),
    ],
  };
  return statedHandler(context, call, parts) ?? inferredHandler(context, call, parts);
}

/** Parts of a route's call or decorators that types are read from, besides the handler. */
type HandlerParts = Pick<HandlerSource, "options" | "annotations">;

/** The handler of a call with type arguments. They are read directly, because checking the call takes much longer. */
function statedHandler(
  context: TypeContext,
  call: ts.CallExpression,
  { options, annotations }: HandlerParts,
): HandlerTypes | undefined {
  const { ts, checker } = context;
  const [, handler] = call.arguments;
  const [spec, response] = (call.typeArguments ?? []).map((one) =>
    checker.getTypeFromTypeNode(one)
  );
  if (handler === undefined || spec === undefined) return undefined;
  if (memberType(context, spec, ["~spec"]) === undefined) return undefined;
  const data = response && memberType(context, response, ["~response"]);
  const isOpen = data === undefined || (data.flags & ts.TypeFlags.Unknown) !== 0;
  const made = isOpen ? undefined : responsesMadeBy(context, handler);
  if (made === undefined || made.length === 0) return undefined;
  return {
    node: nameAt(context, call),
    request: (name) => memberType(context, spec, [`~${name}`]),
    validated: (part) => validatedType(context, options, part),
    missing: () => missingInTypes(context, annotations),
    sent: () =>
      made.map(({ status, hasData, isStream }) => ({
        status,
        data: hasData ? data : checker.getNeverType(),
        isStream,
      })),
  };
}

/** The place of a call in messages: the name of the called method. */
function nameAt({ ts }: TypeContext, call: ts.CallExpression): ts.Node {
  const { expression } = call;
  return ts.isPropertyAccessExpression(expression) ? expression.name : call;
}

function inferredHandler(
  context: TypeContext,
  call: ts.CallExpression,
  parts: HandlerParts,
): HandlerTypes | undefined {
  const { ts, checker } = context;
  const [, handler] = call.arguments;
  const called = checker.getTypeAtLocation(call.expression);
  if ((called.flags & ts.TypeFlags.Any) !== 0) return unknownHandler(call, called);
  const parameter = checker.getResolvedSignature(call)?.parameters[1];
  if (handler === undefined || parameter === undefined) return undefined;
  const [stated] = checker.getTypeOfSymbolAtLocation(parameter, call).getCallSignatures();
  if (stated === undefined) return undefined;
  const type = checker.getTypeAtLocation(handler);
  if (isMissingType(type)) return unknownHandler(handler, type);
  const own = type.getCallSignatures()[0];
  return createHandler(context, nameAt(context, call), {
    signatures: own === undefined ? [stated] : [stated, own],
    ...parts,
  });
}

/** The handler that is a controller's method; `undefined` if the class has no such method. */
export function methodAt(
  context: TypeContext,
  node: ts.ClassLikeDeclaration,
  name: string,
): HandlerTypes | undefined {
  const { ts, checker } = context;
  const instance = checker.getDeclaredTypeOfSymbol(checker.getTypeAtLocation(node).symbol);
  const method = checker.getPropertyOfType(instance, name);
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
    annotations: annotationsOf(context, declaration),
  });
}

/** The type annotations of a function's parameters and its result. */
function annotationsOf({ ts }: TypeContext, node: ts.Node): readonly ts.Node[] {
  if (!ts.isFunctionLike(node)) return [];
  return [...node.parameters.map(({ type }) => type), node.type].filter((one) => one !== undefined);
}

/** A handler that is passed to an unresolved function: all of its types are unresolved. */
function unknownHandler(node: ts.Node, type: ts.Type): HandlerTypes {
  return {
    node,
    request: () => type,
    validated: () => type,
    missing: () => undefined, // the type itself is reported
    sent: () => [{ status: undefined, data: type }],
  };
}

/** What the types of a handler are read from. */
interface HandlerSource {
  /** The signature that the route requires, then the handler's own. */
  readonly signatures: readonly [ts.Signature, ...ts.Signature[]];
  /** The options of its routes. */
  readonly options: readonly ts.Expression[];
  readonly annotations: readonly ts.Node[];
}

function createHandler(
  context: TypeContext,
  node: ts.Node,
  { signatures, options, annotations }: HandlerSource,
): HandlerTypes {
  const { checker } = context;
  const [parameter] = signatures[0].parameters;
  const request = parameter && checker.getTypeOfSymbolAtLocation(parameter, node);
  return {
    node,
    request: (name) =>
      request && (isMissingType(request) ? request : memberType(context, request, [name])),
    validated: (part) => validatedType(context, options, part),
    missing: () => missingInTypes(context, annotations),
    sent() {
      const [stated = [], own = []] = signatures.map((one) =>
        sentTypes(context, checker.getReturnTypeOfSignature(one))
      );
      const [first] = stated;
      if (first?.data === undefined || stated.length > 1) return own.length > 0 ? own : stated;
      const { data } = first; // the handler's signature has the statuses, the route's has the name of the data type
      return own.length === 0
        ? stated
        : own.map((one) => isNever(context, one.data) ? one : { ...one, data });
    },
  };
}

/** The input type of a part's validator, from the first options that have one. */
function validatedType(
  context: TypeContext,
  options: readonly ts.Expression[],
  part: RequestPart,
): ts.Type | undefined {
  for (const one of options) {
    const type = context.checker.getTypeAtLocation(one);
    const input = memberType(context, type, ["schema", part, "~standard", "types", "input"]);
    if (input !== undefined) return input;
  }
  return undefined;
}

/** The types of the responses that a handler returns. */
function sentTypes(context: TypeContext, result: ts.Type): readonly SentTypes[] {
  const { ts, checker } = context;
  const response = checker.getAwaitedType(result) ?? result;
  if (isMissingType(response)) return [{ status: undefined, data: response }];
  const found = (response.isUnion() ? response.types : [response]).flatMap((one): SentTypes[] => {
    if (checker.getPropertyOfType(one, "~pass") !== undefined) return []; // another route answers
    if ((one.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void | ts.TypeFlags.Never)) !== 0) {
      return [];
    }
    const data = memberType(context, one, ["~data"]);
    const isStream = checker.getPropertyOfType(one, "~events") !== undefined;
    const status = data && memberType(context, one, ["status"]);
    const statuses = status === undefined ? [] : status.isUnion() ? status.types : [status];
    const known = statuses.flatMap((each) => each.isNumberLiteral() ? String(each.value) : []);
    return known.length > 0
      ? known.map((each) => ({ status: each, data, isStream }))
      : [{ status: undefined, data, isStream }];
  });
  return found.filter((one, i) =>
    found.findIndex(({ status, data, isStream }) =>
      status === one.status && data === one.data && isStream === one.isStream
    ) === i
  );
}

function isNever({ ts }: TypeContext, type: ts.Type | undefined): boolean {
  return type !== undefined && (type.flags & ts.TypeFlags.Never) !== 0;
}

/** The type of a nested property, if all properties on the path exist. */
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
