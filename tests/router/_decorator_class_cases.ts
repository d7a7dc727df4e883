/**
 * Cases of classes: `this`, inheritance and overrides.
 *
 * @module
 */

import { Controller, Endpoint, Get, json, pass, type RouteRequest } from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { answer, assertRefused, integration, quiet } from "./_decorator_helpers.ts";

const ADA: RequestInit = { headers: [["X-User", "ada"]] };

/** Cases of classes. */
export const classCases: readonly RuntimeCase[] = [
  {
    name: "Controller() binds this, private members included",
    async run() {
      @Controller("/counter")
      class Counter {
        #count = 0;
        #next() {
          return ++this.#count;
        }
        @Get()
        count() {
          return json(this.#next());
        }
      }
      const router = quiet().controllers(Counter).build();
      assertSame(await answer(router, "/counter"), [200, 1]);
      assertSame(await answer(router, "/counter"), [200, 2]);
    },
  },
  {
    name: "Controller() runs no accessor, neither when it is applied nor in build()",
    async run() {
      @Controller("/accessor")
      class Accessors {
        get boom(): never {
          throw new Error("boom");
        }
        static get boom(): never {
          throw new Error("boom");
        }
        @Get()
        answer() {
          return json(1);
        }
      }
      assertSame(await answer(quiet().controllers(Accessors).build(), "/accessor"), [200, 1]);
    },
  },
  {
    name: "Get() takes methods with the names of Object, Promise and prototype members",
    async run() {
      @Controller("/names")
      class Names {
        @Get("/string")
        toString(): never {
          return json("string") as never;
        }
        @Get("/then")
        then() {
          return json("then");
        }
        @Get("/proto")
        "__proto__"() {
          return json("proto");
        }
        @Get("/get")
        get() {
          return json("get");
        }
      }
      const router = quiet().controllers(Names).build();
      for (const name of ["string", "then", "proto", "get"]) {
        assertSame(await answer(router, `/names/${name}`), [200, name]);
      }
    },
  },
  {
    name:
      "Get() in a base class makes a route in each controller that extends it, with its own state",
    async run() {
      abstract class Listing {
        abstract readonly items: string[];
        @Get("/list")
        list(req: RouteRequest) {
          if (typeof req.query.add === "string") this.items.push(req.query.add);
          return json(this.items);
        }
      }
      @Controller("/dogs")
      class Dogs extends Listing {
        readonly items = ["Laika"];
      }
      abstract class Quiet extends Listing {}
      @Controller("/cats")
      class Cats extends Quiet {
        readonly items = ["Félicette"];
      }
      const router = quiet().controllers(Dogs, Cats).build();
      assertSame(await answer(router, "/dogs/list?add=Belka"), [200, ["Laika", "Belka"]]);
      assertSame(await answer(router, "/cats/list"), [200, ["Félicette"]]);
    },
  },
  {
    name: "Get() in a class that a function returns is a route of each returned class",
    async run() {
      function listing(path: string, items: readonly string[]) {
        class Listing {
          @Get(path)
          list() {
            return json(items);
          }
        }
        return Listing;
      }
      @Controller("/made")
      class Dogs extends listing("/dogs", ["Laika"]) {}
      @Controller("/made")
      class Cats extends listing("/cats", ["Félicette"]) {}
      const router = quiet().controllers(Dogs, Cats).build();
      assertSame(await answer(router, "/made/dogs"), [200, ["Laika"]]);
      assertSame(await answer(router, "/made/cats"), [200, ["Félicette"]]);
    },
  },
  {
    name: "Controller() on a class and on its subclass makes two controllers",
    async run() {
      @Controller("/upper")
      class Upper {
        readonly name: string = "upper";
        @Get("/name")
        which() {
          return json(this.name);
        }
      }
      @Controller("/lower")
      class Lower extends Upper {
        override readonly name = "lower";
        @Get("/own")
        own() {
          return json("own");
        }
      }
      const router = quiet().controllers(Upper, Lower).build();
      assertSame(await answer(router, "/upper/name"), [200, "upper"]);
      assertSame(await answer(router, "/lower/name"), [200, "lower"]);
      assertSame((await answer(router, "/upper/own"))[0], 404);
    },
  },
  {
    name: "Controller() puts a class's own routes before inherited ones",
    async run() {
      abstract class Catching {
        @Get("/:any")
        any() {
          return json("any");
        }
      }
      abstract class Middle extends Catching {
        @Get("/:middle")
        middle(req: RouteRequest) {
          return req.path.endsWith("/x") ? pass() : json("middle");
        }
      }
      @Controller("/own")
      class Own extends Middle {
        @Get("/me")
        me() {
          return json("me");
        }
      }
      const router = quiet().controllers(Own).build();
      assertSame(router.routes.map(({ pattern }) => pattern), [
        "/own/me",
        "/own/:middle",
        "/own/:any",
      ]);
      assertSame(await answer(router, "/own/me"), [200, "me"]);
      assertSame(await answer(router, "/own/y"), [200, "middle"]);
      assertSame(await answer(router, "/own/x"), [200, "any"]);
    },
  },
  {
    name:
      "An override without a decorator keeps route, guard and metadata of the overridden method",
    async run() {
      abstract class Base {
        @Get("/open", { auth: false })
        open() {
          return json("base");
        }
        @Get("/secret", { authorization: { metadata: "admin" }, summary: "Secret" })
        secret() {
          return json("base");
        }
      }
      abstract class Middle extends Base {
        override secret() {
          return json("middle");
        }
      }
      @Controller("/override")
      class Overriding extends Middle {
        override open() {
          return json("override");
        }
        override secret() {
          return json("override");
        }
      }
      const router = quiet().withAuth(integration).controllers(Overriding).build();
      assertSame(await answer(router, "/override/open"), [200, "override"]);
      assertSame(await answer(router, "/override/secret"), [401, "unauthenticated"]);
      assertSame(await answer(router, "/override/secret", ADA), [200, "override"]);
      const secret = router.routes.find(({ pattern }) => pattern.endsWith("/secret"));
      assertSame([secret?.options, secret?.origin], [
        { authorization: { metadata: "admin" }, openapi: { summary: "Secret" } },
        { controller: "Overriding", method: "secret" },
      ]);
    },
  },
  {
    name:
      "An override with a decorator replaces route, guard and metadata of the overridden method",
    async run() {
      abstract class Base {
        @Get("/old", { auth: false, summary: "Old" })
        @Endpoint({ description: "Old" })
        find() {
          return json("base");
        }
      }
      abstract class Middle extends Base {
        @Get("/middle", { auth: false })
        override find() {
          return json("middle");
        }
      }
      @Controller("/replace")
      class Replacing extends Middle {
        @Get("/new")
        override find() {
          return json("new");
        }
      }
      const router = quiet().withAuth(integration).controllers(Replacing).build();
      assertSame(router.routes.map(({ pattern, options }) => [pattern, options]), [
        ["/replace/new", { openapi: {} }],
      ]);
      assertSame(await answer(router, "/replace/new"), [401, "unauthenticated"]);
      assertSame(await answer(router, "/replace/new", ADA), [200, "new"]);
      assertSame((await answer(router, "/replace/old", ADA))[0], 404);
    },
  },
  {
    name: "An override with a decorator does not change what its siblings inherit",
    async run() {
      abstract class Base {
        @Get("/find")
        find() {
          return json("base");
        }
      }
      @Controller("/changed")
      class Changed extends Base {
        @Get("/found")
        override find() {
          return json("changed");
        }
      }
      @Controller("/sibling")
      class Sibling extends Base {}
      const { routes } = quiet().controllers(Changed, Sibling).build();
      assertSame(routes.map(({ pattern }) => pattern), ["/changed/found", "/sibling/find"]);
      const router = quiet().controllers(Sibling).build();
      assertSame(await answer(router, "/sibling/find"), [200, "base"]);
    },
  },
  {
    name: "An override may call the overridden method",
    async run() {
      abstract class Base {
        readonly #name = "base";
        @Get("/name")
        async which() {
          return json(await Promise.resolve(this.#name));
        }
      }
      @Controller("/super")
      class Calling extends Base {
        override async which() {
          const response = await super.which();
          response.headers.set("X-Super", "1");
          return response;
        }
      }
      const response = await quiet().controllers(Calling).build().request("/super/name");
      assertSame([response.headers.get("x-super"), await response.json()], ["1", "base"]);
    },
  },
  {
    name: "Endpoint() on an override without a route decorator is rejected",
    run() {
      // It could mean either: the inherited route, described again; or a route that was forgotten.
      assertRefused(
        () => {
          @Controller("/base")
          class Base {
            @Get()
            find() {
              return json(1);
            }
          }
          @Controller("/described")
          class Described extends Base {
            @Endpoint({ summary: "Finds" })
            override find() {
              return json(2);
            }
          }
          return Described;
        },
        "Cannot use @Endpoint on Described.find: it has no route",
      );
    },
  },
];
