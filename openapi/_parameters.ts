/**
 * The parameters of an operation, from its path, its query schema and its metadata.
 *
 * @module
 */

import type { ParameterObject, SchemaObject } from "../router/openapi_types.ts";
import type { Components } from "./_components.ts";
import type { ResolvedEndpoint } from "./_resolved_metadata.ts";
import { type Members, membersOf, schemasIn } from "./_properties.ts";
import type { Template } from "./_path.ts";
import { type RequestPart, requestSources } from "./_schema_sources.ts";

/** Description of a parameter that is the rest of a path. */
export const WILDCARD_NOTE = "The rest of the path; its slashes are not encoded";

/**
 * The parameters of an operation at one of its paths, path parameters first.
 *
 * @param name Base name of schemas that need a name.
 * @throws {TypeError} If a path parameter is described that the path does not have.
 */
export function parametersOf(
  endpoint: ResolvedEndpoint,
  template: Template,
  components: Components,
  name: string,
): readonly ParameterObject[] {
  const { pattern, metadata: { parameters = [] } } = endpoint;
  const declared = new Set(
    pattern.segments.flatMap((segment) =>
      segment.kind === "param" ? segment.name : segment.kind === "wildcard" ? "path" : []
    ),
  );
  const params = membersAt("path", "params", `${name}Params`);
  const query = membersAt("query", "query", `${name}Query`);
  const stray = [...params?.required ?? []].find((one) => !declared.has(one)) ??
    parameters.find((one) => one.in === "path" && !declared.has(one.name))?.name;
  if (stray !== undefined) throw new TypeError(`parameter "${stray}" is not in the path`);
  const derived = [
    ...pathParameters(template, params),
    ...(query === undefined ? [] : queryParameters(query)),
  ];
  return complete(derived, parameters.flatMap((one) => inTemplate(one, template)));

  /** Parameters described in the metadata need not be representable by the schema. */
  function membersAt(
    place: ParameterObject["in"],
    part: RequestPart,
    called: string,
  ): Members | undefined {
    const source = requestSources(endpoint, part);
    if (source === undefined) return undefined;
    const written = parameters.filter((one) =>
      one.in === place && (one.schema ?? one.content) !== undefined
    ).map((one) => one.name);
    return membersOf({ ...source, side: "input", name: called }, components, new Set(written));
  }
}

function pathParameters(
  { parameters }: Template,
  members: Members | undefined,
): readonly ParameterObject[] {
  return parameters.map(({ name, label, isWildcard, regexp }): ParameterObject => {
    const text = textParameter(regexp);
    const member = name === undefined || isWildcard ? undefined : memberOf(members, name);
    const details = member === undefined
      ? isWildcard ? { ...text, description: WILDCARD_NOTE } : text
      : described(withPattern(member, text.schema?.pattern));
    return { name: label, in: "path", required: true, ...details };
  });
}

function memberOf(members: Members | undefined, name: string): SchemaObject | undefined {
  return members !== undefined && Object.hasOwn(members.properties, name)
    ? members.properties[name]
    : undefined;
}

/** Adds the pattern of the route to a string that has no pattern. */
function withPattern(schema: SchemaObject, pattern: unknown): SchemaObject {
  if (pattern === undefined || schema.type !== "string" || schema.pattern !== undefined) {
    return schema;
  }
  return { ...schema, pattern };
}

/** A string that matches a regular expression, if that is valid in Unicode mode as JSON Schema requires. */
function textParameter(
  regexp: string | undefined,
): Pick<ParameterObject, "description" | "schema"> {
  if (regexp === undefined) return { schema: { type: "string" } };
  const pattern = `^${regexp}$`;
  try {
    new RegExp(pattern, "u");
  } catch {
    return { description: `Matches \`${regexp}\``, schema: { type: "string" } };
  }
  return { schema: { type: "string", pattern } };
}

/** One parameter for each property; `additionalProperties` become one parameter that stands for all others. */
function queryParameters({ properties, required, open }: Members): readonly ParameterObject[] {
  const stated = Object.entries(properties).map(([name, member]): ParameterObject => ({
    name,
    in: "query",
    ...(required.has(name) ? { required: true } : {}),
    ...described(member),
  }));
  if (open === undefined) return stated;
  let name = "query";
  for (let n = 2; Object.hasOwn(properties, name); n++) name = `query_${n}`;
  return [...stated, { name, in: "query", style: "form", explode: true, schema: open }];
}

/** Moves the description from the schema to the parameter. */
function described(schema: SchemaObject): Pick<ParameterObject, "description" | "schema"> {
  const { description, ...rest } = schema;
  if (typeof description !== "string") return { schema };
  const { allOf, ...beside } = rest;
  const [only] = schemasIn(allOf);
  const isAlone = only !== undefined && schemasIn(allOf).length === 1 &&
    Object.keys(beside).length === 0;
  return { description, schema: isAlone ? only : rest };
}

/** A parameter of the metadata under its name at this path; nothing if the path does not have it. */
function inTemplate(
  parameter: ParameterObject,
  { parameters }: Template,
): readonly ParameterObject[] {
  if (parameter.in !== "path") return [parameter];
  const found = parameters.find(({ name }) => name === parameter.name);
  return found === undefined ? [] : [{ ...parameter, name: found.label, required: true }];
}

/** Merges the metadata into derived parameters and appends the other parameters of the metadata. */
function complete(
  derived: readonly ParameterObject[],
  written: readonly ParameterObject[],
): readonly ParameterObject[] {
  const byKey = new Map<string, ParameterObject>();
  for (const one of written) {
    if (byKey.has(parameterKey(one))) throw new TypeError(`duplicate parameter "${one.name}"`);
    byKey.set(parameterKey(one), one);
  }
  const completed = derived.map((one) => {
    const more = byKey.get(parameterKey(one));
    byKey.delete(parameterKey(one));
    if (more?.content === undefined) return { ...one, ...more };
    const { schema: _, ...rest } = one; // `schema` and `content` exclude each other
    return { ...rest, ...more };
  });
  return [
    ...completed,
    ...[...byKey.values()].map((one) =>
      one.schema === undefined && one.content === undefined
        ? { ...one, schema: { type: "string" } }
        : one
    ),
  ];
}

/** Key of a parameter. Header names are case-insensitive, RFC 9110 §5.1. */
function parameterKey({ in: place, name }: ParameterObject): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}
