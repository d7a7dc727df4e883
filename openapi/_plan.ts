/**
 * Where each route stands in a document: its paths, its methods, and the names of its operations.
 *
 * @module
 */

import type { Endpoint } from "./_endpoints.ts";
import { type ShapeLabels, type Template, templatesOf } from "./_path.ts";

/** An operation on its way into the document. */
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
/** What `ALL` stands for, where no route before it has taken them. */
const ALL_METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "patch"]);

/** Gives each route its operations. What stands in the way goes to `errors`, a line for each. */
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
      errors.add(`${endpoint.label}: OpenAPI has no method ${endpoint.verb}`);
    }
    for (const template of templatesOf(endpoint.outer, endpoint.pattern, labels)) {
      for (const method of methods) {
        const key = `${method} ${template.shape}`;
        const owner = owners.get(key);
        if (owner === undefined) {
          owners.set(key, endpoint);
          const operationId = operationIdOf(endpoint, template, { method, ids, stated });
          planned.push({ endpoint, template, method, operationId });
        } else if (endpoint.verb !== "ALL" || owner.verb === "ALL") { // else it answers what the others leave
          errors.add(
            `${endpoint.label}: ${owner.label} has the same path and method; say openapi: false on one`,
          );
        }
      }
      if (endpoint.verb !== "ALL") continue;
      for (const method of METHODS) { // it answers those too that it is not documented for
        const key = `${method} ${template.shape}`;
        if (!owners.has(key)) owners.set(key, endpoint);
      }
    }
  }
  return planned;
}

/** The names that are written by hand. */
function statedIds(endpoints: readonly Endpoint[], errors: Set<string>): Set<string> {
  const ids = new Set<string>();
  for (const { label, metadata: { operationId } } of endpoints) {
    if (operationId === undefined) continue;
    if (ids.has(operationId)) errors.add(`${label}: operationId "${operationId}" stands twice`);
    ids.add(operationId);
  }
  return ids;
}

function methodsOf({ verb }: Endpoint): readonly string[] {
  return METHODS.filter((method) =>
    verb === "ALL" ? ALL_METHODS.has(method) : method === verb.toLowerCase()
  );
}

/** As written, `Class_method`, or `get_users_id`; with a number behind it where that is taken. */
function operationIdOf(
  { controller, method: name, verb, metadata: { operationId } }: Endpoint,
  { path }: Template,
  { method, ids, stated }: {
    readonly method: string;
    /** Names that are taken. */
    readonly ids: Set<string>;
    /** Names that are written by hand and wait for their operation. */
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
