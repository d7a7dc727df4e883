/**
 * Cases in which a decorator above ours replaces the method: ours saw a function that the class no longer has.
 *
 * @module
 */

import { Controller, Endpoint, Get, json, Post, type RouteRequest } from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import {
  applyUnshared,
  looking,
  noting,
  observeMode,
  replaceClass,
  stubbed,
} from "./_decorator_foreign.ts";
import { answer, assertRefused, integration, jsonInit, quiet } from "./_decorator_helpers.ts";

/** Cases of legacy decorators, and of standard ones that share metadata, which identifies the method. */
const sharedCases: readonly RuntimeCase[] = [
  {
    name: "Get() below a decorator that wraps the method makes a route of the wrapped method",
    async run() {
      const log: string[] = [];
      @Controller("/below")
      class Below {
        readonly #name = "below";
        @noting(log, "outer")
        @Get("/", { authorization: { metadata: "admin" } })
        @noting(log, "inner")
        answer(req: RouteRequest) {
          return json([this.#name, req.path]);
        }
      }
      const router = quiet().withAuth(integration).controllers(Below).build();
      assertSame(await answer(router, "/below"), [401, "unauthenticated"]);
      const init: RequestInit = { headers: [["X-User", "ada"]] };
      assertSame(await answer(router, "/below", init), [200, ["below", "/below"]]);
      assertSame(log, ["outer", "inner"]);
    },
  },
  {
    name: "Get() works on both sides of a decorator that wraps the method",
    async run() {
      const log: string[] = [];
      @Controller("/between")
      class Between {
        @Endpoint({ summary: "Both" })
        @Post("/post")
        @noting(log, "wrapped")
        @Get("/get")
        answer() {
          return json("between");
        }
      }
      const router = quiet().controllers(Between).build();
      assertSame(router.routes.map(({ method, pattern, options }) => [method, pattern, options]), [
        ["POST", "/between/post", { openapi: { summary: "Both" } }],
        ["GET", "/between/get", { openapi: { summary: "Both" } }],
      ]);
      assertSame(await answer(router, "/between/get"), [200, "between"]);
      assertSame(await answer(router, "/between/post", jsonInit({})), [200, "between"]);
      assertSame(log, ["wrapped", "wrapped"]);
    },
  },
  {
    name: "Get() finds a wrapped method that a controller inherits, and one that it overrides",
    async run() {
      const log: string[] = [];
      abstract class Base {
        @noting(log, "kept")
        @Get("/kept")
        kept() {
          return json("kept");
        }
        @noting(log, "overridden")
        @Get("/overridden", { auth: false })
        overridden() {
          return json("base");
        }
        @noting(log, "replaced")
        @Get("/old")
        replaced() {
          return json("old");
        }
      }
      abstract class Middle extends Base {}
      @Controller("/inherits")
      class Inheriting extends Middle {
        override overridden() {
          return json("override");
        }
        @noting(log, "new")
        @Get("/new")
        override replaced() {
          return json("new");
        }
      }
      const router = quiet().controllers(Inheriting).build();
      assertSame(await answer(router, "/inherits/kept"), [200, "kept"]);
      assertSame(await answer(router, "/inherits/overridden"), [200, "override"]);
      assertSame(await answer(router, "/inherits/new"), [200, "new"]);
      assertSame((await answer(router, "/inherits/old"))[0], 404);
      assertSame(log, ["kept", "new"]);
    },
  },
  {
    name: "Get() finds a wrapped method of a replaced class",
    async run() {
      const log: string[] = [];

      @replaceClass
      abstract class Base {
        @noting(log, "base")
        @Get("/base")
        base() {
          return json("base");
        }
      }
      @Controller("/both")
      @replaceClass
      class Both extends Base {
        @noting(log, "own")
        @Get("/own")
        own() {
          return json("own");
        }
      }
      const router = quiet().controllers(Both).build();
      assertSame(await answer(router, "/both/own"), [200, "own"]);
      assertSame(await answer(router, "/both/base"), [200, "base"]);
      assertSame(log, ["own", "base"]);
    },
  },
  {
    name: "Get() on two methods that are the same function makes exactly one route of each",
    async run() {
      @Controller("/a")
      class Guarded {
        @Get("/a")
        @stubbed
        a() {
          return json("a");
        }
        @Get("/again")
        @stubbed
        again() {
          return json("again");
        }
      }
      @Controller("/b")
      class Open {
        @Get("/b", { auth: false })
        @stubbed
        a() {
          return json("b");
        }
      }
      const router = quiet().withAuth(integration).controllers(Guarded, Open).build();
      assertSame(router.routes.map(({ pattern, origin }) => [pattern, origin]), [
        ["/a/a", { controller: "Guarded", method: "a" }],
        ["/a/again", { controller: "Guarded", method: "again" }],
        ["/b/b", { controller: "Open", method: "a" }],
      ]);
      assertSame(await answer(router, "/a/a"), [401, "unauthenticated"]);
      assertSame(await answer(router, "/b/b"), [200, "stub"]);
    },
  },
];

/** Cases of classes whose decorators share no metadata, as on runtimes without `Symbol.metadata`. */
const unsharedCases: readonly RuntimeCase[] = [
  {
    name: "Get() without shared metadata finds its method, inherited and wrapped below it",
    async run() {
      const log: string[] = [];
      class Base {
        readonly #name = "unshared";
        answer() {
          return json(this.#name);
        }
      }
      class Sub extends Base {}
      const method = [looking, Get("/get"), Post("/post"), noting(log, "below")];
      applyUnshared(Base, "answer", { method });
      applyUnshared(Sub, "none", { method: [], class: Controller("/unshared") });
      const router = quiet().controllers(Sub).build();
      assertSame(router.routes.map(({ pattern }) => pattern), ["/unshared/get", "/unshared/post"]);
      assertSame(await answer(router, "/unshared/get"), [200, "unshared"]);
      assertSame(log, ["below"]);
    },
  },
  {
    name: "Get() without shared metadata reports a replaced method",
    run() {
      class Replaced {
        answer() {
          return json(1);
        }
      }
      class Original {}
      const { answer: original } = Replaced.prototype;
      const method = [noting([], "above"), Get("/")];
      applyUnshared(Replaced, "answer", { method, class: Controller("/replaced") });
      assertRefused(
        () => quiet().controllers(Replaced).build(),
        "Cannot use @Get on answer: no class with @Controller has the method",
      );
      // Extends it with a controller, since it would be reported in every later case
      Object.defineProperty(Original.prototype, "answer", { value: original });
      applyUnshared(Original, "none", { method: [], class: Controller("/original") });
      assertSame(quiet().controllers(Replaced).build().routes.length, 0);
    },
  },
  {
    name: "Get() without shared metadata rejects a function that is another method",
    run() {
      class First {
        a() {
          return json("a");
        }
        b() {
          return json("b");
        }
      }
      class Second {
        a() {
          return json("a");
        }
      }
      const method = [Get("/first"), stubbed];
      applyUnshared(First, "a", { method });
      assertRefused(() => applyUnshared(First, "b", { method }), "Cannot use @Get on b");
      applyUnshared(First, "none", { method: [], class: Controller("/first") });
      assertRefused(
        () => applyUnshared(Second, "a", { method: [Get("/second"), stubbed] }),
        "Cannot use @Get on a",
      );
      const { routes } = quiet().controllers(First).build();
      assertSame(routes.map(({ pattern, origin }) => [pattern, origin?.method]), [
        ["/first/first", "a"],
      ]);
    },
  },
];

const { mode, shares } = observeMode();

/** Cases of replaced methods. */
export const replacedCases: readonly RuntimeCase[] = [
  ...(mode === "legacy" || shares ? sharedCases : []), // otherwise `unsharedCases` cover them
  ...unsharedCases,
];
