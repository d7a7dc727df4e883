/** secured(), publicEndpoint and securitySchemesFor(): what security is written with. */

import {
  generateOpenAPI,
  publicEndpoint,
  type SchemeStrategy,
  secured,
  type SecurityScheme,
  securitySchemesFor,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { documentOf, INFO, refusalOf, STRATEGIES } from "./_helpers.ts";

const { session, bearer, apiKey } = STRATEGIES;

function cookie(name: string, inCookie: string = name): SchemeStrategy {
  return { name, scheme: { type: "cookie", name: inCookie } };
}

function apiKeyIn(place: "cookie" | "header", name: string): SecurityScheme {
  return { type: "apiKey", in: place, name };
}

Deno.test("secured() asks for one scheme, with the scopes that a token needs", () => {
  assertEquals(secured("bearer"), [{ bearer: [] }]);
  assertEquals(secured("oauth", ["a", "b"]), [{ oauth: ["a", "b"] }]);
});

Deno.test("secured() keeps its own copy of the scopes", () => {
  const scopes = ["a"];
  const security = secured("oauth", scopes);
  scopes.push("b");
  assertEquals(security, [{ oauth: ["a"] }]);
});

Deno.test("publicEndpoint asks for nothing, and nobody can make it ask for something", () => {
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
  Deno.test(`securitySchemesFor() gives ${why}`, () => {
    const found = securitySchemesFor(strategies);
    assertEquals(found, schemes);
    assertEquals(Object.keys(found), Object.keys(schemes));
  });
}

Deno.test("generateOpenAPI() writes the document's own security, and the schemes that it names", () => {
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

Deno.test("generateOpenAPI() prefers a declaration to what it knows", () => {
  const declared: SecurityScheme = { type: "http", scheme: "bearer", bearerFormat: "opaque" };
  const { components } = documentOf(() => {}, {
    security: secured("bearer"),
    securitySchemes: { bearer: declared },
  });
  assertEquals(components.securitySchemes, { bearer: declared });
});

Deno.test("generateOpenAPI() refuses a document whose security names an unknown scheme", () => {
  const [line = ""] = refusalOf(() => generateOpenAPI({ ...INFO, security: secured("oauth") }));
  assert(line.includes('info.security names the scheme "oauth", which is not declared'), line);
});

Deno.test("generateOpenAPI() refuses names of schemes that are none, OpenAPI 3.1 §4.8.7", () => {
  const info = {
    security: secured("a b"),
    securitySchemes: { "a b": { type: "mutualTLS" } },
  } as const;
  assertEquals(refusalOf(() => documentOf(() => {}, info)), [
    'components.securitySchemes: "a b" is not a valid component name',
  ]);
});
