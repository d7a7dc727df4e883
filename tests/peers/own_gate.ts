/**
 * Our own assertions: what the other gates do not know, and once more what must never go wrong.
 * Nothing here is shared with the generator.
 *
 * @module
 */

import {
  entriesOf,
  isObject,
  type JsonObject,
  METHODS,
  type NodeKind,
  type OpenApiNode,
  readNodes,
  resolvePointer,
} from "./openapi_nodes.ts";
import { joinPointer, type Problem } from "./problem.ts";

/** A document, with all objects in it. */
interface View {
  readonly document: JsonObject;
  readonly nodes: readonly OpenApiNode[];
}

type Found = Pick<Problem, "pointer" | "message">;

/** All assertions, by the name that problems carry. */
const ASSERTIONS: Readonly<Record<string, (view: View) => Iterable<Found>>> = {
  "path-syntax": checkPathSyntax,
  "path-parameters": checkPathParameters,
  "path-identical": checkIdenticalPaths,
  "parameter-unique": checkUniqueParameters,
  "operation-id": checkOperationIds,
  "operation-response": checkResponses,
  "security-declared": checkSecurity,
  "ref-resolves": checkReferences,
  "pattern": checkPatterns,
  "example-once": checkExamples,
  "nullable": checkNullable,
};

/** `:id` and `*` are a router's; OpenAPI 3.1 §4.8.8.1 knows only `{id}`. */
const ROUTER_SYNTAX_REGEXP = /:\w|\*/;
const TEMPLATE_REGEXP = /\{([^{}/]+)\}/g;
/** The characters that a URL never has to encode, RFC 3986 §2.3. */
const URL_SAFE_REGEXP = /^[\w.~-]+$/;
const SUCCESS_REGEXP = /^[23](?:\d\d|XX)$/;

/** Applies all assertions. */
export function findOwnProblems(document: unknown): readonly Problem[] {
  if (!isObject(document)) {
    return [{ gate: "own", rule: "document", pointer: "#", message: "is no object" }];
  }
  const view: View = { document, nodes: readNodes(document) };
  return Object.entries(ASSERTIONS).flatMap(([rule, check]) =>
    [...check(view)].map((found): Problem => ({ gate: "own", rule, ...found }))
  );
}

function* checkPathSyntax({ document }: View): Generator<Found> {
  for (const [path] of entriesOf(document.paths)) {
    const pointer = joinPointer("#/paths", path);
    if (!path.startsWith("/")) yield { pointer, message: "does not start with /" };
    if (ROUTER_SYNTAX_REGEXP.test(path)) yield { pointer, message: "has a router's syntax" };
    if (/[{}]/.test(path.replace(TEMPLATE_REGEXP, ""))) {
      yield { pointer, message: "has a brace that belongs to no {name}" };
    }
    const names = templateNames(path);
    if (new Set(names).size < names.length) yield { pointer, message: "has a name twice" };
  }
}

function* checkPathParameters({ document }: View): Generator<Found> {
  for (const [path, item] of entriesOf(document.paths)) {
    const names = templateNames(path);
    for (const [pointer, parameters] of readOperations(document, path, item)) {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      for (const name of names) {
        const parameter = inPath.find((other) => other.name === name);
        if (parameter === undefined) yield { pointer, message: `has no parameter for {${name}}` };
        else if (parameter.required !== true) {
          yield { pointer, message: `does not require {${name}}` };
        }
      }
      for (const { name } of inPath) {
        if (!names.includes(String(name))) {
          yield { pointer, message: `has a parameter ${name} that is not in the path` };
        }
      }
    }
  }
}

function* checkIdenticalPaths({ document }: View): Generator<Found> {
  const seen = new Set<string>();
  for (const [path] of entriesOf(document.paths)) {
    const shape = path.replace(TEMPLATE_REGEXP, "{}");
    if (seen.has(shape)) {
      yield {
        pointer: joinPointer("#/paths", path),
        message: "differs from another in names only",
      };
    }
    seen.add(shape);
  }
}

function* checkUniqueParameters({ document, nodes }: View): Generator<Found> {
  for (const { pointer, value } of ofKind(nodes, "pathItem", "operation")) {
    const seen = new Set<string>();
    for (const parameter of readParameters(document, value)) {
      const name = String(parameter.name);
      // Names of header fields differ not in case, RFC 9110 §5.1
      const id = `${parameter.in} ${parameter.in === "header" ? name.toLowerCase() : name}`;
      if (seen.has(id)) yield { pointer, message: `has the parameter ${id} twice` };
      seen.add(id);
    }
  }
}

function* checkOperationIds({ nodes }: View): Generator<Found> {
  const seen = new Set<string>();
  for (const { pointer, value: { operationId } } of ofKind(nodes, "operation")) {
    if (typeof operationId !== "string") yield { pointer, message: "has no operationId" };
    else if (!URL_SAFE_REGEXP.test(operationId)) {
      yield { pointer, message: `has an operationId that is not safe in a URL: ${operationId}` };
    } else if (seen.has(operationId)) {
      yield { pointer, message: `has another's operationId: ${operationId}` };
    } else seen.add(operationId);
  }
}

function* checkResponses({ nodes }: View): Generator<Found> {
  for (const { pointer, value } of ofKind(nodes, "operation")) {
    const statuses = entriesOf(value.responses).map(([status]) => status);
    if (!statuses.some((status) => SUCCESS_REGEXP.test(status))) {
      yield { pointer, message: "has no response that is a 2xx or 3xx" };
    }
  }
}

function* checkSecurity({ document, nodes }: View): Generator<Found> {
  const { securitySchemes } = isObject(document.components) ? document.components : {};
  const declared = new Set(entriesOf(securitySchemes).map(([name]) => name));
  for (const { pointer, value } of ofKind(nodes, "document", "operation")) {
    for (const name of objectsOf(value.security).flatMap(Object.keys)) {
      if (!declared.has(name)) {
        yield { pointer, message: `asks for ${name}, which is not declared` };
      }
    }
  }
}

/** A schema that is made to stand alone says `#` for itself, which is the document here. */
function* checkReferences({ nodes }: View): Generator<Found> {
  const kinds = new Map(nodes.map(({ pointer, kind }) => [pointer, kind]));
  for (const { kind, pointer, value: { $ref } } of nodes) {
    if (typeof $ref === "string" && kinds.get(decodeURIComponent($ref)) !== kind) {
      yield { pointer, message: `refers to no ${kind} of the document: ${$ref}` };
    }
  }
}

/** Readers compile patterns for Unicode, as JSON Schema Core §6.4 asks. */
function* checkPatterns({ nodes }: View): Generator<Found> {
  for (const { pointer, value } of ofKind(nodes, "schema")) {
    const names = entriesOf(value.patternProperties).map(([name]) => name);
    for (const pattern of [value.pattern, ...names]) {
      if (typeof pattern === "string" && !isExpression(pattern)) {
        yield { pointer, message: `has a pattern that does not compile: ${pattern}` };
      }
    }
  }
}

/** Schema Objects may have both. */
function* checkExamples({ nodes }: View): Generator<Found> {
  for (const { pointer, value } of ofKind(nodes, "parameter", "header", "mediaType")) {
    if ("example" in value && "examples" in value) {
      yield { pointer, message: "has both example and examples" };
    }
  }
}

function* checkNullable({ nodes }: View): Generator<Found> {
  for (const { pointer, value } of ofKind(nodes, "schema")) {
    if ("nullable" in value) yield { pointer, message: "has nullable, which OpenAPI 3.0 had" };
  }
}

function ofKind(nodes: readonly OpenApiNode[], ...kinds: readonly NodeKind[]): OpenApiNode[] {
  return nodes.filter(({ kind }) => kinds.includes(kind));
}

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function templateNames(path: string): string[] {
  return [...path.matchAll(TEMPLATE_REGEXP)].map(([, name = ""]) => name);
}

/** Where the operations of a path are, with the parameters that each has or takes from its path. */
function readOperations(
  document: JsonObject,
  path: string,
  content: unknown,
): [pointer: string, parameters: JsonObject[]][] {
  const item = dereference(document, content);
  if (!isObject(item)) return [];
  const shared = readParameters(document, item);
  return METHODS.flatMap((method) => {
    const operation = item[method];
    if (!isObject(operation)) return [];
    const own = readParameters(document, operation);
    const inherited = shared.filter((parameter) =>
      !own.some((other) => other.name === parameter.name && other.in === parameter.in)
    );
    return [[joinPointer("#/paths", path, method), [...own, ...inherited]]];
  });
}

function readParameters(document: JsonObject, value: JsonObject): JsonObject[] {
  return objectsOf(value.parameters)
    .map((parameter) => dereference(document, parameter)).filter(isObject);
}

function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** What a reference leads to, or the value itself. */
function dereference(document: JsonObject, value: unknown): unknown {
  return isObject(value) && typeof value.$ref === "string"
    ? resolvePointer(document, value.$ref)
    : value;
}
