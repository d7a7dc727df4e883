/**
 * The sources of a route's schemas besides its metadata: validators first, then TypeScript types.
 *
 * @module
 */

import type { RouteInfo, RouteOptions } from "../router/types.ts";
import type { SchemaOrigin } from "./_components.ts";
import type { SchemaSource } from "./_standard_schema.ts";

/** A part of a request, named as in `schema`. */
export type RequestPart = "body" | "params" | "query";

/** The TypeScript types of a route. A part is read only on demand, so that unused types cannot fail. */
export interface RouteTypes {
  /**
   * Describes a part of the request; `undefined` if its type is unspecified.
   *
   * @param validated Whether the part has a validator. Then the validator's input type is described, not its output.
   */
  request(part: RequestPart, validated: boolean): SchemaSource | undefined;
  /** Whether the handler takes a form. */
  takesForm(): boolean;
  /** Statuses that the handler sends; `undefined` stands for unknown ones. */
  statuses(): readonly (string | undefined)[];
  /** Media types of the data that is sent with a status: events, JSON or both. */
  mediaTypes(status: string): readonly string[];
  /** Describes the data that is sent with a status; `undefined` if its type is unspecified. */
  response(status: string): SchemaSource | undefined;
}

/** Looks up the types of a route. */
export type TypesOf = (route: Pick<RouteInfo, "origin">) => RouteTypes | undefined;

/** A source, and a fallback. */
type Sources = Pick<SchemaOrigin, "validator" | "orElse">;

/** The parts of a route that its schemas come from. */
interface DescribedRoute {
  readonly options: Pick<RouteOptions<never[]>, "schema">;
  readonly types: RouteTypes | undefined;
}

/** The sources of a part of a route's request; `undefined` if there are none. */
export function requestSources(
  { options: { schema = {} }, types }: DescribedRoute,
  part: RequestPart,
): Sources | undefined {
  return inOrder(schema[part], (validated) => types?.request(part, validated));
}

/** The sources of the data that a route sends with a status; `undefined` if there are none. */
export function responseSources(
  { options: { schema = {} }, types }: DescribedRoute,
  status: string,
): Sources | undefined {
  const validator = status.startsWith("2") ? schema.response : undefined;
  return inOrder(validator, () => types?.response(status));
}

/** The validator if there is one, with the types as fallback. */
function inOrder(
  validator: unknown,
  typed: (validated: boolean) => SchemaSource | undefined,
): Sources | undefined {
  if (validator !== undefined) return { validator, orElse: () => typed(true) };
  const source = typed(false);
  return source === undefined ? undefined : { validator: source };
}
