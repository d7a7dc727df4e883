/**
 * Cases of decorated methods whose class has no `@Controller`. They run last: such a method is reported until a
 * controller extends its class, which happens in every case but the last.
 *
 * @module
 */

import {
  Controller,
  defaultRegistry,
  Endpoint,
  Get,
  json,
  Post,
  type RouteInfo,
} from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import type { AnyDecorator } from "./_decorator_foreign.ts";
import { assertRefused, quiet } from "./_decorator_helpers.ts";

/** Checks that a decorated method is reported by every use of controllers, and by none once a controller extends its class. */
function assertReported(
  Unclaimed: abstract new () => object,
  message: string,
  controllers: readonly (new () => object)[] = [],
): void {
  @Controller("/bystander")
  class Bystander {}
  const users = [
    () => defaultRegistry.getTargets(),
    () => quiet().controllers(Bystander).build(),
    ...controllers.map((one) => () => quiet().controllers(one).build()),
  ];
  for (const use of users) assertRefused(use, message);
  @Controller("/claims")
  class Claims extends (Unclaimed as new () => object) {}
  assertSame(quiet().controllers(Claims).build().routes.length > 0, true);
  for (const use of users) use();
}

function patterns(routes: readonly RouteInfo[]): readonly string[] {
  return routes.map(({ pattern, origin }) => `${pattern} ${origin?.controller}.${origin?.method}`);
}

/** Cases of methods that belong to no controller. */
export const unclaimedCases: readonly RuntimeCase[] = [
  {
    name: "Get() in a class without Controller() is reported, with its name and the method's",
    run() {
      class Forgotten {
        @Get("/secret", { auth: false })
        find() {
          return json(1);
        }
      }
      assertReported(
        Forgotten,
        "Cannot use @Get on find: no class with @Controller has the method",
      );
    },
  },
  {
    name: "Endpoint() and Post() in a class without Controller() are reported",
    run() {
      class Forgotten {
        @Endpoint({ summary: "Makes" })
        @Post()
        make() {
          return json(1);
        }
      }
      assertReported(Forgotten, "Cannot use @Endpoint on make: no class with @Controller");
    },
  },
  {
    name: "Get() in a base class that no controller extends is reported",
    run() {
      abstract class Base {
        @Get()
        list() {
          return json(1);
        }
      }
      abstract class Middle extends Base {
        override list() {
          return json(2);
        }
      }
      assertReported(Middle, "Cannot use @Get on list");
    },
  },
  {
    name: "Get() in a class without Controller() never becomes a route of the next class with it",
    run() {
      class Forgotten {
        @Get("/leak", { auth: false })
        find() {
          return json("leak");
        }
      }
      @Controller("/decorated")
      class Decorated {
        @Get("/own")
        find() {
          return json("own");
        }
      }
      @Controller("/undecorated")
      class Undecorated {
        find() {
          return json("undecorated");
        }
        @Get("/other")
        other() {
          return json("other");
        }
      }
      assertReported(Forgotten, "Cannot use @Get on find", [Decorated, Undecorated]);
      const { routes } = quiet().controllers(Decorated, Undecorated).build();
      assertSame(patterns(routes), [
        "/decorated/own Decorated.find",
        "/undecorated/other Undecorated.other",
      ]);
    },
  },
  {
    // Must be last: such a class cannot be extended, and so its method stays reported
    name:
      "Get() in a class whose definition failed never becomes a route of the next class with it",
    run() {
      assertRefused(() => {
        const fail: AnyDecorator = () => {
          throw new TypeError("Cannot decorate");
        };
        @Controller("/failed")
        @fail
        class Failing {
          @Get("/leak")
          find() {
            return json("leak");
          }
        }
        return Failing;
      }, "Cannot decorate");
      @Controller("/next")
      class Next {
        find() {
          return json("next");
        }
      }
      const message = "Cannot use @Get on find: no class with @Controller has the method";
      assertRefused(() => quiet().controllers(Next).build(), message);
      assertRefused(() => defaultRegistry.getTargets(), message);
    },
  },
];
