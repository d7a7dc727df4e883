/**
 * Cases of misuse that is reported immediately: decorators on targets where they cannot work.
 *
 * Types reject most of it; untyped code is not checked.
 *
 * @module
 */

import {
  All,
  Controller,
  defaultRegistry,
  Delete,
  Endpoint,
  Get,
  Head,
  json,
  Options,
  Patch,
  Post,
  Put,
} from "../../mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import type { AnyDecorator } from "./_decorator_foreign.ts";
import { answer, assertRefused, quiet } from "./_decorator_helpers.ts";

/** Our decorators, as untyped code may use them. */
const ROUTES: readonly (readonly [name: string, decorator: unknown])[] = [
  ["Get", Get],
  ["Post", Post],
  ["Put", Put],
  ["Patch", Patch],
  ["Delete", Delete],
  ["Head", Head],
  ["Options", Options],
  ["All", All],
];
const CALLED: readonly (readonly [name: string, made: unknown])[] = [
  ...ROUTES.map(([name, decorator]) => [name, (decorator as typeof Get)("/")] as const),
  ["Endpoint", Endpoint({})],
];
const BARE: readonly (readonly [name: string, decorator: unknown])[] = [
  ...ROUTES,
  ["Endpoint", Endpoint],
];

/** Targets that cannot be a route, with the part of the message that names the target. */
const PLACES:
  readonly (readonly [place: string, word: string, define: (it: AnyDecorator) => unknown])[] = [
    ["a getter", "it must decorate a method", (it) => {
      class Wrong {
        @it
        get wrong() {
          return json(1);
        }
      }
      return Wrong;
    }],
    ["a setter", "it must decorate a method", (it) => {
      class Wrong {
        @it
        set wrong(_value: number) {}
      }
      return Wrong;
    }],
    ["a field", "it must decorate a method", (it) => {
      class Wrong {
        @it
        wrong = () => json(1);
      }
      return Wrong;
    }],
    ["a class", "it must decorate a method", (it) => {
      @it
      class Wrong {}
      return Wrong;
    }],
    ["a method with a symbol as its name", "it must decorate a method with a string name", (it) => {
      class Wrong {
        @it
        *[Symbol.iterator]() {
          yield json(1);
        }
      }
      return Wrong;
    }],
    ["a static method", "wrong is static", (it) => {
      class Wrong {
        @it
        static wrong() {
          return json(1);
        }
      }
      return Wrong;
    }],
    // Neither compiles to legacy decorators: these are the arguments of standard ones.
    ["a private method", "#wrong is private", (it) => {
      it(() => json(1), { kind: "method", name: "#wrong", static: false, private: true });
    }],
    ["an accessor", "it must decorate a method", (it) => {
      it({}, { kind: "accessor", name: "wrong", static: false, private: false });
    }],
  ];

const misplaced: readonly RuntimeCase[] = PLACES.map(([place, word, define]) => ({
  name: `Get() and its siblings reject ${place}`,
  run() {
    for (const [name, made] of CALLED) {
      assertRefused(() => define(made as AnyDecorator), `Cannot use @${name}:`, word);
    }
  },
}));

/** Cases of misuse. */
export const misuseCases: readonly RuntimeCase[] = [
  ...misplaced,
  {
    name: "Get() and its siblings reject use without parentheses",
    run() {
      for (const [name, decorator] of BARE) {
        const bare = decorator as AnyDecorator;
        assertRefused(
          () => {
            class Wrong {
              @bare
              wrong() {
                return json(1);
              }
            }
            return Wrong;
          },
          `Cannot use @${name}:`,
          `@${name}(`,
        );
      }
    },
  },
  {
    name: "Controller() rejects use without parentheses",
    run() {
      const bare = Controller as unknown as AnyDecorator;
      assertRefused(
        () => {
          @bare
          class Wrong {}
          return Wrong;
        },
        'Cannot use @Controller: call it with a path, as in @Controller("/")',
      );
    },
  },
  {
    name: "Controller() rejects a target that is not a class",
    run() {
      const made = Controller("/wrong") as AnyDecorator;
      assertRefused(() => {
        class Wrong {
          @made
          wrong() {}
        }
        return Wrong;
      }, "Cannot use @Controller: it must decorate a class");
    },
  },
  {
    name: "Controller() rejects a second Controller() on a class",
    run() {
      assertRefused(() => {
        @Controller("/b")
        @Controller("/a")
        class Twice {
          @Get()
          answer() {
            return json(1);
          }
        }
        return Twice;
      }, "Cannot use @Controller on Twice: it is already a controller");
    },
  },
  {
    name: "Endpoint() without a route is rejected, when the class is defined",
    run() {
      assertRefused(() => {
        @Controller("/routeless")
        class Routeless {
          @Endpoint({ summary: "Never reached" })
          find() {
            return json(1);
          }
        }
        return Routeless;
      }, "Cannot use @Endpoint on Routeless.find: it has no route");
      assertSame(defaultRegistry.getTargets().some(({ name }) => name === "Routeless"), false);
    },
  },
  {
    name: "controllers() rejects a class without Controller(), even if it extends a controller",
    async run() {
      class Plain {}
      @Controller("/parent")
      class Parent {
        @Get()
        answer() {
          return json(1);
        }
      }
      class Child extends Parent {}
      for (const wrong of [Plain, Child]) {
        assertRefused(
          () => quiet().controllers(Parent, wrong).build(),
          `Cannot use ${wrong.name} as a controller: it has no @Controller`,
        );
      }
      assertRefused(
        () => quiet().controllers(class {}).build(),
        "Cannot use a class without a name as a controller",
      );
      assertSame(await answer(quiet().controllers(Parent).build(), "/parent"), [200, 1]);
    },
  },
  {
    name: "controllers() after build() is rejected",
    run() {
      const builder = quiet();
      builder.build();
      assertRefused(() => builder.controllers(), "Cannot set controllers: the router was built");
    },
  },
];
