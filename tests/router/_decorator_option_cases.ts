/**
 * Cases of the arguments of method decorators: options of the route, and its metadata in the document.
 *
 * @module
 */

import {
  Controller,
  Endpoint,
  type EndpointDecorator,
  type EndpointMetadata,
  Get,
  json,
  type Multipart,
  type PathParams,
  Post,
  type RequestSpec,
  type RouteRequest,
  type StandardSchemaV1,
  type TypedRequest,
} from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import {
  answer,
  assertRefused,
  integration,
  jsonInit,
  type Principal,
  quiet,
} from "./_decorator_helpers.ts";

/** A schema without a library: the output of a function, or a failure if it returns nothing. */
function schemaOf<T>(parse: (value: unknown) => T | undefined): StandardSchemaV1<unknown, T> {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate(value) {
        const output = parse(value);
        return output === undefined ? { issues: [{ message: "No" }] } : { value: output };
      },
    },
  };
}

/** Cases of the options of method decorators. */
export const optionCases: readonly RuntimeCase[] = [
  {
    name: "Post() takes the options of a route",
    async run() {
      @Controller("/options")
      class Taken {
        @Post("/use", { use: [() => json("middleware", { status: 202 })] })
        use() {
          return json("method");
        }
        @Post("/schema", { schema: { body: schemaOf((body) => (body as { n?: number }).n) } })
        schema(req: RouteRequest<number>) {
          return json(req.content + 1);
        }
        @Post("/limit", { maxBodyBytes: 4 })
        limit(req: TypedRequest) {
          return json(req.content);
        }
        @Post("/form", { multipart: true })
        form(req: TypedRequest<RequestSpec<Multipart<{ a: string }>>>) {
          return json(req.content.get("a"));
        }
        @Post("/raw", { raw: true })
        async raw(req: RouteRequest<undefined>) {
          return json(await req.text());
        }
        @Get("/:id", {
          schema: { params: schemaOf((params) => ({ id: Number((params as { id: string }).id) })) },
        })
        params(req: TypedRequest<RequestSpec<PathParams<{ id: number }>>>) {
          return json(req.params.id + 1);
        }
      }
      const router = quiet().controllers(Taken).build();
      const form = new FormData();
      form.set("a", "1");
      assertSame(await answer(router, "/options/use", jsonInit({})), [202, "middleware"]);
      assertSame(await answer(router, "/options/schema", jsonInit({ n: 1 })), [200, 2]);
      assertSame((await answer(router, "/options/schema", jsonInit({})))[0], 422);
      assertSame(await answer(router, "/options/limit", jsonInit([1])), [200, [1]]);
      assertSame((await answer(router, "/options/limit", jsonInit([12345])))[0], 413);
      assertSame(await answer(router, "/options/form", { method: "POST", body: form }), [200, "1"]);
      assertSame(await answer(router, "/options/raw", { method: "POST", body: "text" }), [
        200,
        "text",
      ]);
      assertSame(await answer(router, "/options/7"), [200, 8]);
    },
  },
  {
    name: "Get() takes the option auth",
    async run() {
      @Controller("/auth")
      class Guarded {
        @Get("/required", { auth: true })
        required(req: TypedRequest<RequestSpec, Principal>) {
          return json(req.principal.sub);
        }
        @Get("/guarded")
        guarded() {
          return json("guarded");
        }
        @Get("/optional", { auth: { mode: "optional" } })
        optional(req: TypedRequest<RequestSpec, Principal | undefined>) {
          return json(req.principal?.sub ?? null);
        }
        @Get("/open", { auth: false })
        open() {
          return json("open");
        }
        @Get("/role", { auth: true, authorization: { metadata: { role: "admin" } } })
        role() {
          return json("role");
        }
      }
      const router = quiet().withAuth(integration).controllers(Guarded).build();
      const headers: [string, string][] = [["X-User", "ada"]];
      assertSame(await answer(router, "/auth/required"), [401, "unauthenticated"]);
      assertSame(await answer(router, "/auth/required", { headers }), [200, "ada"]);
      assertSame(await answer(router, "/auth/guarded"), [401, "unauthenticated"]); // the default too
      assertSame(await answer(router, "/auth/optional"), [200, null]);
      assertSame(await answer(router, "/auth/optional", { headers }), [200, "ada"]);
      assertSame(await answer(router, "/auth/open"), [200, "open"]);
      assertSame(await answer(router, "/auth/role"), [401, "unauthenticated"]);
      assertSame(router.routes.map(({ guard }) => guard?.access ?? null), [
        { mode: "required" },
        { mode: "required" },
        { mode: "optional" },
        null,
        { mode: "required", authorization: { metadata: { role: "admin" } } },
      ]);
    },
  },
  {
    name: "Get() that requires a guard is rejected by a router without one",
    run() {
      for (const auth of [true, { mode: "optional" }] as const) {
        @Controller("/unguarded")
        class Unguarded {
          @Get("/", { auth })
          answer() {
            return json(1);
          }
        }
        assertRefused(
          () => quiet().controllers(Unguarded).build(),
          "it needs a guard, and the router has none",
        );
      }
    },
  },
  {
    name: "Get() reads its options when the class is defined",
    async run() {
      const options = { auth: false, summary: "Before" };
      @Controller("/read")
      class Read {
        @Get("/", options)
        answer() {
          return json(1);
        }
      }
      Object.assign(options, { auth: true, summary: "After" });
      const router = quiet().withAuth(integration).controllers(Read).build();
      assertSame(await answer(router, "/read"), [200, 1]);
      assertSame(router.routes[0]?.options.openapi, { summary: "Before" });
    },
  },
  {
    name: "Post() separates the options of a route from its metadata in the document",
    run() {
      @Controller("/told")
      class Told {
        @Post("/both", {
          auth: false,
          maxBodyBytes: 9,
          multipart: false,
          raw: true,
          use: [],
          schema: {},
          openapi: { summary: "Loses", description: "Stays", "x-b": 1 },
          summary: "Wins",
          tags: ["a"],
          "x-a": 1,
        })
        both() {
          return json(1);
        }
        @Post("/left-out", { openapi: false, summary: "Unused" })
        leftOut() {
          return json(1);
        }
        @Post()
        nothing() {
          return json(1);
        }
      }
      const [both, leftOut, nothing] = quiet().controllers(Told).build().routes;
      const { openapi, ...options } = both?.options ?? {};
      assertSame(Object.keys(options).sort(), [
        "auth",
        "maxBodyBytes",
        "multipart",
        "raw",
        "schema",
        "use",
      ]);
      assertSame(openapi, {
        summary: "Wins",
        description: "Stays",
        "x-b": 1,
        tags: ["a"],
        "x-a": 1,
      });
      assertSame(leftOut?.options, { openapi: false });
      assertSame(nothing?.options, { openapi: {} });
    },
  },
  {
    name: "Get() and Post() reject names that neither an option nor metadata has",
    run() {
      const misspelt = { authorisation: { metadata: 1 } } as { readonly auth?: true };
      for (const options of [misspelt, { ...misspelt, auth: true } as const]) {
        assertRefused(() => Get("/", options), "Cannot use @Get: unknown option authorisation");
        assertRefused(() => Post("/", options), "Cannot use @Post: unknown option authorisation");
      }
    },
  },
  {
    name: "Endpoint() and the option openapi reject the options of a route",
    run() {
      const untyped = Endpoint as (metadata: object) => EndpointDecorator;
      assertRefused(() => untyped({ auth: false }), "Cannot use @Endpoint: unknown option auth");
      @Controller("/smuggled")
      class Smuggled {
        @Get("/b", { openapi: { auth: false } as EndpointMetadata })
        b() {
          return json(1);
        }
      }
      assertRefused(
        () => quiet().withAuth(integration).controllers(Smuggled).build(),
        "Cannot add route GET /smuggled/b: openapi: unknown option auth",
      );
    },
  },
  {
    name: "Endpoint() adds metadata above and below the route decorator, whose own metadata wins",
    run() {
      @Controller("/endpoint")
      class Described {
        @Endpoint({ summary: "Loses", description: "Above" })
        @Get("/above", { summary: "Own" })
        above() {
          return json(1);
        }
        @Get("/below", { summary: "Own" })
        @Endpoint({ summary: "Loses", description: "Below" })
        below() {
          return json(1);
        }
        @Endpoint({ summary: "Far", deprecated: true })
        @Get("/two")
        @Endpoint({ summary: "Near" })
        @Post("/three", { summary: "Own" })
        each() {
          return json(1);
        }
        @Endpoint({ summary: "Unused" })
        @Get("/left-out", { openapi: false })
        leftOut() {
          return json(1);
        }
      }
      const { routes } = quiet().controllers(Described).build();
      assertSame(routes.map(({ options }) => options.openapi), [
        { summary: "Own", description: "Above" },
        { summary: "Own", description: "Below" },
        { summary: "Near", deprecated: true },
        { summary: "Own", deprecated: true },
        false,
      ]);
    },
  },
];
