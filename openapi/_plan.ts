/**
 * Assigns paths, methods and operation ids to routes.
 *
 * @module
 */

import type { Endpoint } from "./_endpoints.ts";
import { type ShapeLabels, type Template, templatesOf } from "./_path.ts";

/** An operation, before it is described. */
export interface PlannedOperation {
  readonly endpoint: Endpoint;
  readonly template: Template;
  /** HTTP method in lower case. */
  readonly method: string;
  readonly operationId: string;
}

/** Methods of a Path Item Object, OpenAPI 3.1 §4.8.9, in its order. */
export const METHODS = [
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
] as const;
/** Methods that `ALL` stands for, unless an earlier route has them. */
const ALL_METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "patch"]);

/** Plans the operations of all routes. Conflicts are added to `errors`, one line each. */
export function planOperations(
  endpoints: readonly Endpoint[],
  errors: Set<string>,
): readonly PlannedOperation[] {
  const labels: ShapeLabels = new Map();
  const owners = new Map<string, Endpoint>();
  const stated = statedIds(endpoints, errors);
  const ids = new Set(stated);
  const planned: PlannedOperation[] = [];
  for (const endpoint of endpoints) {
    const methods = methodsOf(endpoint);
    if (methods.length === 0) {
      errors.add(`${endpoint.label}: OpenAPI does not support the method ${endpoint.verb}`);
    }
    for (const template of templatesOf(endpoint.outer, endpoint.pattern, labels)) {
      for (const method of methods) {
        const key = `${method} ${template.shape}`;
        const owner = owners.get(key);
        if (owner === undefined) {
          owners.set(key, endpoint);
          const operationId = operationIdOf(endpoint, template, { method, ids, stated });
          planned.push({ endpoint, template, method, operationId });
        } else if (endpoint.verb !== "ALL" || owner.verb === "ALL") { // ALL answers the methods that other routes leave
          errors.add(
            `${endpoint.label}: ${owner.label} has the same path and method; set openapi: false on one`,
          );
        }
      }
      if (endpoint.verb !== "ALL") continue;
      for (const method of METHODS) { // it also answers methods that it is not documented for
        const key = `${method} ${template.shape}`;
        if (!owners.has(key)) owners.set(key, endpoint);
      }
    }
  }
  return planned;
}

/** Operation ids given in the metadata. */
function statedIds(endpoints: readonly Endpoint[], errors: Set<string>): Set<string> {
  const ids = new Set<string>();
  for (const { label, metadata: { operationId } } of endpoints) {
    if (operationId === undefined) continue;
    if (ids.has(operationId)) errors.add(`${label}: duplicate operationId "${operationId}"`);
    ids.add(operationId);
  }
  return ids;
}

function methodsOf({ verb }: Endpoint): readonly string[] {
  return METHODS.filter((method) =>
    verb === "ALL" ? ALL_METHODS.has(method) : method === verb.toLowerCase()
  );
}

/** As given in the metadata, `Class_method`, or `get_users_id`; with a number as suffix if that is taken. */
function operationIdOf(
  { controller, method: name, verb, metadata: { operationId } }: Endpoint,
  { path }: Template,
  { method, ids, stated }: {
    readonly method: string;
    /** Names in use. */
    readonly ids: Set<string>;
    /** Names given in the metadata that are not yet used. */
    readonly stated: Set<string>;
  },
): string {
  if (operationId !== undefined && verb !== "ALL" && stated.delete(operationId)) return operationId;
  const own = operationId ?? (controller === undefined ? undefined : `${controller}_${name}`);
  const words = path.split(/[^A-Za-z\d]+/).filter((word) => word !== "");
  const base = own === undefined
    ? [method, ...words].join("_")
    : (verb === "ALL" ? `${own}_${method}` : own).replace(/[^\w.~-]/g, "_");
  let id = base;
  for (let n = 2; ids.has(id); n++) id = `${base}_${n}`;
  ids.add(id);
  return id;
}
