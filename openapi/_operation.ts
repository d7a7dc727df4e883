/**
 * Operation Object, OpenAPI 3.1 §4.8.10.
 *
 * @module
 */

import { CONTENT_METHODS, JSON_TYPE_REGEXP } from "../router/content_type.ts";
import type {
  EndpointMetadata,
  OperationObject,
  RequestBodyObject,
  SchemaObject,
} from "../router/openapi_types.ts";
import type { Components } from "./_components.ts";
import { type ResolvedEndpoint, resolveMetadata } from "./_resolved_metadata.ts";
import type { Endpoint } from "./_endpoints.ts";
import { parametersOf } from "./_parameters.ts";
import type { PlannedOperation } from "./_plan.ts";
import { responsesOf, withSchema } from "./_responses.ts";
import type { SecurityRules } from "./_security.ts";
import { requestSources, responseSources } from "./_schema_sources.ts";

/** What the operations of one document share. */
export interface OperationContext {
  readonly components: Components;
  readonly security: SecurityRules;
}

/**
 * Describes one operation.
 *
 * @throws {TypeError} If its metadata contradicts its code, or required information is missing.
 */
export function operationOf(
  planned: PlannedOperation,
  { components, security: rules }: OperationContext,
): OperationObject {
  const { template, method, operationId } = planned;
  const name = pascalCase(operationId);
  const endpoint = resolveMetadata(planned.endpoint, components, name);
  const { metadata, options: { schema = {} }, types } = endpoint;
  const { summary = summaryOf(planned), description, externalDocs, deprecated } = metadata;
  const tag = tagOf(endpoint);
  const tags = metadata.tags ?? (tag === undefined ? [] : [tag]);
  const parameters = parametersOf(endpoint, template, components, name);
  const requestBody = requestBodyOf(endpoint, method, components, name);
  const { security, mayRefuse, mayForbid } = rules.of(endpoint);
  const refusals = ([
    ["400", takesContent(endpoint) || template.parameters.length > 0],
    ["401", mayRefuse],
    ["403", mayForbid],
    ["413", takesContent(endpoint)],
    ["415", takesContent(endpoint)],
    ["422", (schema.params ?? schema.query ?? schema.body) !== undefined],
  ] as const).filter(([, may]) => may).map(([status]) => status);
  return {
    ...(tags.length === 0 ? {} : { tags }),
    summary,
    ...(description === undefined ? {} : { description }),
    ...(externalDocs === undefined ? {} : { externalDocs }),
    operationId,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf({
      metadata,
      statuses: types?.statuses() ?? [undefined],
      dataOf: (status) => dataOf(endpoint, status, components, name),
      mediaTypesOf: types && ((status) => types.mediaTypes(status)),
      refusals,
    }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(security === undefined ? {} : { security }),
    ...extensionsOf(metadata),
  };
}

/** The tag of operations without one: the controller's name, or else the path's first literal segment that is no `api` or version. */
export function tagOf(
  { controller, outer, pattern }: Pick<Endpoint, "controller" | "outer" | "pattern">,
): string | undefined {
  if (controller !== undefined) return controller.replace(/(?<=.)Controller$/, "");
  for (const segment of [...outer, ...pattern.segments]) {
    if (segment.kind === "literal" && !PREFIX_REGEXP.test(segment.text)) return segment.text;
  }
  return undefined;
}

/** Segments that an API's paths have in common. The root's is empty. */
const PREFIX_REGEXP = /^(?:|api|v\d[\d.]*)$/i;

/** Whether the router parses the request's content. On `raw` routes the handler does. */
function takesContent({ verb, options: { raw } }: Endpoint): boolean {
  return CONTENT_METHODS.has(verb) && raw !== true;
}

function requestBodyOf(
  endpoint: ResolvedEndpoint,
  method: string,
  components: Components,
  name: string,
): RequestBodyObject | undefined {
  const { verb, metadata: { requestBody: written }, options: { multipart } } = endpoint;
  if (!CONTENT_METHODS.has(verb)) {
    if (written === undefined) return undefined;
    if (verb === "ALL") {
      return CONTENT_METHODS.has(method.toUpperCase()) ? asWritten(written) : undefined;
    }
    throw new TypeError(`its metadata has a request body, but ${verb} has no content`);
  }
  if (!takesContent(endpoint)) {
    return asWritten(written) ?? { content: { "*/*": {} }, required: true };
  }
  const type = multipart ? "multipart/form-data" : "application/json";
  const content = written?.content ?? { [type]: {} };
  for (const given of Object.keys(content)) {
    if (multipart ? given !== type : !JSON_TYPE_REGEXP.test(given)) {
      throw new TypeError(
        `its metadata has a request body of ${given}, but the route takes ${type}`,
      );
    }
  }
  const described = Object.values(content).every((media) => media.schema !== undefined);
  const derived = described ? undefined : bodySchema(endpoint, components, name);
  return {
    ...written,
    content: multipart && derived !== undefined
      ? { [type]: { schema: derived, ...content[type] } }
      : withSchema(content, derived),
    required: true,
  };
}

/** Schema of the body. A form without a schema is an object. */
function bodySchema(
  endpoint: Endpoint,
  components: Components,
  name: string,
): SchemaObject | undefined {
  if (endpoint.options.multipart !== true && endpoint.types?.takesForm()) {
    throw new TypeError("its handler takes a form, but the route takes JSON; set multipart: true");
  }
  const sources = requestSources(endpoint, "body");
  if (sources !== undefined) {
    return components.convert({ ...sources, side: "input", name: `${name}Body` });
  }
  return endpoint.options.multipart ? { type: "object" } : undefined;
}

/** A request body that is described only by the metadata. */
function asWritten(written: Partial<RequestBodyObject> | undefined): RequestBodyObject | undefined {
  return written === undefined
    ? undefined
    : { ...written, content: written.content ?? { "*/*": {} } };
}

/** Schema of the data that a handler sends with a status; `undefined` if unknown. */
function dataOf(
  endpoint: Endpoint,
  status: string,
  components: Components,
  name: string,
): SchemaObject | undefined {
  const sources = responseSources(endpoint, status);
  return sources && components.convert({ ...sources, side: "output", name: `${name}Response` });
}

/** `listNotes` becomes "List notes"; without a method name, the summary is the method and the path. */
function summaryOf(
  { endpoint: { method: name = "" }, method, template }: PlannedOperation,
): string {
  const words = name.replace(/[_$]+/g, " ").replace(/(?<=[a-z\d])(?=[A-Z])/g, " ").trim();
  if (words === "") return `${method.toUpperCase()} ${template.path}`;
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

function extensionsOf(
  metadata: EndpointMetadata<SchemaObject>,
): Readonly<Record<`x-${string}`, unknown>> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name.startsWith("x-")));
}

/** `Notes_create` becomes `NotesCreate`. */
function pascalCase(text: string): string {
  return text.split(/[^A-Za-z\d]+/).filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
