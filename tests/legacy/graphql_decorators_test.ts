/** Declarations of GraphQL as decorators of `experimentalDecorators`. */

import { Authenticated, PublicField } from "@gatehouse/http/auth/graphql";
import { assertEquals, assertThrows } from "@std/assert";
import { refusedPaths } from "../auth/graphql/_decorated_cases.ts";

Deno.test("Decorators of a class count for its type, those of members for its fields", async () => {
  @Authenticated()
  class User {
    @PublicField()
    name() {}
    @PublicField()
    get email() {
      return "";
    }
    @PublicField()
    city = "";
  }
  const refused = ["user.id", "user.phone", "user.address"];
  assertEquals(await refusedPaths({ User }), refused);
  assertEquals(await refusedPaths(undefined), refused);
});

Deno.test("Decorators of members alone make their class known by its name", async () => {
  class Query {
    @Authenticated()
    news() {}
  }
  assertEquals((await refusedPaths(undefined)).includes("news"), true);
  assertEquals(await refusedPaths({ Query }), ["news"]);
});

Deno.test("Declarations decorate no static member and no parameter", () => {
  assertThrows(
    () => {
      class User {
        @Authenticated()
        static email() {}
      }
      return User;
    },
    TypeError,
    "it must decorate a class, or a member that is not static",
  );
});
