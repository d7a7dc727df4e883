/**
 * What the document says of routes beyond their schemas and guards.
 *
 * @module
 */

/** The option of a route. */
interface Documented {
  readonly openapi: { readonly responses: Readonly<Record<number, { description: string }>> };
}

/** How a route in an organisation answers. */
export function answers(status: number, description: string): Documented {
  return {
    openapi: {
      responses: {
        [status]: { description },
        404: { description: "Not there, or the caller is no member" },
      },
    },
  };
}
