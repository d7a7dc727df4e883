/** The routes of sign-in with providers in OpenAPI documents. */

import { generateOpenAPI, type OpenApiDocument, type SchemaObject } from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { assertFits, INFO, operationsOf } from "../_documents.ts";
import { goTo, type OAuthApp, oauthApp, signInWith } from "./_oauth.ts";

function documentOf(app: OAuthApp): OpenApiDocument {
  return generateOpenAPI(INFO, app.router);
}

/** The part of an operation that is looked at. */
interface Described {
  readonly summary: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: SchemaObject;
  }[];
  readonly responses: Readonly<
    Record<string, {
      readonly content?: { readonly "application/json"?: { readonly schema: SchemaObject } };
    }>
  >;
}

function operations(app: OAuthApp): Map<string, Described> {
  const all = [...operationsOf(documentOf(app))] as unknown as [string, Described][];
  return new Map(all.filter(([name]) => /oauth|identities/.test(name)));
}

Deno.test("generateOpenAPI() documents the routes of providers, each with its own summary and operationId", () => {
  const found = operations(oauthApp());
  assertEquals([...found.keys()].sort(), [
    "GET /auth/identities",
    "GET /auth/oauth/{provider}/callback",
    "GET /auth/oauth/{provider}/start",
    "POST /auth/identities/unlink",
    "POST /auth/oauth/{provider}/backchannel-logout",
    "POST /auth/oauth/{provider}/link",
    "POST /auth/oauth/{provider}/logout",
  ]);
  const all = [...found.values()];
  assertEquals(new Set(all.map(({ operationId }) => operationId)).size, 7);
  assertEquals(new Set(all.map(({ summary }) => summary)).size, 7);
  for (const { summary, tags } of all) {
    assertMatch(summary, /^[A-Z]/);
    assertEquals(tags, ["Authentication"]);
  }
});

Deno.test("generateOpenAPI() documents the POST of a callback where a provider posts a form", () => {
  const names = [...operations(oauthApp({ provider: { responseMode: "form_post" } })).keys()];
  assert(names.includes("POST /auth/oauth/{provider}/callback"));
});

Deno.test("generateOpenAPI() names the providers, the parameters of a start, and the CSRF token of writes", () => {
  for (const [name, { parameters = [] }] of operations(oauthApp())) {
    const byName = new Map(parameters.map((one) => [one.name, one]));
    if (name.includes("{provider}")) {
      assertEquals(byName.get("provider")?.schema["enum"], ["one", "two"], name);
    }
    const needsToken = /link|logout$/.test(name) && !name.includes("backchannel");
    assertEquals(byName.has("X-CSRF-Token"), needsToken, name);
    if (name.endsWith("/start")) {
      const query = parameters.filter((one) => one.in === "query").map((one) => one.name);
      assertEquals(query, ["redirect_to", "remember", "max_age"]);
    }
  }
});

Deno.test("generateOpenAPI() describes what the routes of providers respond", async () => {
  const app = oauthApp();
  const browser = app.browser();
  const found = operations(app);
  const schemaOf = (name: string) =>
    found.get(name)?.responses["200"]?.content?.["application/json"]?.schema ?? {};
  await goTo(browser);
  await signInWith(browser, app.one);
  const listed = await (await browser.send("/auth/identities")).json();
  assertFits(listed, schemaOf("GET /auth/identities"), "identities");
  const link = await (await browser.post("/auth/oauth/two/link", {})).json();
  assertFits(link, schemaOf("POST /auth/oauth/{provider}/link"), "link");
  const left = await (await browser.post("/auth/oauth/one/logout")).json();
  assertFits(left, schemaOf("POST /auth/oauth/{provider}/logout"), "logout");
});
