/**
 * The parameters of an operation: those of its path, those of its query, and what its metadata says of either.
 *
 * @module
 */

import type { ParameterObject, SchemaObject } from "../router/openapi_types.ts";
import type { Components } from "./_components.ts";
import type { Endpoint } from "./_endpoints.ts";
import { isObject } from "./_json_schema.ts";
import { UNKNOWN_PART } from "./_standard_schema.ts";
import type { Template } from "./_path.ts";

/** A schema's members, by name. */
interface Members {
  readonly properties: Readonly<Record<string, SchemaObject>>;
  readonly required: ReadonlySet<string>;
  /** Schema of the members of other names that may stand beside them. */
  readonly open: SchemaObject | undefined;
}

const WILDCARD_NOTE = "The rest of the path; its slashes are not encoded";

/**
 * The parameters of an operation at one of its paths, path first.
 *
 * @param name What to call a schema that needs a name.
 * @throws {TypeError} If something is said of a path parameter that the route does not have.
 */
export function parametersOf(
  endpoint: Endpoint,
  template: Template,
  components: Components,
  name: string,
): readonly ParameterObject[] {
  const { pattern, options: { schema = {} }, metadata: { parameters = [] } } = endpoint;
  const declared = new Set(
    pattern.segments.flatMap((segment) =>
      segment.kind === "param" ? segment.name : segment.kind === "wildcard" ? "path" : []
    ),
  );
  const params = schema.params === undefined
    ? undefined
    : convert(schema.params, "path", `${name}Params`);
  const query = schema.query === undefined
    ? undefined
    : convert(schema.query, "query", `${name}Query`);
  const stray = [...params?.required ?? []].find((one) => !declared.has(one)) ??
    parameters.find((one) => one.in === "path" && !declared.has(one.name))?.name;
  if (stray !== undefined) throw new TypeError(`parameter "${stray}" is not in the path`);
  const derived = [
    ...pathParameters(template, params),
    ...(query === undefined ? [] : queryParameters(query)),
  ];
  return complete(derived, parameters.flatMap((one) => inTemplate(one, template)));

  /** The members of a schema. What is written by hand stands for those that it cannot describe. */
  function convert(validator: unknown, place: ParameterObject["in"], part: string): Members {
    try {
      return membersOf(components.convert(validator, "input", part), components);
    } catch (error) {
      const written = parameters.filter((one) =>
        one.in === place && (one.schema ?? one.content) !== undefined
      ).map((one) => one.name);
      if (!(error instanceof TypeError) || written.length === 0) throw error;
      const members = membersIfAny(validator, part);
      for (const [member, one] of Object.entries(members.properties)) {
        if (!written.includes(member) && JSON.stringify(one).includes(UNKNOWN_PART)) throw error;
      }
      return members;
    }
  }

  /** The members of a schema, with marks at those it cannot describe; none if it cannot even do that. */
  function membersIfAny(validator: unknown, part: string): Members {
    try {
      const schema = components.convert(validator, "input", part, { markUnknown: true });
      return membersOf(schema, components);
    } catch {
      return { properties: {}, required: new Set(), open: undefined };
    }
  }
}

function pathParameters(
  { parameters }: Template,
  members: Members | undefined,
): readonly ParameterObject[] {
  return parameters.map(({ name, label, isWildcard, regexp }): ParameterObject => {
    const text = textParameter(regexp);
    const member = name === undefined || isWildcard ? undefined : members?.properties[name];
    const told = member === undefined
      ? isWildcard ? { ...text, description: WILDCARD_NOTE } : text
      : described(member);
    return { name: label, in: "path", required: true, ...told };
  });
}

/** A text that matches an expression, if readers of the document can read it: they have it for Unicode. */
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

/** One parameter for each member; members of unknown names come as one parameter that stands for all of them. */
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

/** A description says more at the parameter than in its schema. */
function described(schema: SchemaObject): Pick<ParameterObject, "description" | "schema"> {
  const { description, ...rest } = schema;
  if (typeof description !== "string") return { schema };
  const { allOf, ...beside } = rest;
  const [only] = schemas(allOf);
  const isAlone = only !== undefined && schemas(allOf).length === 1 &&
    Object.keys(beside).length === 0;
  return { description, schema: isAlone ? only : rest };
}

/** The members of an object's schema. Of alternatives, all members, and those required that all of them require. */
function membersOf(
  schema: SchemaObject,
  components: Components,
  outer: ReadonlySet<SchemaObject> = new Set(),
): Members {
  const found = components.resolve(schema);
  const { properties, required, allOf, anyOf, oneOf, ...rest } = found;
  if (outer.has(found)) return { properties: {}, required: new Set(), open: undefined }; // it refers to itself
  const seen = new Set([...outer, found]);
  const read = (one: SchemaObject) => membersOf(one, components, seen);
  const choices = [...schemas(anyOf), ...schemas(oneOf)].map(read);
  const parts: readonly Members[] = [
    {
      properties: isObject(properties) ? asSchemas(properties) : {},
      required: new Set(Array.isArray(required) ? required : []),
      open: isObject(rest.additionalProperties) || isObject(rest.patternProperties)
        ? rest
        : undefined,
    },
    ...schemas(allOf).map(read),
    ...(choices.length === 0 ? [] : [{
      properties: merged(choices, "anyOf"),
      required: requiredByAll(choices),
      open: choices.find((one) => one.open !== undefined)?.open,
    }]),
  ];
  return {
    properties: merged(parts, "allOf"),
    required: new Set(parts.flatMap((part) => [...part.required])),
    open: parts.find((part) => part.open !== undefined)?.open,
  };
}

/** Members by name; those that several parts describe differently are joined by a keyword. */
function merged(parts: readonly Members[], keyword: "allOf" | "anyOf"): Members["properties"] {
  const byName = new Map<string, SchemaObject[]>();
  for (const [name, schema] of parts.flatMap(({ properties }) => Object.entries(properties))) {
    const known = byName.get(name) ?? [];
    if (known.every((one) => JSON.stringify(one) !== JSON.stringify(schema))) known.push(schema);
    byName.set(name, known);
  }
  return Object.fromEntries([...byName].map(([name, found]) => {
    const [first = {}] = found;
    return [name, found.length === 1 ? first : { [keyword]: found }];
  }));
}

function requiredByAll([first, ...others]: readonly Members[]): ReadonlySet<string> {
  const names = [...first?.required ?? []];
  return new Set(names.filter((name) => others.every(({ required }) => required.has(name))));
}

/** Members that may be there: `true` takes anything, and `false` nothing. */
function asSchemas(properties: Readonly<Record<string, unknown>>): Members["properties"] {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, one]) =>
      isObject(one) ? [[name, one]] : one === true ? [[name, {}]] : []
    ),
  );
}

function schemas(value: unknown): readonly SchemaObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** What the metadata says of a parameter, under the name it has at this path; nothing where the path has it not. */
function inTemplate(
  parameter: ParameterObject,
  { parameters }: Template,
): readonly ParameterObject[] {
  if (parameter.in !== "path") return [parameter];
  const found = parameters.find(({ name }) => name === parameter.name);
  return found === undefined ? [] : [{ ...parameter, name: found.label, required: true }];
}

/** Completes parameters by what is written of them, and adds the rest of what is written. */
function complete(
  derived: readonly ParameterObject[],
  written: readonly ParameterObject[],
): readonly ParameterObject[] {
  const byKey = new Map<string, ParameterObject>();
  for (const one of written) {
    if (byKey.has(parameterKey(one))) throw new TypeError(`parameter "${one.name}" stands twice`);
    byKey.set(parameterKey(one), one);
  }
  const completed = derived.map((one) => {
    const more = byKey.get(parameterKey(one));
    byKey.delete(parameterKey(one));
    if (more?.content === undefined) return { ...one, ...more };
    const { schema: _, ...rest } = one; // a parameter has one or the other
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

/** What tells parameters apart. Header fields have no case, RFC 9110 §5.1. */
function parameterKey({ in: place, name }: ParameterObject): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}
