/**
 * Cases of the method decorators: the arguments of a method, and the order of routes.
 *
 * @module
 */

import {
  All,
  Controller,
  Delete,
  type EndpointDecorator,
  Get,
  Head,
  HttpError,
  json,
  Options,
  pass,
  Patch,
  Post,
  Put,
  type RouteInfo,
  type RouteRequest,
} from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { answer, assertRefused, counted, jsonInit, quiet } from "./_decorator_helpers.ts";

interface Env {
  readonly name: string;
}

/** A decorator in a table, without its types: `decorators_check.ts` checks those. */
type InTable = (path: string) => EndpointDecorator;

const DECORATORS: readonly (readonly [name: string, decorator: unknown, methods: string[]])[] = [
  ["Get", Get, ["GET", "HEAD"]],
  ["Head", Head, ["HEAD"]],
  ["Options", Options, ["OPTIONS"]],
  ["Delete", Delete, ["DELETE"]],
  ["Post", Post, ["POST"]],
  ["Put", Put, ["PUT"]],
  ["Patch", Patch, ["PATCH"]],
  ["All", All, ["GET", "HEAD", "OPTIONS", "DELETE", "POST", "PUT", "PATCH", "PROPFIND"]],
];

const reached: readonly RuntimeCase[] = DECORATORS.map(([name, decorator, methods]) => ({
  name: `${name}() passes its method the parameters, query, content and extra arguments`,
  async run() {
    const decorate = decorator as InTable;
    @Controller("/:org/users")
    class Users {
      @decorate("/:id")
      answer(req: RouteRequest, env: Env, more: number) {
        const seen = [req.params, req.query.q, req.content ?? null, env.name, more];
        // In a header field, since some of these responses have no body.
        return json(seen, { headers: [["X-Seen", JSON.stringify(seen)]] });
      }
    }
    const router = quiet<[Env, number]>().prefix("/api").controllers(Users).build();
    for (const method of methods) {
      const content = ["Post", "Put", "Patch"].includes(name) ? { a: 1 } : null;
      const response = await router.request(
        "/api/acme/users/7?q=1",
        content === null ? { method } : jsonInit(content, method),
        { name: "env" },
        5,
      );
      assertSame([method, response.status, JSON.parse(response.headers.get("x-seen") ?? "0")], [
        method,
        200,
        [{ org: "acme", id: "7" }, "1", content, "env", 5],
      ]);
    }
    const other = await router.request("/api/acme/users", {}, { name: "env" }, 5);
    assertSame(other.status, 404);
  },
}));

function patterns(routes: readonly RouteInfo[]): readonly string[] {
  return routes.map(({ method, pattern }) => `${method} ${pattern}`);
}

/** Cases of the method decorators. */
export const routeCases: readonly RuntimeCase[] = [
  ...reached,
  {
    name: "Get() and Controller() have the path / by default",
    async run() {
      @Controller()
      class Home {
        @Get()
        home() {
          return json("home");
        }
      }
      const router = quiet().controllers(Home).build();
      assertSame(await answer(router, "/"), [200, "home"]);
      assertSame(patterns(quiet().prefix("/api").controllers(Home).build().routes), ["GET /api"]);
    },
  },
  {
    name: "Controller() puts its path between the prefix and that of the method",
    run() {
      const rows: readonly (readonly [string, string, string])[] = [
        ["/a", "/b", "/api/a/b"],
        ["/a/", "/b", "/api/a/b"],
        ["/", "/b", "/api/b"],
        ["", "/b", "/api/b"],
        ["/a", "/", "/api/a"],
        ["/a/", "/", "/api/a"],
        ["/:x", "/:y?", "/api/:x/:y?"],
        ["/a", "/*", "/api/a/*"],
      ];
      for (const [above, below, pattern] of rows) {
        @Controller(above)
        class One {
          @Get(below)
          one() {
            return json(1);
          }
        }
        const { routes } = quiet().prefix("/api").controllers(One).build();
        assertSame([above, below, ...patterns(routes)], [above, below, `GET ${pattern}`]);
      }
    },
  },
  {
    name: "Controller() and Get() reject an invalid path, and build() an invalid combination",
    run() {
      assertRefused(() => Controller("a"), 'Cannot use @Controller: Cannot use path "a"');
      assertRefused(() => Controller("/:a?"), 'Cannot use @Controller: Cannot use path "/:a?"');
      assertRefused(() => Get("b"), 'Cannot use @Get: Cannot use path "b"');
      assertRefused(() => Post("/:a?/b"), 'Cannot use @Post: Cannot use path "/:a?/b"');
      @Controller("/:x")
      class Twice {
        @Get("/:x")
        find() {
          return json(1);
        }
      }
      assertRefused(() => quiet().controllers(Twice).build(), 'Cannot use path "/:x/:x"');
    },
  },
  {
    name:
      "Get() combines with other decorators on one method, and each makes a route, in source order",
    async run() {
      @Controller("/many")
      class Many {
        @Get("/c")
        @Get("/a")
        @Post("/b")
        answer(req: RouteRequest) {
          return json(`${req.method} ${req.route}`);
        }
      }
      const router = quiet().controllers(Many).build();
      assertSame(patterns(router.routes), ["GET /many/c", "GET /many/a", "POST /many/b"]);
      assertSame(await answer(router, "/many/a"), [200, "GET /many/a"]);
      assertSame(await answer(router, "/many/c"), [200, "GET /many/c"]);
      assertSame(await answer(router, "/many/b", jsonInit({})), [200, "POST /many/b"]);
    },
  },
  {
    name: "Get() keeps the order of methods, and of controllers",
    async run() {
      @Controller("/order")
      class First {
        @Get("/:x")
        any() {
          return json("any");
        }
        @Get("/me")
        me() {
          return json("me");
        }
      }
      @Controller("/order")
      class Second {
        @Get("/you")
        you() {
          return json("you");
        }
      }
      const router = quiet().controllers(First, Second).build();
      assertSame(await answer(router, "/order/me"), [200, "any"]);
      const reverse = quiet().controllers(Second).controllers(First).build();
      assertSame(await answer(reverse, "/order/you"), [200, "you"]);
    },
  },
  {
    name: "Get() takes methods that are asynchronous, throw or pass",
    async run() {
      @Controller("/ends")
      class Ends {
        @Get("/late")
        async late() {
          return json(await Promise.resolve("late"));
        }
        @Get("/refuses")
        refuses(): never {
          throw new HttpError(418, "teapot");
        }
        @Get("/fails")
        async fails(): Promise<never> {
          throw await Promise.resolve(new Error("secret"));
        }
        @Get("/:which")
        passes() {
          return pass();
        }
        @Get("/passed")
        passed() {
          return json("passed");
        }
      }
      const { builder, errors } = counted();
      const router = builder.controllers(Ends).build();
      assertSame(await answer(router, "/ends/late"), [200, "late"]);
      assertSame(await answer(router, "/ends/refuses"), [418, "teapot"]);
      assertSame(await answer(router, "/ends/passed"), [200, "passed"]);
      assertSame(errors.length, 0);
      const response = await router.request("/ends/fails");
      assertSame([response.status, (await response.text()).includes("secret")], [500, false]);
      assertSame(errors.map(String), ["Error: secret"]);
    },
  },
  {
    name: "Get() names its method in router.routes",
    run() {
      @Controller("/origin")
      class Origin {
        @Get()
        @Post()
        answer() {
          return json(1);
        }
      }
      const router = quiet().controllers(Origin).build().get("/own", () => json(1));
      assertSame(router.routes.map(({ origin }) => origin ?? null), [
        { controller: "Origin", method: "answer" },
        { controller: "Origin", method: "answer" },
        null,
      ]);
    },
  },
];
