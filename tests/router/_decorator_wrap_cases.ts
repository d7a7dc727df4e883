/**
 * Cases of decorators of other libraries together with ours, on methods and on classes.
 *
 * @module
 */

import { Controller, Get, json, type RouteRequest } from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { type AnyDecorator, bound, looking, noting, replaceClass } from "./_decorator_foreign.ts";
import { answer, assertRefused, quiet } from "./_decorator_helpers.ts";

/** Cases of decorators of other libraries. */
export const wrapCases: readonly RuntimeCase[] = [
  {
    name: "Get() above a decorator that wraps the method makes a route of the wrapped method",
    async run() {
      const log: string[] = [];
      @Controller("/above")
      class Above {
        readonly #name = "above";
        @looking
        @Get()
        @looking
        @noting(log, "wrapped")
        answer(req: RouteRequest) {
          return json([this.#name, req.path]);
        }
      }
      const router = quiet().controllers(Above).build();
      assertSame(await answer(router, "/above"), [200, ["above", "/above"]]);
      assertSame(log, ["wrapped"]);
    },
  },
  {
    name: "Get() below a decorator that binds the method makes a route of the bound method",
    async run() {
      @Controller("/bound")
      class Bound {
        readonly #name = "bound";
        @bound
        @Get()
        answer() {
          return json(this.#name);
        }
      }
      assertSame(await answer(quiet().controllers(Bound).build(), "/bound"), [200, "bound"]);
    },
  },
  {
    name: "Controller() works above and below decorators that do not change the class",
    async run() {
      @looking
      @Controller("/looked")
      @looking
      class Looked {
        @Get()
        answer() {
          return json("looked");
        }
      }
      assertSame(await answer(quiet().controllers(Looked).build(), "/looked"), [200, "looked"]);
    },
  },
  {
    name:
      "Controller() above a decorator that replaces the class makes the replacement a controller",
    async run() {
      let made = 0;
      const counting = ((target: new () => object) =>
        class extends target {
          constructor() {
            super();
            made++;
          }
        }) as AnyDecorator;
      @Controller("/extended")
      @counting
      class Extended {
        readonly #name = "extended";
        @Get()
        answer() {
          return json(this.#name);
        }
      }
      const router = quiet().controllers(Extended).build();
      assertSame(await answer(router, "/extended"), [200, "extended"]);
      assertSame(made, 1);
    },
  },
  {
    name: "Controller() below a decorator that replaces the class is reported by controllers()",
    run() {
      @replaceClass
      @Controller("/hidden")
      class Hidden {
        @Get()
        answer() {
          return json("hidden");
        }
      }
      assertRefused(() => quiet().controllers(Hidden).build(), "as a controller");
    },
  },
];
