/**
 * What describes the parts of a route besides its metadata: its validators, then its types.
 *
 * @module
 */

import type { RouteInfo, RouteOptions } from "../router/types.ts";
import type { SchemaOrigin } from "./_components.ts";
import type { SchemaSource } from "./_standard_schema.ts";

/** A part of a request, as `schema` calls it. */
export type RequestPart = "body" | "params" | "query";

/** What the TypeScript types of a route say. A part is read when it is asked for, so that nothing else can fail. */
export interface RouteTypes {
  /**
   * Describes a part of the request; `undefined` if its type says nothing.
   *
   * @param validated Whether a validator takes the part. Then its type is what the validator takes, not what it gives.
   */
  request(part: RequestPart, validated: boolean): SchemaSource | undefined;
  /** Whether the handler gets a form. */
  takesForm(): boolean;
  /** Statuses that the handler sends; `undefined` stands for those that its types do not say. */
  statuses(): readonly (string | undefined)[];
  /** Describes the data that is sent with a status; `undefined` if its type says nothing. */
  response(status: string): SchemaSource | undefined;
}

/** Finds the types of a route. */
export type TypesOf = (route: Pick<RouteInfo, "origin">) => RouteTypes | undefined;

/** What describes something, and what does where that cannot. */
type Sources = Pick<SchemaOrigin, "validator" | "orElse">;

/** The parts of a route that describe what it takes and sends. */
interface DescribedRoute {
  readonly options: Pick<RouteOptions<never[]>, "schema">;
  readonly types: RouteTypes | undefined;
}

/** What describes a part of a route's request; `undefined` if nothing does. */
export function requestSources(
  { options: { schema = {} }, types }: DescribedRoute,
  part: RequestPart,
): Sources | undefined {
  return inOrder(schema[part], (validated) => types?.request(part, validated));
}

/** What describes the data that a route sends with a status; `undefined` if nothing does. */
export function responseSources(
  { options: { schema = {} }, types }: DescribedRoute,
  status: string,
): Sources | undefined {
  const validator = status.startsWith("2") ? schema.response : undefined;
  return inOrder(validator, () => types?.response(status));
}

/** A validator, then the types. */
function inOrder(
  validator: unknown,
  typed: (validated: boolean) => SchemaSource | undefined,
): Sources | undefined {
  if (validator !== undefined) return { validator, orElse: () => typed(true) };
  const source = typed(false);
  return source === undefined ? undefined : { validator: source };
}
