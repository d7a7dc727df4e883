/** Routers of `@gatehouse/http` write their own documents; those of `/router` say how to get one. */

import {
  Controller,
  createContainer,
  createRouter,
  generateOpenAPI,
  Get,
  HTTP_ROUTER,
  HttpRouter,
  type OpenApiInfo,
  routerBuilder,
  type TypedRouter,
} from "@gatehouse/http";
import * as plain from "@gatehouse/http/router";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { answer, INFO, integrationOf, operation, routesOf, STRATEGIES } from "./_helpers.ts";

const OTHER: OpenApiInfo = { title: "Other", version: "2.0.0" };

@Controller("/a", { container: createContainer() })
class Letters {
  @Get("/:b")
  find() {
    return answer();
  }
}

/** A router with the route `GET /a/:b`, by every way to make one. */
const WAYS: readonly (readonly [way: string, make: (info?: OpenApiInfo) => TypedRouter])[] = [
  ["createRouter()", (info) => createRouter(withInfo(info)).get("/a/:b", answer)],
  [
    "routerBuilder()",
    (info) => routerBuilder(withInfo(info)).extend((router) => router.get("/a/:b", answer)).build(),
  ],
  [
    "routerBuilder() with controllers",
    (info) =>
      routerBuilder({ ...withInfo(info), container: createContainer() }).controllers(Letters)
        .build(),
  ],
  ["@HttpRouter()", (info) => {
    const container = createContainer();
    @HttpRouter({ ...withInfo(info), controllers: [Letters], container })
    class _Api {}
    return container.resolve<TypedRouter>(HTTP_ROUTER);
  }],
];

function withInfo(info: OpenApiInfo | undefined): { readonly info?: OpenApiInfo } {
  return info === undefined ? {} : { info };
}

for (const [way, make] of WAYS) {
  Deno.test(`${way} makes a router that writes its document`, () => {
    const router = make(INFO);
    const document = router.openapi();
    assertEquals(routesOf(document), ["GET /a/{b}"]);
    assertEquals(document.info, INFO as unknown);
    assertEquals(document, generateOpenAPI(INFO, router));
    assertStrictEquals(router.info, INFO);
  });

  Deno.test(`${way} makes a router whose document another info may introduce`, () => {
    assertEquals(make(INFO).openapi(OTHER).info.title, "Other");
    assertEquals(make().openapi(OTHER).info.title, "Other");
  });

  Deno.test(`${way} makes a router that refuses to write a document without title and version`, () => {
    const router = make();
    assertEquals(router.info, undefined);
    assertThrows(
      () => router.openapi(),
      TypeError,
      "Cannot write the document: title and version are missing",
    );
  });
}

Deno.test("openapi() documents what is there when it is called", () => {
  const router = createRouter({ info: INFO, prefix: "/v1" });
  assertEquals(routesOf(router.openapi()), []);
  router.get("/a", answer).withAuth(integrationOf(STRATEGIES.bearer)).get("/b", answer);
  const document = router.openapi();
  assertEquals(routesOf(document), ["GET /v1/a", "GET /v1/b"]);
  assertEquals(operation(document, "GET /v1/b").security, [{ bearer: [] }]);
});

Deno.test("openapi() can be called while the router answers", async () => {
  const router = createRouter({ info: INFO });
  router.get("/openapi.json", () => Response.json(router.openapi()));
  const document = await (await router.request("/openapi.json")).json();
  assertEquals(Object.keys(document.paths), ["/openapi.json"]);
});

Deno.test("openapi() throws for what cannot be documented, and the router goes on", async () => {
  const router = createRouter({ info: INFO }).get("/a", () => new Response("a"), {
    openapi: { operationId: "a b" },
  });
  assertThrows(() => router.openapi(), TypeError, "Cannot write the document:\n  GET /a: ");
  assertEquals(await (await router.request("/a")).text(), "a");
});

const PLAIN: readonly (readonly [way: string, router: TypedRouter])[] = [
  ["createRouter()", plain.createRouter({ info: INFO })],
  ["routerBuilder()", plain.routerBuilder({ info: INFO }).build()],
];

for (const [way, router] of PLAIN) {
  Deno.test(`${way} of /router makes a router without a generator, which says what to call`, () => {
    router.get("/a", answer);
    assertThrows(() => router.openapi(), TypeError, "generateOpenAPI(info, router)");
    assertThrows(() => router.openapi(INFO), TypeError, '"@gatehouse/http"');
    assertEquals(routesOf(generateOpenAPI(INFO, router)), ["GET /a"]);
  });
}
