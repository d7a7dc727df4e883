/**
 * Whether what a service takes and answers is what its OpenAPI document says: an operation for the request, the status,
 * the media type and the body of the response.
 *
 * @module
 */

import { entriesOf, isObject, type JsonObject, METHODS, resolvePointer } from "./openapi_nodes.ts";
import { joinPointer } from "./problem.ts";
import { HYPERJUMP_OPENAPI } from "./versions.ts";

/** A request and its response, with both bodies still to be read. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** A document, and how to ask it. */
export interface Contract {
  /** The ids of all operations. */
  readonly operationIds: readonly string[];
  /** The operation of a request. */
  readonly operationIdOf: (request: Request) => string | undefined;
  /** One line for everything in an exchange that the document does not say. */
  readonly problemsOf: (exchange: Exchange) => Promise<readonly string[]>;
  /** Whether a value is valid by the schema at a pointer. */
  readonly allows: (pointer: string, value: unknown) => Promise<boolean>;
  /** The schema at a pointer, without references. */
  readonly schemaAt: (pointer: string) => JsonObject;
}

/** An operation of a document. */
export interface Operation {
  readonly id: string;
  /** Where it is in the document. */
  readonly pointer: string;
  readonly method: string;
  /** Its path, with parameters in braces. */
  readonly path: string;
  /** What paths of its requests look like. */
  readonly pathRegexp: RegExp;
  /** Whether it asks for a credential. */
  readonly isGuarded: boolean;
  /** The statuses that are documented, ranges as `4XX`. */
  readonly statuses: readonly string[];
}

/** The part of `@hyperjump/json-schema` that is used here. */
interface Hyperjump {
  registerSchema(schema: unknown, uri: string, dialect: string): void;
  unregisterSchema(uri: string): void;
  validate(uri: string): Promise<Validate>;
}

type Validate = (value: unknown) => { readonly valid: boolean };

const DIALECT = "https://spec.openapis.org/oas/3.1/dialect/base";
const DOCUMENT_URI = "https://notes.example/openapi";
const JSON_REGEXP = /^application\/(?:[\w.-]+\+)?json$/;

/** Reads a document. It must be valid. */
export async function readContract(document: JsonObject): Promise<Contract> {
  const { registerSchema, unregisterSchema, validate }: Hyperjump = await import(HYPERJUMP_OPENAPI);
  unregisterSchema(DOCUMENT_URI);
  registerSchema(document, DOCUMENT_URI, DIALECT); // a schema here is found by its pointer
  const validators = new Map<string, Promise<Validate>>();
  const allows: Contract["allows"] = async (pointer, value) => {
    const validator = validators.get(pointer) ?? validate(DOCUMENT_URI + encodeURI(pointer));
    validators.set(pointer, validator);
    return (await validator)(value).valid;
  };
  const operations = operationsOf(document);
  const operationOf = ({ method, url }: Request) => {
    const { pathname } = new URL(url);
    return operations.find((one) => one.method === method && one.pathRegexp.test(pathname));
  };
  return {
    operationIds: operations.map(({ id }) => id),
    operationIdOf: (request) => operationOf(request)?.id,
    allows,
    schemaAt: (pointer) => {
      const { value } = follow(document, pointer);
      return isObject(value) ? value : {};
    },
    async problemsOf({ request, response }) {
      const { method, url } = request;
      const operation = operationOf(request);
      const place = `${method} ${new URL(url).pathname.slice(0, 100)} ${response.status}`;
      if (operation === undefined) return [`${place}: no such operation`];
      const problems = await responseProblems(document, operation, response, allows);
      return problems.map((problem) => `${place}: ${problem}`);
    },
  };
}

/** The operations of a document, in its order. */
export function operationsOf(document: JsonObject): readonly Operation[] {
  return entriesOf(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isObject(item) ? item[method] : undefined;
      if (!isObject(operation)) return [];
      const security = operation.security ?? document.security;
      return [{
        id: String(operation.operationId),
        pointer: joinPointer("#/paths", path, method),
        method: method.toUpperCase(),
        path,
        pathRegexp: new RegExp(`^${path.replace(/\{[^{}]+\}/g, "[^/]+")}$`),
        // An empty requirement among them is a way in for everybody, OpenAPI 3.1 §4.8.10
        isGuarded: Array.isArray(security) && security.length > 0 &&
          !security.some((one) => entriesOf(one).length === 0),
        statuses: entriesOf(operation.responses).map(([name]) => name),
      }];
    })
  );
}

/** What the schema of a media type is about. */
function valuesOf(type: string, body: string): readonly unknown[] {
  if (type !== "text/event-stream") return [JSON_REGEXP.test(type) ? JSON.parse(body) : body];
  return [...body.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

async function responseProblems(
  document: JsonObject,
  { pointer }: Operation,
  response: Response,
  allows: Contract["allows"],
): Promise<readonly string[]> {
  const status = String(response.status);
  const found = [status, `${status.charAt(0)}XX`, "default"]
    .map((name) => follow(document, joinPointer(pointer, "responses", name)))
    .find(({ value }) => value !== undefined);
  if (found === undefined || !isObject(found.value)) return ["the status is not documented"];
  const body = await response.text();
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const types = entriesOf(found.value.content).map(([name]) => name);
  if (types.length === 0) return body === "" && type === "" ? [] : ["no body is documented"];
  const documented = [type, type.replace(/\/.*/, "/*"), "*/*"].find((one) => types.includes(one));
  if (documented === undefined) return [`the media type ${type} is not documented`];
  const schema = joinPointer(found.pointer, "content", documented, "schema");
  if (follow(document, schema).value === undefined) return [];
  for (const value of valuesOf(type, body)) {
    if (!await allows(schema, value)) return [`the body is not valid: ${body.slice(0, 200)}`];
  }
  return [];
}

/** What is at a pointer, and where it is, behind a reference. */
function follow(
  document: JsonObject,
  pointer: string,
): { readonly pointer: string; readonly value: unknown } {
  const value = resolvePointer(document, pointer);
  return isObject(value) && typeof value.$ref === "string"
    ? follow(document, value.$ref)
    : { pointer, value };
}
