/** What the OpenAPI document says of routes that hand out tokens. */

import {
  generateOpenAPI,
  type OpenApiDocument,
  type OperationObject,
  type SchemaObject,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { ADA } from "../_services.ts";
import { createTokenApp, JWT, refresh } from "./_token_routes.ts";

const INFO = { title: "Test", version: "1.0.0" };

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

function operation({ paths }: OpenApiDocument, path: string): OperationObject {
  const found = (paths[path] as { readonly post?: OperationObject } | undefined)?.post;
  assert(found !== undefined, path);
  return found;
}

function schemaOf({ responses }: OperationObject, status: string): ObjectSchema {
  const { content } = responses?.[status] as { content: Record<string, { schema: SchemaObject }> };
  return content["application/json"]?.schema as unknown as ObjectSchema;
}

Deno.test("generateOpenAPI() writes POST /auth/refresh where tokens are handed out, without a CSRF token", () => {
  const document = generateOpenAPI(INFO, createTokenApp().router);
  const { parameters = [], responses = {}, security } = operation(document, "/auth/refresh");
  assertEquals([parameters, security], [[], []]);
  assert(["200", "400", "401"].every((status) => status in responses));
});

Deno.test("generateOpenAPI() writes what sign-ins and /auth/refresh answer, and no more", async () => {
  const app = createTokenApp({ jwt: { ...JWT, scope: ["notes:read"] } });
  const document = generateOpenAPI(INFO, app.router);
  await app.signedIn();
  const login = await (await app.browser().login(ADA)).json();
  const next = await (await refresh(app, login.refreshToken)).json();
  for (const [path, answer] of [["/auth/login", login], ["/auth/refresh", next]] as const) {
    const { properties, required } = schemaOf(operation(document, path), "200");
    const members = Object.keys(answer).sort();
    assertEquals(Object.keys(properties).sort(), members, path);
    assertEquals([...required, "scope"].sort(), members, path);
  }
});

Deno.test("generateOpenAPI() writes bearer tokens among the ways in", () => {
  const { components, paths } = generateOpenAPI(INFO, createTokenApp().router);
  assertEquals(components?.securitySchemes?.["bearer"], {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
  });
  const { get } = paths["/me"] as { readonly get?: OperationObject };
  assertEquals(get?.security, [{ bearer: [] }, { session: [] }]);
});
