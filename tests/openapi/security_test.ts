/** secured(), publicEndpoint and securitySchemesFor(): what security is written with. */

import {
  type CommonOptions,
  createRouter,
  generateOpenAPI,
  type MountOptions,
  type OpenApiInfo,
  publicEndpoint,
  type SchemeStrategy,
  secured,
  type SecurityRequirement,
  type SecurityScheme,
  securitySchemesFor,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  answer,
  type Build,
  documentOf,
  INFO,
  integrationOf,
  operation,
  refusalOf,
  STRATEGIES,
} from "./_helpers.ts";

const { session, bearer, apiKey } = STRATEGIES;

function cookie(name: string, inCookie: string = name): SchemeStrategy {
  return { name, scheme: { type: "cookie", name: inCookie } };
}

function apiKeyIn(place: "cookie" | "header", name: string): SecurityScheme {
  return { type: "apiKey", in: place, name };
}

Deno.test("secured() requires one scheme with the scopes of a token", () => {
  assertEquals(secured("bearer"), [{ bearer: [] }]);
  assertEquals(secured("oauth", ["a", "b"]), [{ oauth: ["a", "b"] }]);
});

Deno.test("secured() keeps its own copy of the scopes", () => {
  const scopes = ["a"];
  const security = secured("oauth", scopes);
  scopes.push("b");
  assertEquals(security, [{ oauth: ["a"] }]);
});

Deno.test("publicEndpoint requires nothing and is immutable", () => {
  assertEquals(publicEndpoint, []);
  assert(Object.isFrozen(publicEndpoint));
  assertThrows(() => (publicEndpoint as unknown[]).push({ bearer: [] }), TypeError);
});

const SCHEMES: readonly (readonly [
  why: string,
  strategies: readonly SchemeStrategy[],
  schemes: Readonly<Record<string, SecurityScheme>>,
])[] = [
  ["nothing of no strategies", [], {}],
  ["a cookie as session", [session], { session: apiKeyIn("cookie", "__Host-sid") }],
  ["a bearer token as bearer", [bearer], {
    bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  }],
  ["a header field as apiKey", [apiKey], { apiKey: apiKeyIn("header", "X-API-Key") }],
  ["several in their order", [apiKey, session], {
    apiKey: apiKeyIn("header", "X-API-Key"),
    session: apiKeyIn("cookie", "__Host-sid"),
  }],
  ["nothing of a strategy that does not say where its credential is", [{ name: "mine" }, session], {
    session: apiKeyIn("cookie", "__Host-sid"),
  }],
  ["a second cookie by its strategy's name", [session, cookie("admin", "sid2")], {
    session: apiKeyIn("cookie", "__Host-sid"),
    admin: apiKeyIn("cookie", "sid2"),
  }],
  ["names as OpenAPI takes them", [session, cookie("a b/é", "sid2")], {
    session: apiKeyIn("cookie", "__Host-sid"),
    a_b__: apiKeyIn("cookie", "sid2"),
  }],
  ["strategies of one name apart", [cookie("a"), cookie("b", "b1"), cookie("b", "b2")], {
    session: apiKeyIn("cookie", "a"),
    b: apiKeyIn("cookie", "b1"),
    b_2: apiKeyIn("cookie", "b2"),
  }],
  ["a strategy that is called as the first one's scheme", [cookie("a"), cookie("session", "b")], {
    session: apiKeyIn("cookie", "a"),
    session_2: apiKeyIn("cookie", "b"),
  }],
  ["two strategies with one credential as one", [session, cookie("other", "__Host-sid")], {
    session: apiKeyIn("cookie", "__Host-sid"),
  }],
];

for (const [why, strategies, schemes] of SCHEMES) {
  Deno.test(`securitySchemesFor() returns ${why}`, () => {
    const found = securitySchemesFor(strategies);
    assertEquals(found, schemes);
    assertEquals(Object.keys(found), Object.keys(schemes));
  });
}

Deno.test("generateOpenAPI() writes the document's own security, and the schemes it uses", () => {
  const document = documentOf(() => {}, {
    security: [...secured("bearer"), ...secured("mine")],
    securitySchemes: { mine: { type: "mutualTLS" }, unused: { type: "mutualTLS" } },
  });
  assertEquals(document.security, [{ bearer: [] }, { mine: [] }]);
  assertEquals(document.components.securitySchemes, {
    bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    mine: { type: "mutualTLS" },
  });
});

Deno.test("generateOpenAPI() knows session, bearer and apiKey without a declaration", () => {
  const names = ["session", "bearer", "apiKey"];
  const { components } = documentOf(() => {}, {
    security: names.flatMap((name) => secured(name)),
  });
  assertEquals(Object.keys(components.securitySchemes ?? {}), names.toSorted());
});

Deno.test("generateOpenAPI() prefers a declaration to a common scheme", () => {
  const declared: SecurityScheme = { type: "http", scheme: "bearer", bearerFormat: "opaque" };
  const { components } = documentOf(() => {}, {
    security: secured("bearer"),
    securitySchemes: { bearer: declared },
  });
  assertEquals(components.securitySchemes, { bearer: declared });
});

Deno.test("generateOpenAPI() rejects a document whose security names an unknown scheme", () => {
  const [line = ""] = refusalOf(() => generateOpenAPI({ ...INFO, security: secured("oauth") }));
  assert(line.includes('info.security names the scheme "oauth", which is not declared'), line);
});

Deno.test("generateOpenAPI() rejects invalid names of security schemes, OpenAPI 3.1 §4.8.7", () => {
  const info = {
    security: secured("a b"),
    securitySchemes: { "a b": { type: "mutualTLS" } },
  } as const;
  assertEquals(refusalOf(() => documentOf(() => {}, info)), [
    'components.securitySchemes: "a b" is not a valid component name',
  ]);
});

const optional = { mode: "optional" } as const;

/** A route of a guarded router. */
function guarded(strategies: readonly SchemeStrategy[], options: CommonOptions = {}): Build {
  return (router) => void router.withAuth(integrationOf(...strategies)).get("/a", answer, options);
}

/** Documents of `GET /a`: its security, and whether it may be refused with 401 and 403. */
function securityOf(
  build: Build,
  info: Partial<OpenApiInfo> = {},
): readonly [security: readonly SecurityRequirement[] | undefined, refusals: string] {
  const { security, responses } = operation(documentOf(build, info), "GET /a");
  return [security, ["401", "403"].filter((status) => status in responses).join()];
}

type Case = readonly [
  why: string,
  build: Build,
  security: readonly SecurityRequirement[] | undefined,
  refusals: string,
  info?: Partial<OpenApiInfo>,
];

const CASES: readonly Case[] = [
  ["nothing of a router without a guard", (router) => router.get("/a", answer), [], ""],
  ["a guard's strategy", guarded([session]), [{ session: [] }], "401"],
  [
    "alternatives of several strategies",
    guarded([session, bearer, apiKey]),
    [{ session: [] }, { bearer: [] }, { apiKey: [] }],
    "401",
  ],
  ["nothing of a public route", guarded([session], { auth: false }), [], ""],
  [
    "nothing of a route that was there before the guard",
    (router) => void router.get("/a", answer).withAuth(integrationOf(session)).get("/b", answer),
    [],
    "",
  ],
  [
    "that no credential will do, too, of an optional route",
    guarded([session], { auth: optional }),
    [{ session: [] }, {}],
    "401",
  ],
  [
    "the 403 of an authorized route",
    guarded([session], { authorization: { metadata: 1 } }),
    [{ session: [] }],
    "401,403",
  ],
  [
    "that a credential is needed, of an optional route whose authorization asks who it is",
    guarded([session], { auth: optional, authorization: { metadata: 1 } }),
    [{ session: [] }],
    "401,403",
  ],
  [
    "that no credential will do, too, where authorization takes anonymous requests",
    guarded([session], { auth: optional, authorization: { metadata: 1, allowAnonymous: true } }),
    [{ session: [] }, {}],
    "401,403",
  ],
  [
    "that a credential is needed, of a required route, whatever authorization takes",
    guarded([session], { authorization: { metadata: 1, allowAnonymous: true } }),
    [{ session: [] }],
    "401,403",
  ],
  [
    "the strategies that say where their credential is",
    guarded([{ name: "mine" }, bearer]),
    [{ bearer: [] }],
    "401",
  ],
  ["written scopes", guarded([bearer], { openapi: { security: secured("bearer", ["a"]) } }), [
    { bearer: ["a"] },
  ], "401"],
  [
    "written alternatives, which may be fewer than the guard's",
    guarded([session, bearer], { openapi: { security: secured("bearer") } }),
    [{ bearer: [] }],
    "401",
  ],
  [
    "written requirements, which may be more than the guard's",
    guarded([session, apiKey], { openapi: { security: [{ session: [], apiKey: [] }] } }),
    [{ session: [], apiKey: [] }],
    "401",
  ],
  [
    "an optional route as public, with the 401 for an invalid credential",
    guarded([session], { auth: optional, openapi: { security: publicEndpoint } }),
    [],
    "401",
  ],
  [
    "what is written of a route without a guard, which middleware may secure",
    (router) => router.get("/a", answer, { openapi: { security: secured("apiKey") } }),
    [{ apiKey: [] }],
    "401",
  ],
  [
    "what is written, where the guard does not say what it takes",
    guarded([], { openapi: { security: secured("bearer") } }),
    [{ bearer: [] }],
    "401",
  ],
  [
    "what is written, and that no credential will do, where the guard does not say what it takes",
    guarded([], { auth: optional, openapi: { security: [...secured("bearer"), {}] } }),
    [{ bearer: [] }, {}],
    "401",
  ],
  [
    "the document's own security, where the guard does not say",
    guarded([]),
    [{ apiKey: [] }],
    "401",
    {
      security: [...secured("apiKey"), {}],
    },
  ],
  [
    "the declared schemes, where neither the guard nor the document says",
    guarded([{ name: "mine" }]),
    [{ mine: [] }, { other: [] }],
    "401",
    { securitySchemes: { mine: { type: "mutualTLS" }, other: { type: "mutualTLS" } } },
  ],
  [
    "the document's security, for a router without a guard",
    (router) => router.get("/a", answer),
    undefined,
    "401",
    { security: secured("session") },
  ],
  [
    "nothing of a public route, whatever the document says",
    (router) => router.get("/a", answer, { auth: false }),
    [],
    "",
    { security: secured("session") },
  ],
  [
    "nothing of a route without a guard beside others, whatever the document says",
    (router) => void router.get("/a", answer).withAuth(integrationOf(session)).get("/b", answer),
    [],
    "",
    { security: secured("session") },
  ],
];

for (const [why, build, security, refusals, info] of CASES) {
  Deno.test(`generateOpenAPI() documents ${why}`, () => {
    assertEquals(securityOf(build, info), [security, refusals]);
  });
}

/** The security of a route of a guarded router mounted in another guarded router. */
function mounted(
  outer: readonly SchemeStrategy[],
  inner: readonly SchemeStrategy[],
  options: CommonOptions = {},
  mountOptions: MountOptions = {},
): readonly SecurityRequirement[] | undefined {
  const app = createRouter().withAuth(integrationOf(...inner)).get("/a", answer, options);
  const document = documentOf((router) =>
    void router.withAuth(integrationOf(...outer)).mount("/m", app, mountOptions)
  );
  return operation(document, "GET /m/a").security;
}

const MOUNTS: readonly (readonly [
  why: string,
  found: () => readonly SecurityRequirement[] | undefined,
  security: readonly SecurityRequirement[],
])[] = [
  ["both guards, which have to be passed", () => mounted([session], [bearer]), [
    { session: [], bearer: [] },
  ]],
  [
    "every alternative of one with every one of the other",
    () => mounted([session, apiKey], [bearer, apiKey]),
    [
      { session: [], bearer: [] },
      { session: [], apiKey: [] },
      { apiKey: [], bearer: [] },
      { apiKey: [] },
    ],
  ],
  ["a guard once that both have", () => mounted([session], [session]), [{ session: [] }]],
  ["the outer guard of a public route", () => mounted([session], [bearer], { auth: false }), [
    { session: [] },
  ]],
  ["the outer guard of an optional route", () => mounted([session], [bearer], { auth: optional }), [
    { session: [], bearer: [] },
    { session: [] },
  ]],
  ["the inner guard of a public mount", () => mounted([session], [bearer], {}, { auth: false }), [
    { bearer: [] },
  ]],
  ["written security that passes both guards", () =>
    mounted([session], [bearer, apiKey], {
      openapi: { security: [{ apiKey: [], session: [] }] },
    }), [{ apiKey: [], session: [] }]],
];

for (const [why, found, security] of MOUNTS) {
  Deno.test(`generateOpenAPI() documents, for a mounted router, ${why}`, () => {
    assertEquals(found(), security);
  });
}

Deno.test("generateOpenAPI() names the cookie of a second guard after its strategy", () => {
  const admin: SchemeStrategy = { name: "admin", scheme: { type: "cookie", name: "__Host-admin" } };
  const inner = createRouter().withAuth(integrationOf(admin)).get("/a", answer);
  const document = documentOf((router) =>
    void router.withAuth(integrationOf(session)).get("/a", answer).mount("/m", inner, {
      auth: false,
    })
  );
  assertEquals(operation(document, "GET /a").security, [{ session: [] }]);
  assertEquals(operation(document, "GET /m/a").security, [{ admin: [] }]);
  assertEquals(document.components.securitySchemes, {
    admin: { type: "apiKey", in: "cookie", name: "__Host-admin" },
    session: { type: "apiKey", in: "cookie", name: "__Host-sid" },
  });
});

Deno.test("generateOpenAPI() uses the description of a guard's scheme from info", () => {
  const scheme = { type: "apiKey", in: "cookie", name: "__Host-sid", description: "Mine" } as const;
  const { components } = documentOf(guarded([session]), { securitySchemes: { session: scheme } });
  assertEquals(components.securitySchemes, { session: scheme });
});

const PUBLIC = "its metadata says that it is public, but it is guarded";
const NOT_TAKEN = "which its guards do not accept";

const REFUSED: readonly (readonly [
  why: string,
  build: Build,
  line: string,
  info?: Partial<OpenApiInfo>,
])[] = [
  [
    "a guarded route that is written as public",
    guarded([session], { openapi: { security: publicEndpoint } }),
    `GET /a: ${PUBLIC}`,
  ],
  [
    "a guarded route that is written as optional",
    guarded([session], { openapi: { security: [...secured("session"), {}] } }),
    `GET /a: ${PUBLIC}`,
  ],
  [
    "a guarded route that is public in the metadata, if the strategies are unknown",
    guarded([], { openapi: { security: publicEndpoint } }),
    `GET /a: ${PUBLIC}`,
  ],
  [
    "a public route that is written as secured",
    guarded([session], { auth: false, openapi: { security: secured("session") } }),
    "GET /a: its metadata requires a credential, but auth is false",
  ],
  [
    "an optional route that is written as secured",
    guarded([session], { auth: optional, openapi: { security: secured("session") } }),
    "GET /a: its metadata requires a credential, but its guard accepts anonymous requests",
  ],
  [
    "a written scheme that the guard does not take",
    guarded([session], { openapi: { security: secured("bearer") } }),
    `GET /a: its metadata requires bearer, ${NOT_TAKEN}`,
  ],
  [
    "a written scheme that passes one guard of two",
    (router) => {
      const inner = createRouter().withAuth(integrationOf(bearer)).get("/a", answer, {
        openapi: { security: secured("bearer") },
      });
      router.withAuth(integrationOf(session)).mount("/m", inner);
    },
    `GET /m/a: its metadata requires bearer, ${NOT_TAKEN}`,
  ],
  [
    "a guard with unknown schemes",
    guarded([{ name: "mine" }]),
    "GET /a: it is guarded, but its security schemes are unknown: pass strategies to the integration, or security to info",
  ],
  [
    "a guard with unknown schemes, in a public document",
    guarded([]),
    "GET /a: it is guarded, but its security schemes are unknown: pass strategies to the integration, or security to info",
    { security: publicEndpoint },
  ],
  [
    "a written scheme that is not declared",
    (router) => router.get("/a", answer, { openapi: { security: secured("oauth") } }),
    'GET /a: security scheme "oauth" is not declared',
  ],
  [
    "a scheme that info declares otherwise than its guard has it",
    guarded([session]),
    'GET /a: security scheme "session" does not match the scheme of its guard: ' +
    '{"type":"apiKey","in":"cookie","name":"__Host-sid"}',
    { securitySchemes: { session: { type: "apiKey", in: "cookie", name: "sid" } } },
  ],
];

for (const [why, build, line, info] of REFUSED) {
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    assertEquals(refusalOf(() => documentOf(build, info)), [line]);
  });
}

/** More specific declarations of a bearer token. */
const BEARER: readonly (readonly [why: string, scheme: SecurityScheme])[] = [
  ["without a format", { type: "http", scheme: "Bearer" }],
  ["of another format", { type: "http", scheme: "bearer", bearerFormat: "opaque" }],
  ["of OpenID Connect", { type: "openIdConnect", openIdConnectUrl: "https://id.test/.well-known" }],
  ["of OAuth 2.0", { type: "oauth2", flows: {} }],
];

for (const [why, scheme] of BEARER) {
  Deno.test(`generateOpenAPI() accepts a bearer token ${why} in info`, () => {
    const { components } = documentOf(guarded([bearer]), { securitySchemes: { bearer: scheme } });
    assertEquals(components.securitySchemes, { bearer: scheme });
  });
}

Deno.test("generateOpenAPI() writes the combinations of two guards with the same strategies once", () => {
  const document = documentOf((router) => {
    const inner = createRouter().withAuth(integrationOf(session, bearer)).get("/a", answer);
    router.withAuth(integrationOf(session, bearer)).mount("/inner", inner);
  });
  assertEquals(operation(document, "GET /inner/a").security, [
    { session: [] },
    { session: [], bearer: [] },
    { bearer: [] },
  ]);
});

for (
  const [why, scheme] of [
    ["of OAuth 2.0", { type: "oauth2", flows: {} }],
    ["in a header field", { type: "apiKey", in: "header", name: "__Host-sid" }],
  ] as const
) {
  Deno.test(`generateOpenAPI() rejects a session cookie that info declares as a scheme ${why}`, () => {
    const [line = ""] = refusalOf(() =>
      documentOf(guarded([session]), { securitySchemes: { session: scheme } })
    );
    assertMatch(line, /^GET \/a: security scheme "session" does not match/);
  });
}
