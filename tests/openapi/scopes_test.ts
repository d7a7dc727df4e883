/** Scopes of operations, which documents read from the options and the middleware that check them. */

import {
  Controller,
  createRouter,
  defaultRegistry,
  generateOpenAPI,
  Get,
  json,
  type MountOptions,
  requireScope,
  type RouteOptions,
  type SchemeStrategy,
  secured,
  type SecurityRequirement,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { answer, documentOf, integrationOf, operation, STRATEGIES } from "./_helpers.ts";

const { session, bearer, apiKey } = STRATEGIES;
const keys: SchemeStrategy = { ...apiKey, scoped: true };
const tokens: SchemeStrategy = { ...bearer, scoped: true };

const CASES: readonly (readonly [
  why: string,
  strategies: readonly SchemeStrategy[],
  options: Omit<RouteOptions, "multipart" | "raw">,
  security: readonly SecurityRequirement[],
  refusals: string,
])[] = [
  [
    "the option, for all but cookies",
    [keys, tokens, session],
    { scope: ["a", "b"] },
    [{ apiKey: ["a", "b"] }, { bearer: ["a", "b"] }, { session: [] }],
    "401,403",
  ],
  [
    "requireScope()",
    [keys, session],
    { use: [requireScope("a")] },
    [{ apiKey: ["a"] }, { session: [] }],
    "401,403",
  ],
  [
    "both, each scope once",
    [tokens],
    { scope: ["a", "b"], use: [requireScope("b"), () => {}, requireScope("c")] },
    [{ bearer: ["a", "b", "c"] }],
    "401,403",
  ],
  ["any scope", [keys, session], { scope: "any" }, [{ apiKey: [] }, { session: [] }], "401"],
  [
    "requireScope() rather than any",
    [keys],
    { scope: "any", use: [requireScope("a")] },
    [{ apiKey: ["a"] }],
    "401,403",
  ],
  [
    "no scope: what is always limited does not pass",
    [keys, tokens, session],
    {},
    [{ session: [] }],
    "401",
  ],
  ["no scope: what may not be limited passes", [keys, bearer], {}, [{ bearer: [] }], "401"],
  ["no scope, where nothing else is accepted", [keys], {}, [{ apiKey: [] }], "401"],
  [
    "a scope of an optional route",
    [keys],
    { auth: { mode: "optional" }, scope: ["a"] },
    [{ apiKey: ["a"] }, {}],
    "401,403",
  ],
  [
    "what is written instead",
    [keys, session],
    { scope: ["a"], openapi: { security: secured("apiKey", ["b"]) } },
    [{ apiKey: ["b"] }],
    "401,403",
  ],
  ["no authorization", [session], { authorization: "none" }, [{ session: [] }], "401"],
];

for (const [why, strategies, options, security, refusals] of CASES) {
  Deno.test(`generateOpenAPI() documents scopes: ${why}`, () => {
    const document = documentOf((router) =>
      void router.withAuth(integrationOf(...strategies)).get("/a", answer, options)
    );
    const { security: found, responses } = operation(document, "GET /a");
    assertEquals(found, security);
    assertEquals(["401", "403"].filter((status) => status in responses).join(), refusals);
  });
}

const MOUNTS: readonly (readonly [
  why: string,
  mount: MountOptions,
  route: Omit<RouteOptions, "multipart" | "raw">,
  security: readonly SecurityRequirement[],
])[] = [
  ["of the mount", { scope: ["a"] }, {}, [{ apiKey: ["a"] }, { session: [] }]],
  ["of the route behind a mount for any", { scope: "any" }, { use: [requireScope("b")] }, [
    { apiKey: ["b"] },
    { session: [] },
  ]],
  ["of a mount without one", {}, {}, [{ session: [] }]],
];
for (const [why, mount, route, security] of MOUNTS) {
  Deno.test(`generateOpenAPI() documents scopes of a mounted router without a guard: ${why}`, () => {
    const document = documentOf((router) =>
      void router.withAuth(integrationOf(keys, session))
        .mount("/m", createRouter().get("/a", answer, route), mount)
    );
    assertEquals(operation(document, "GET /m/a").security, security);
  });
}

Deno.test("generateOpenAPI() documents the scopes of both guards of a mounted router", () => {
  const inner = createRouter().withAuth(integrationOf(keys)).get("/a", answer, { scope: ["b"] });
  const document = documentOf((router) =>
    void router.withAuth(integrationOf(keys)).mount("/m", inner, { scope: ["a"] })
  );
  assertEquals(operation(document, "GET /m/a").security, [{ apiKey: ["a", "b"] }]);
});

@Controller("/scoped-notes")
class ScopedNotes {
  @Get("/", { scope: ["notes:read"] })
  list() {
    return json([]);
  }

  @Get("/used", { auth: true, use: [requireScope("notes:read")] })
  used() {
    return json([]);
  }
}

Deno.test("generateOpenAPI() documents the scopes of controllers without a router", () => {
  const registry = {
    getTargets: () => defaultRegistry.getTargets().filter(({ target }) => target === ScopedNotes),
  };
  const info = {
    title: "Notes",
    version: "1",
    security: [...secured("apiKey"), ...secured("session")],
  };
  const { paths } = generateOpenAPI(info, registry);
  for (const path of ["/scoped-notes", "/scoped-notes/used"]) {
    const { security, responses = {} } = paths[path]?.get ?? {};
    assertEquals(security, [{ apiKey: ["notes:read"] }, { session: [] }]);
    assertEquals("403" in responses, true);
  }
});
