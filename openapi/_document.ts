/**
 * Assembles the document.
 *
 * @module
 */

import type {
  OpenApiDocument,
  OpenApiInfo,
  OperationObject,
  TagObject,
} from "../router/openapi_types.ts";
import type { EndpointRegistry } from "../router/builder/registry.ts";
import type { RouteSource } from "../router/types.ts";
import { createComponents } from "./_components.ts";
import { SCHEMA_REF } from "./_schema_graph.ts";
import { type Endpoint, readEndpoints } from "./_endpoints.ts";
import { isEmpty } from "./_json_schema.ts";
import { operationOf, tagOf } from "./_operation.ts";
import { METHODS, planOperations } from "./_plan.ts";
import { problemSchemas, refusalResponses } from "./_error_responses.ts";
import { createSecurityRules } from "./_security.ts";
import type { TypesOf } from "./_schema_sources.ts";
import { documentProblems, nameProblems, operationProblems } from "./_validate.ts";

/**
 * Writes the document of a set of routes.
 *
 * @param typesOf Looks up the TypeScript types of a route.
 * @throws {TypeError} As `generateOpenAPI` does.
 */
export function writeDocument(
  info: OpenApiInfo,
  source: EndpointRegistry | RouteSource,
  typesOf: TypesOf = () => undefined,
): OpenApiDocument {
  const errors = new Set<string>(nameProblems(info));
  const endpoints = readEndpoints(source, errors, typesOf);
  const components = createComponents({ ...problemSchemas, ...info.schemas });
  const security = createSecurityRules(info, endpoints);
  const items: Record<string, Record<string, OperationObject>> = {};
  const labels = new Map<string, string>();
  for (const planned of planOperations(endpoints, errors)) {
    const { endpoint: { label }, template: { path }, method } = planned;
    try {
      const operation = operationOf(planned, { components, security });
      operationProblems(operation).forEach((line) => errors.add(`${label}: ${line}`));
      (items[path] ??= {})[method] = operation;
      labels.set(`${method} ${path}`, label);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      errors.add(`${label}: ${error.message.split("\n", 1)[0]}`);
    }
  }
  throwAll(errors);
  const paths = Object.fromEntries(
    Object.entries(items).map(([path, item]) => [path, inOrder(item)]),
  );
  const document = assemble(info, { paths, components, security, tags: tagsOf(info, endpoints) });
  throwAll(documentProblems(document, labels));
  return JSON.parse(JSON.stringify(document)); // a copy: changing it does not change the application's objects
}

/** The tags of `info`, followed by those of operations that have none of their own. */
function tagsOf(info: OpenApiInfo, endpoints: readonly Endpoint[]): readonly TagObject[] {
  const tags = new Map((info.tags ?? []).map((tag) => [tag.name, tag]));
  for (const endpoint of endpoints) {
    const name = endpoint.metadata.tags === undefined ? tagOf(endpoint) : undefined;
    if (name !== undefined && !tags.has(name)) {
      tags.set(name, { name, description: `Operations of ${name}` });
    }
  }
  return [...tags.values()];
}

/** The document, without components that nothing refers to. */
function assemble(
  info: OpenApiInfo,
  { paths, components, security, tags }: {
    readonly paths: OpenApiDocument["paths"];
    readonly components: ReturnType<typeof createComponents>;
    readonly security: ReturnType<typeof createSecurityRules>;
    readonly tags: readonly TagObject[];
  },
): OpenApiDocument {
  const { servers = [], externalDocs, schemas: stated = {}, security: defaults, ...about } = info;
  const { tags: _tags, securitySchemes: _schemes, title, version, ...head } = about;
  const responses = refusalResponses(JSON.stringify(paths));
  const kept = Object.keys(stated).map((name) => ({ $ref: SCHEMA_REF + name }));
  const { text, schemas } = components.finish(JSON.stringify([paths, responses, kept]));
  const [named] = JSON.parse(text) as [OpenApiDocument["paths"]];
  const schemes = security.schemes();
  return {
    openapi: "3.1.1",
    info: { title, version, ...head },
    servers: servers.length === 0 ? [{ url: "/" }] : servers,
    paths: named,
    components: {
      ...(isEmpty(schemas) ? {} : { schemas }),
      ...(isEmpty(responses) ? {} : { responses }),
      ...(isEmpty(schemes) ? {} : { securitySchemes: schemes }),
    },
    ...(defaults === undefined ? {} : { security: defaults }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(externalDocs === undefined ? {} : { externalDocs }),
  };
}

function inOrder(
  item: Readonly<Record<string, OperationObject>>,
): Readonly<Record<string, OperationObject>> {
  return Object.fromEntries(
    METHODS.flatMap((method) => item[method] === undefined ? [] : [[method, item[method]]]),
  );
}

function throwAll(errors: Iterable<string>): void {
  const lines = [...errors].map((line) => `  ${line}`);
  if (lines.length > 0) throw new TypeError(`Cannot write the document:\n${lines.join("\n")}`);
}
