/**
 * Cases of the class decorator that describes a router.
 *
 * @module
 */

import {
  Controller,
  createContainer,
  defaultContainer,
  editHeaders,
  Get,
  HTTP_ROUTER,
  HttpRouter,
  type HttpRouterOptions,
  inject,
  json,
  type TypedRequest,
  type TypedRouter,
} from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import type { AnyDecorator } from "./_decorator_foreign.ts";
import { answer, assertRefused, integration, jsonInit } from "./_decorator_helpers.ts";

/** Describes a router on a class, in a separate container, and resolves it. */
function routerOf(options: HttpRouterOptions): TypedRouter {
  const container = createContainer();
  @HttpRouter({ onError: () => {}, container, ...options })
  class Api {}
  assertSame(container.has(Api), false);
  return container.resolve<TypedRouter>(HTTP_ROUTER);
}

/** Cases of HttpRouter(). */
export const httpRouterCases: readonly RuntimeCase[] = [
  {
    name: "HttpRouter() takes prefix, use, catch, finally, withAuth and controllers",
    async run() {
      const log: string[] = [];
      @Controller("/all")
      class AllOptions {
        @Get("/fails")
        fails(): never {
          throw new Error("secret");
        }
        @Get("/open", { auth: false })
        open() {
          return json("open");
        }
      }
      const router = routerOf({
        prefix: "/api",
        use: [() => void log.push("one"), () => void log.push("two")],
        catch: (error) => json(String(error), { status: 203 }),
        finally: [
          (response) => editHeaders(response, (headers) => headers.append("X-Last", "1")),
          (response) => editHeaders(response, (headers) => headers.append("X-Last", "2")),
        ],
        withAuth: integration,
        controllers: [AllOptions],
      });
      const init: RequestInit = { headers: [["X-User", "ada"]] };
      assertSame(await answer(router, "/api/all/open"), [200, "open"]);
      assertSame(log, ["one", "two"]);
      assertSame(await answer(router, "/api/all/fails", init), [203, "Error: secret"]);
      const anonymous = await router.request("/api/all/fails");
      assertSame([anonymous.status, anonymous.headers.get("x-last")], [203, "1, 2"]);
      assertSame((await anonymous.text()).includes("secret"), false);
      assertSame(await answer(router, "/all/open"), [404, "not_found"]);
    },
  },
  {
    name: "HttpRouter() takes the options of the builder",
    async run() {
      const errors: unknown[] = [];
      const info = { title: "API", version: "1" };
      const router = routerOf({
        maxBodyBytes: 4,
        onError: (error) => void errors.push(error),
        info,
      });
      router.post("/", (req) => json(req.content)).get("/", () => {
        throw new Error("boom");
      });
      assertSame(router.info, info);
      assertSame(await answer(router, "/", jsonInit([1])), [200, [1]]);
      assertSame((await answer(router, "/", jsonInit([12345])))[0], 413);
      assertSame(await answer(router, "/"), [500, "internal_error"]);
      assertSame(errors.map(String), ["Error: boom"]);
    },
  },
  {
    name: "HttpRouter() builds nothing until the router is resolved, and then once",
    async run() {
      const container = createContainer();
      const log: string[] = [];
      @Controller("/lazy", { container })
      class Lazy {
        constructor() {
          log.push("controller");
        }
        @Get()
        answer() {
          return json("lazy");
        }
      }
      const withAuth = { ...integration, routes: () => void log.push("routes") };
      @HttpRouter({ controllers: [Lazy], withAuth, container })
      class Api {
        constructor() {
          log.push("class");
        }
      }
      assertSame([typeof Api, container.has(HTTP_ROUTER), log], ["function", true, []]);
      const router = container.resolve<TypedRouter>(HTTP_ROUTER);
      assertSame(log, ["routes"]);
      assert(container.resolve(HTTP_ROUTER) === router, "two routers were built");
      const init: RequestInit = { headers: [["X-User", "ada"]] };
      assertSame(await answer(router, "/lazy", init), [200, "lazy"]);
      assertSame(log, ["routes", "controller"]);
    },
  },
  {
    name: "HttpRouter() registers the router in the default container unless it is given one",
    async run() {
      @Controller("/default")
      class Default {
        @Get()
        answer() {
          return json("default");
        }
      }
      assertSame([HTTP_ROUTER, defaultContainer.has(HTTP_ROUTER)], ["HTTP_ROUTER", false]);
      @HttpRouter({ controllers: [Default] })
      class Api {}
      assertSame([Api.name, defaultContainer.has("HTTP_ROUTER")], ["Api", true]);
      const router = defaultContainer.resolve<TypedRouter>(HTTP_ROUTER);
      assertSame(await answer(router, "/default"), [200, "default"]);
    },
  },
  {
    name: "HttpRouter() resolves controllers from its container, and they may inject the router",
    async run() {
      const [container, theirs] = [createContainer(), createContainer()];
      @Controller("/routes", { container: theirs })
      class Routes {
        readonly #router = inject<TypedRouter>(HTTP_ROUTER);
        @Get()
        list(_req: TypedRequest) {
          return json(this.#router.routes.map(({ pattern }) => pattern));
        }
      }
      @HttpRouter({ controllers: [Routes], container })
      class Api {}
      const router = container.resolve<TypedRouter>(HTTP_ROUTER);
      assertSame([Api.name, container.has(Routes)], ["Api", true]);
      assertSame(await answer(router, "/routes"), [200, ["/routes"]]);
    },
  },
  {
    name: "HttpRouter() is rejected if the container already has a router",
    run() {
      const container = createContainer();
      @HttpRouter({ prefix: "/first", container })
      class First {}
      assertRefused(
        () => {
          @HttpRouter({ prefix: "/second", container })
          class Second {}
          return Second;
        },
        "Cannot use @HttpRouter on Second: the container has a router",
      );
      const { routes } = container.resolve<TypedRouter>(HTTP_ROUTER).get("/", () => json(1));
      assertSame([First.name, routes[0]?.pattern], ["First", "/first"]);
    },
  },
  {
    name: "HttpRouter() keeps nothing of a build that failed",
    async run() {
      const container = createContainer();
      class Late {
        answer() {
          return json("late");
        }
      }
      @Controller("/early", { container })
      class Early {
        @Get()
        answer() {
          return json("early");
        }
      }
      @HttpRouter({ controllers: [Early, Late], container })
      class Api {}
      const build = () => container.resolve<TypedRouter>(HTTP_ROUTER);
      assertRefused(build, "Cannot use Late as a controller");
      assertRefused(build, "Cannot use Late as a controller");
      (Controller("/late", { container }) as AnyDecorator)(Late);
      const router = build();
      assertSame([Api.name, router.routes.length], ["Api", 1]);
      assertSame(await answer(router, "/early"), [200, "early"]);
    },
  },
  {
    name: "HttpRouter() rejects use without parentheses and a target that is not a class",
    run() {
      const bare = HttpRouter as unknown as AnyDecorator;
      assertRefused(
        () => {
          @bare
          class Api {}
          return Api;
        },
        "Cannot use @HttpRouter: call it with options, as in @HttpRouter({",
      );
      const container = createContainer();
      const made = HttpRouter({ container }) as AnyDecorator;
      assertRefused(() => {
        class Wrong {
          @made
          wrong() {}
        }
        return Wrong;
      }, "Cannot use @HttpRouter: it must decorate a class");
      assertSame(container.has(HTTP_ROUTER), false);
    },
  },
];
