/**
 * Documents of guarded routes.
 *
 * @module
 */

import {
  type OpenApiDocument,
  publicEndpoint,
  type SchemeStrategy,
  secured,
  type TypedRouter,
} from "@gatehouse/http";
import { answer, documentOf, integrationOf, STRATEGIES } from "./_helpers.ts";

const { session, bearer } = STRATEGIES;

/** A second strategy that takes a cookie. */
export const OTHER_COOKIE: SchemeStrategy = {
  name: "Admin cookie",
  scheme: { type: "cookie", name: "admin" },
};

/** Routes with every way to ask something of a guard. */
function addRoutes(
  router: TypedRouter,
  ...strategies: readonly SchemeStrategy[]
): void {
  router.get("/before", answer).withAuth(integrationOf(...strategies))
    .get("/required", answer)
    .get("/public", answer, { auth: false })
    .get("/optional", answer, { auth: { mode: "optional" } })
    .get("/allowed", answer, { authorization: { metadata: "read" } })
    .get("/allowed/optional", answer, {
      auth: { mode: "optional" },
      authorization: { metadata: "read" },
    })
    .get("/allowed/anonymous", answer, {
      auth: { mode: "optional" },
      authorization: { metadata: "read", allowAnonymous: true },
    })
    .post("/required", answer);
}

/** Documents them. */
export function guarded(...strategies: readonly SchemeStrategy[]): OpenApiDocument {
  return documentOf((router) => addRoutes(router, ...strategies));
}

/** Documents them, with security schemes from `info` only. */
export function guardedByUnknown(): OpenApiDocument {
  return documentOf((router) => addRoutes(router), { security: secured("session") });
}

/** Documents with metadata only. */
export function securityByHand(): OpenApiDocument {
  return documentOf(
    (router) =>
      router
        .get("/elsewhere", answer, { openapi: { security: secured("oauth", ["notes:read"]) } })
        .get("/public", answer, { openapi: { security: publicEndpoint } })
        .get("/either", answer, {
          openapi: { security: [...secured("apiKey"), ...secured("mutual")] },
        })
        .withAuth(integrationOf(session, bearer))
        .get("/narrowed", answer, { openapi: { security: secured("bearer") } }),
    {
      securitySchemes: {
        mutual: { type: "mutualTLS", description: "A certificate of ours" },
        oauth: {
          type: "oauth2",
          flows: {
            authorizationCode: {
              authorizationUrl: "https://auth.test/authorize",
              tokenUrl: "https://auth.test/token",
              scopes: { "notes:read": "Read notes" },
            },
          },
        },
      },
    },
  );
}
