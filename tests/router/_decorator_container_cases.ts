/**
 * Cases of lifetimes and containers: when, how often and by which container a controller is created.
 *
 * @module
 */

import {
  Controller,
  createContainer,
  defaultContainer,
  defaultRegistry,
  Get,
  inject,
  json,
  pass,
} from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { answer, counted, foreignContainer, integration, quiet } from "./_decorator_helpers.ts";

class Clock {
  readonly year: number = 2026;
}

/** Cases of containers. */
export const containerCases: readonly RuntimeCase[] = [
  {
    name: "Controller() creates one instance, at the first request and not before",
    async run() {
      let made = 0;
      @Controller("/single")
      class Single {
        readonly number = ++made;
        @Get("/a")
        a() {
          return json(this.number);
        }
        @Get("/b")
        async b() {
          return json(await Promise.resolve(this.number));
        }
      }
      const router = quiet().controllers(Single).build();
      const other = quiet().controllers(Single).build();
      defaultRegistry.getTargets();
      assertSame(await answer(router, "/nowhere"), [404, "not_found"]);
      assertSame(made, 0);
      const paths = ["/single/b", "/single/a", "/single/b"];
      const answers = await Promise.all(paths.map((path) => answer(router, path)));
      assertSame(answers, [[200, 1], [200, 1], [200, 1]]);
      assertSame(await answer(other, "/single/a"), [200, 1]);
      assertSame(made, 1);
    },
  },
  {
    name: "Controller() creates no instance for a request that the guard rejects",
    async run() {
      let made = 0;
      @Controller("/refused")
      class Refused {
        constructor() {
          made++;
        }
        @Get()
        answer() {
          return json(1);
        }
      }
      const router = quiet().withAuth(integration).controllers(Refused).build();
      assertSame(await answer(router, "/refused"), [401, "unauthenticated"]);
      assertSame(made, 0);
    },
  },
  {
    name: "Controller() creates one instance for each request if singleton is false",
    async run() {
      let made = 0;
      @Controller("/each", { singleton: false })
      class Each {
        readonly number = ++made;
        @Get()
        which() {
          return json(this.number);
        }
      }
      const router = quiet().controllers(Each).build();
      assertSame(made, 0);
      assertSame(await answer(router, "/each"), [200, 1]);
      assertSame(await answer(router, "/each"), [200, 2]);
    },
  },
  {
    name: "Controller() registers the class in its container, by default in defaultContainer",
    async run() {
      const container = createContainer();
      @Controller("/mine", { container })
      class Mine {
        readonly #clock = inject(Clock);
        @Get()
        year() {
          return json(this.#clock.year);
        }
      }
      @Controller("/common")
      class Common {}
      container.register(Clock, { useValue: { year: 1 } });
      assertSame([container.has(Mine), defaultContainer.has(Mine)], [true, false]);
      assertSame([container.has(Common), defaultContainer.has(Common)], [false, true]);
      assertSame(await answer(quiet().controllers(Mine).build(), "/mine"), [200, 1]);
    },
  },
  {
    name: "routerBuilder() resolves controllers from its container, with the lifetime of each",
    async run() {
      const [theirs, container] = [createContainer(), createContainer()];
      let made = 0;
      @Controller("/one", { container: theirs })
      class One {
        readonly number = ++made;
        readonly #clock = inject(Clock);
        @Get()
        which() {
          return json([this.number, this.#clock.year]);
        }
      }
      @Controller("/each", { singleton: false })
      class Each extends One {}
      container.register(Clock, { useValue: { year: 7 } });
      const router = quiet({ container }).controllers(One, Each).build();
      assertSame([container.has(One), container.has(Each), made], [true, true, 0]);
      assertSame(await answer(router, "/one"), [200, [1, 7]]);
      assertSame(await answer(router, "/one"), [200, [1, 7]]);
      assertSame(await answer(router, "/each"), [200, [2, 7]]);
      assertSame(await answer(router, "/each"), [200, [3, 7]]);
    },
  },
  {
    name: "routerBuilder() keeps its container's provider of a controller",
    async run() {
      const container = createContainer();
      @Controller("/known")
      class Known {
        readonly name: string = "class";
        @Get()
        which() {
          return json(this.name);
        }
      }
      class Double extends Known {
        override readonly name = "double";
      }
      container.register(Known, { useClass: Double });
      const router = quiet({ container }).controllers(Known).build();
      assertSame(await answer(router, "/known"), [200, "double"]);
    },
  },
  {
    name: "A controller that is registered again is used from the next request on",
    async run() {
      const container = createContainer();
      @Controller("/double", { container })
      class Real {
        readonly name: string = "real";
        @Get()
        which() {
          return json(this.name);
        }
      }
      class Double extends Real {
        override readonly name = "double";
      }
      const router = quiet().controllers(Real).build();
      assertSame(await answer(router, "/double"), [200, "real"]);
      container.register(Real, { useClass: Double });
      assertSame(await answer(router, "/double"), [200, "double"]);
      container.register(Real, { useFactory: () => Object.assign(new Real(), { name: "made" }) });
      assertSame(await answer(router, "/double"), [200, "made"]);
    },
  },
  {
    name: "A controller that lacks the method is a 500, and never a pass to the next route",
    async run() {
      const container = createContainer();
      @Controller("/lacking", { container })
      class Real {
        @Get()
        which() {
          return json("real");
        }
      }
      const { builder, errors } = counted();
      const router = builder.controllers(Real).build().all("/*", () => json("fallback"));
      const lacking: readonly (() => unknown)[] = [
        () => ({}), // a test double that was not finished
        () => Promise.resolve(new Real()), // a factory that is asynchronous
        () => ({ which: "text" }),
        () => undefined,
      ];
      for (const make of lacking) {
        container.register(Real, { useFactory: () => make() as Real });
        assertSame(await answer(router, "/lacking"), [500, "internal_error"]);
      }
      assertSame(errors.map((error) => error instanceof TypeError), [true, true, true, true]);
      container.register(Real, { useFactory: () => ({ which: () => pass() as never }) });
      assertSame(await answer(router, "/lacking"), [200, "fallback"]);
    },
  },
  {
    name: "Controller() works with a container of another library",
    async run() {
      const theirs = foreignContainer();
      @Controller("/foreign", { container: theirs })
      class Foreign {
        @Get()
        answer() {
          return json("foreign");
        }
      }
      @Controller("/told")
      class Told {
        @Get()
        answer() {
          return json("told");
        }
      }
      assertSame(await answer(quiet().controllers(Foreign).build(), "/foreign"), [200, "foreign"]);
      const router = quiet({ container: theirs }).controllers(Foreign, Told).build();
      assertSame(theirs.names(), ["Foreign", "Told"]);
      assertSame(await answer(router, "/told"), [200, "told"]);
    },
  },
  {
    name: "inject() works in the field initialisers and the constructor of a controller",
    async run() {
      const container = createContainer();
      class Service {
        readonly #clock = inject(Clock);
        of(name: string) {
          return `${name} ${this.#clock.year}`;
        }
      }
      container.register(Service, { useClass: Service });
      container.register(Clock, { useClass: Clock });
      @Controller("/inject", { container })
      class Injected {
        readonly #service = inject(Service);
        readonly #year: number;
        constructor() {
          this.#year = inject(Clock).year;
        }
        @Get()
        answer() {
          return json([this.#service.of("Ada"), this.#year]);
        }
      }
      const router = quiet().controllers(Injected).build();
      assertSame(await answer(router, "/inject"), [200, ["Ada 2026", 2026]]);
    },
  },
  {
    name: "A controller whose constructor throws is a 500, and the next request tries again",
    async run() {
      let broken = true;
      @Controller("/fragile")
      class Fragile {
        constructor() {
          if (broken) throw new RangeError("secret");
        }
        @Get()
        answer() {
          return json(1);
        }
      }
      const { builder, errors } = counted();
      const router = builder.controllers(Fragile).build();
      const response = await router.request("/fragile");
      assertSame([response.status, (await response.text()).includes("secret")], [500, false]);
      assertSame(errors.map(String), ["RangeError: secret"]);
      broken = false;
      assertSame(await answer(router, "/fragile"), [200, 1]);
    },
  },
  {
    name: "A controller whose dependency is missing is a 500 without details, and is reported",
    async run() {
      const container = createContainer();
      @Controller("/missing", { container })
      class Missing {
        readonly clock = inject(Clock);
        @Get()
        answer() {
          return json(1);
        }
      }
      const { builder, errors } = counted();
      const router = builder.controllers(Missing).build();
      const text = await (await router.request("/missing")).text();
      assertSame(["Clock", "Missing", "resolve"].filter((word) => text.includes(word)), []);
      assertSame(errors.map(String), [
        "TypeError: Cannot resolve Clock: nothing is registered for it (Missing → Clock)",
      ]);
      container.register(Clock, { useClass: Clock });
      assertSame(await answer(router, "/missing"), [200, 1]);
    },
  },
];
