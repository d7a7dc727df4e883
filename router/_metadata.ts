/**
 * What several decorators say of one method.
 *
 * @module
 */

import type { EndpointMetadata } from "./openapi_types.ts";

/**
 * Joins metadata: lists and responses are put together, and of two values of one member the second wins.
 *
 * @param first What is said in general.
 * @param second What is said closer to the route.
 */
export function mergeMetadata(
  first: EndpointMetadata,
  second: EndpointMetadata,
): EndpointMetadata {
  return {
    ...first,
    ...second,
    ...joined(first, second, "tags"),
    ...joined(first, second, "parameters"),
    ...(first.responses === undefined || second.responses === undefined
      ? {}
      : { responses: { ...first.responses, ...second.responses } }),
  };
}

function joined(
  first: EndpointMetadata,
  second: EndpointMetadata,
  name: "tags" | "parameters",
): EndpointMetadata {
  const [some, more] = [first[name], second[name]];
  return some === undefined || more === undefined ? {} : { [name]: [...some, ...more] };
}
