/**
 * Cases of the class decorator that registers authentication.
 *
 * @module
 */

import {
  Auth,
  type AuthOptions,
  type Container,
  Controller,
  createContainer,
  Get,
  getAuthRuntime,
  HTTP_ROUTER,
  HttpRouter,
  inMemoryAuthStores,
  json,
  type Principal,
  type RequestSpec,
  type TypedRequest,
  type TypedRouter,
} from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import type { AnyDecorator } from "./_decorator_foreign.ts";
import { assertRefused } from "./_decorator_helpers.ts";

function optionsOf(container: Container): AuthOptions {
  return {
    secret: "a secret that only the tests know, for tests",
    stores: inMemoryAuthStores(),
    container,
  };
}

/** Cases of Auth(). */
export const authCases: readonly RuntimeCase[] = [
  {
    name: "Auth() registers authentication when the class is defined, and not the class",
    run() {
      const container = createContainer();
      const decorate = Auth(optionsOf(container));
      assertSame(container.has("auth.Runtime"), false);
      @decorate
      class Application {}
      assertSame(container.has("auth.Runtime"), true);
      assertSame(container.has(Application), false);
      assertSame(getAuthRuntime(container).csrf.header, "X-CSRF-Token");
    },
  },
  {
    name: "Auth() works with HttpRouter(), which resolves it when the router is built",
    async run() {
      const container = createContainer();
      @Controller("/me", { container })
      class MeController {
        @Get("/", { auth: true })
        me(req: TypedRequest<RequestSpec, Principal>) {
          return json(req.principal.sub);
        }
      }
      @HttpRouter({
        container,
        controllers: [MeController],
        withAuth: (container) =>
          getAuthRuntime(container).integration({ routes: { registration: "open" } }),
      })
      @Auth(optionsOf(container))
      class Application {}
      assertSame(container.has(Application), false);
      const router = container.resolve<TypedRouter>(HTTP_ROUTER);
      assertSame((await router.request("/me")).status, 401);
      assertSame((await router.request("/auth/csrf")).status, 200);
    },
  },
  {
    name: "Auth() rejects a second Auth(), wrong options, and a target that is not a class",
    run() {
      const container = createContainer();
      @Auth(optionsOf(container))
      class First {}
      assert(First !== undefined, "the class stays what it is");
      assertRefused(() => {
        @Auth(optionsOf(container))
        class Second {}
        return Second;
      }, "Cannot set up authentication: the container has it");
      assertRefused(() => {
        @Auth({ ...optionsOf(createContainer()), csrf: "none" as "origin" })
        class Third {}
        return Third;
      }, 'csrf must be "origin", "token" or "insecureSkip"');
      const empty = createContainer();
      const misplaced = Auth(optionsOf(empty)) as AnyDecorator;
      assertRefused(() => {
        class Fourth {
          @misplaced
          method(): void {}
        }
        return Fourth;
      }, "Cannot use @Auth: it must decorate a class");
      assertSame(empty.has("auth.Runtime"), false);
    },
  },
];
