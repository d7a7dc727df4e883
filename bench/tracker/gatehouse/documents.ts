/**
 * What the document says of routes beyond their schemas and guards.
 *
 * @module
 */

/** The option of a route. */
interface Documented {
  readonly openapi: { readonly responses: Readonly<Record<number, { description: string }>> };
}

/** How a route answers. */
export function answers(status: number, description: string): Documented {
  return { openapi: { responses: { [status]: { description } } } };
}

/** How a route answers about one thing, or in an organisation. */
export function answersOrNotFound(status: number, description: string): Documented {
  const { responses } = answers(status, description).openapi;
  return {
    openapi: {
      responses: { ...responses, 404: { description: "Not there, or not the caller's" } },
    },
  };
}
