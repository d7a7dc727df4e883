/** Targets of standard decorators only; legacy ones do not compile there. */

import { All, Endpoint, Get, json, Post } from "@gatehouse/http";
import { assertThrows } from "@std/assert";
import type { AnyDecorator } from "./_decorator_foreign.ts";

const MADE: readonly (readonly [name: string, made: unknown])[] = [
  ["Get", Get()],
  ["Post", Post()],
  ["All", All()],
  ["Endpoint", Endpoint({ summary: "Wrong" })],
];

for (const [name, made] of MADE) {
  const decorate = made as AnyDecorator;

  Deno.test(`${name}() rejects a private method`, () => {
    const define = () => {
      class Wrong {
        @decorate
        #wrong() {
          return json(1);
        }
        right = () => this.#wrong();
      }
      return Wrong;
    };
    assertThrows(define, TypeError, `Cannot use @${name}: #wrong is private`);
  });

  Deno.test(`${name}() rejects an accessor`, () => {
    const define = () => {
      class Wrong {
        @decorate
        accessor wrong = 1;
      }
      return Wrong;
    };
    assertThrows(
      define,
      TypeError,
      `Cannot use @${name}: it must decorate a method with a string name`,
    );
  });
}
