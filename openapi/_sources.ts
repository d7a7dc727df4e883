/**
 * What describes the parts of a route besides its metadata: its validators, then its types.
 *
 * @module
 */

import type { RouteInfo } from "../router/types.ts";
import type { SchemaOrigin } from "./_components.ts";
import type { Endpoint } from "./_endpoints.ts";
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

/** What describes a part of a route's request; `undefined` if nothing does. */
export function sourceOf(
  { options: { schema = {} }, types }: Pick<Endpoint, "options" | "types">,
  part: RequestPart,
): Pick<SchemaOrigin, "validator" | "orElse"> | undefined {
  const validator = schema[part];
  if (validator !== undefined) return { validator, orElse: () => types?.request(part, true) };
  const source = types?.request(part, false);
  return source === undefined ? undefined : { validator: source };
}
