/**
 * What several decorators say of one method.
 *
 * @module
 */

import type { EndpointMetadata } from "./openapi_types.ts";

/**
 * Joins metadata: tags, parameters and responses are put together, and of two values of one thing the second wins.
 *
 * @param first What is said in general.
 * @param second What is said closer to the route.
 */
export function mergeMetadata(
  first: EndpointMetadata,
  second: EndpointMetadata,
): EndpointMetadata {
  const { tags = [], parameters = [], responses = {} } = first;
  return {
    ...first,
    ...second,
    ...(second.tags === undefined ? {} : { tags: [...new Set([...tags, ...second.tags])] }),
    ...(second.parameters === undefined ? {} : {
      parameters: [
        ...parameters.filter((one) =>
          !second.parameters?.some((other) => other.in === one.in && other.name === one.name)
        ),
        ...second.parameters,
      ],
    }),
    ...(second.responses === undefined ? {} : { responses: { ...responses, ...second.responses } }),
  };
}
