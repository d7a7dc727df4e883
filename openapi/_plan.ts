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
export const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"] as const;
/** What `ALL` stands for, where those have no route of their own. */
const ALL_METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "patch"]);

/** Gives each route its operations. What stands in the way goes to `errors`, a line for each. */
export function planOperations(
  endpoints: readonly Endpoint[],
  errors: Set<string>,
): readonly PlannedOperation[] {
  const labels: ShapeLabels = new Map();
  const owners = new Map<string, string>();
  const stated = statedIds(endpoints, errors);
  const ids = new Set(stated);
  const planned: PlannedOperation[] = [];
  const templates = new Map(
    endpoints.map((one) => [one, templatesOf(one.outer, one.pattern, labels)]),
  );
  const specific = new Set(
    [...templates].flatMap(([{ verb }, all]) =>
      all.map(({ shape }) => `${verb.toLowerCase()} ${shape}`)
    ),
  );
  for (const [endpoint, all] of templates) {
    for (const template of all) {
      for (const method of methodsOf(endpoint, template, specific)) {
        const key = `${method} ${template.shape}`;
        const owner = owners.get(key);
        if (owner !== undefined) {
          errors.add(
            `${endpoint.label}: ${owner} has the same path and method; say openapi: false on one`,
          );
          continue;
        }
        owners.set(key, endpoint.label);
        const operationId = operationIdOf(endpoint, template, { method, ids, stated });
        planned.push({ endpoint, template, method, operationId });
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

function methodsOf(
  { verb }: Endpoint,
  { shape }: Template,
  specific: ReadonlySet<string>,
): readonly string[] {
  if (verb !== "ALL") return [verb.toLowerCase()];
  return METHODS.filter((method) => ALL_METHODS.has(method) && !specific.has(`${method} ${shape}`));
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
