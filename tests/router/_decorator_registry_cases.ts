/**
 * Cases of the registry: what documents are made from.
 *
 * @module
 */

import {
  Controller,
  defaultRegistry,
  Endpoint,
  type EndpointTarget,
  Get,
  json,
  Post,
  type TypedRequest,
} from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "../runtimes/harness.ts";

/** What the registry has of a class. */
function targetOf(target: object): EndpointTarget {
  const found = defaultRegistry.getTargets().filter((one) => one.target === target);
  const [one] = found;
  assert(one !== undefined && found.length === 1, `listed ${found.length} times`);
  return one;
}

/** Cases of the registry. */
export const registryCases: readonly RuntimeCase[] = [
  {
    name: "getTargets() lists a controller's name, path and methods, decorated or not",
    run() {
      @Controller("/users")
      class Users {
        static count = 0;
        field = () => json(1);
        @Get("/:id", { summary: "Finds", auth: false })
        find(_req: TypedRequest) {
          return json(1);
        }
        help() {}
        @Post()
        @Endpoint({ summary: "Makes", tags: ["write"] })
        make() {
          return json(1);
        }
        #hidden() {}
        get hidden() {
          return this.#hidden;
        }
        static make() {}
        static {
          Object.defineProperty(this.prototype, "constant", { value: 1 });
        }
      }
      const { name, path, methods } = targetOf(Users);
      assertSame([name, path], ["Users", "/users"]);
      assertSame(methods.map((method) => [method.name, method.isEndpoint, method.metadata]), [
        ["find", true, { summary: "Finds" }],
        ["help", false, {}],
        ["make", true, { summary: "Makes", tags: ["write"] }],
      ]);
      assertSame(methods.map(({ method, path }) => [method ?? null, path ?? null]), [
        ["GET", "/:id"],
        [null, null],
        ["POST", "/"],
      ]);
      assertSame(methods.map(({ options }) => options ?? null), [
        { auth: false, openapi: { summary: "Finds" } },
        null,
        { openapi: {} },
      ]);
    },
  },
  {
    name: "getTargets() lists a method once for each of its routes",
    run() {
      @Controller()
      class Twice {
        @Get("/b", { summary: "B" })
        @Get("/a")
        @Endpoint({ summary: "Both", description: "Both" })
        answer() {
          return json(1);
        }
      }
      const { path, methods } = targetOf(Twice);
      assertSame([path, ...methods.map(({ path, metadata }) => [path, metadata])], [
        "/",
        ["/b", { summary: "B", description: "Both" }],
        ["/a", { summary: "Both", description: "Both" }],
      ]);
    },
  },
  {
    name: "getTargets() lists inherited methods last, and overridden ones once",
    run() {
      abstract class Base {
        @Get("/base")
        base() {
          return json(1);
        }
        @Get("/kept")
        kept() {
          return json(1);
        }
        plain() {}
        override() {}
      }
      @Controller("/inherits")
      class Inherits extends Base {
        @Get("/own")
        own() {
          return json(1);
        }
        override kept() {
          return json(2);
        }
        help() {}
        override override() {}
      }
      const methods = targetOf(Inherits).methods.map(({ name }) => name);
      const [own, inherited] = [methods.slice(0, 4).toSorted(), methods.slice(4).toSorted()];
      assertSame(own, ["help", "kept", "override", "own"]);
      assertSame(inherited, ["base", "plain"]);
    },
  },
  {
    name: "getTargets() keeps openapi: false, and the metadata of others",
    run() {
      @Controller("/left-out")
      class LeftOut {
        @Get("/out", { openapi: false, summary: "Unused" })
        @Get("/in")
        @Endpoint({ summary: "Said" })
        answer() {
          return json(1);
        }
      }
      const { methods } = targetOf(LeftOut);
      assertSame(methods.map(({ path, options }) => [path, options?.openapi]), [
        ["/out", false],
        ["/in", {}],
      ]);
    },
  },
  {
    name: "getTargets() lists controllers in the order of definition, used or not",
    run() {
      @Controller("/first")
      class First {}
      @Controller("/second")
      class Second {}
      const targets: unknown[] = defaultRegistry.getTargets().map(({ target }) => target);
      assertSame(targets.indexOf(Second) - targets.indexOf(First), 1);
    },
  },
  {
    name: "getTargets() makes no controller and runs no accessor",
    run() {
      @Controller("/never")
      class Never {
        constructor() {
          throw new Error("made");
        }
        get boom(): never {
          throw new Error("boom");
        }
      }
      assertSame(targetOf(Never).methods, []);
    },
  },
];
