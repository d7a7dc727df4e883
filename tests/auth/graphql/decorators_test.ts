/** Decorators of TC39. */

import { Authenticated, Authorize, PublicField } from "@gatehouse/http/auth/graphql";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { refusedPaths } from "./_decorated_cases.ts";

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
    accessor phone = "";
    @PublicField()
    city = "";
  }
  assertEquals(await refusedPaths({ User }), ["user.id", "user.address"]);
});

Deno.test("Decorators of a class without declarations of its own count by its members, in order", async () => {
  class User {
    @Authenticated()
    @Authorize("email")
    email = "";
  }
  assertEquals(await refusedPaths({ User }), ["user.email"]);
});

Deno.test("Decorators are inherited by classes, as by types from interfaces", async () => {
  @Authenticated()
  class Entity {
    @Authenticated()
    id = "";
  }
  class User extends Entity {
    @PublicField()
    name = "";
  }
  const fields = ["user.id", "user.email", "user.phone", "user.address", "user.city"];
  assertEquals(await refusedPaths({ User }), fields);
  assertEquals(
    await refusedPaths({ Entity }),
    [...fields, "user.name", "me.name"].toSorted(byField),
  );
});

/** As the query has them. */
function byField(one: string, other: string): number {
  const order = ["id", "name", "email", "phone", "address", "city"];
  const rank = (path: string) => (path.startsWith("me") ? 10 : order.indexOf(path.slice(5)));
  return rank(one) - rank(other);
}

Deno.test("Decorators of one class of resolvers count for several types, and of several for one", async () => {
  class UserResolver {
    @Authenticated()
    me() {}
    @Authenticated()
    logout() {}
  }
  class NewsResolver {
    @Authenticated()
    news() {}
  }
  const types = { Query: [UserResolver, NewsResolver], Mutation: UserResolver };
  assertEquals(await refusedPaths(types), ["me", "news", "logout"]);
});

Deno.test("protectSchema() rejects a decorated member that is not a field of any of its types", async () => {
  class User {
    @Authenticated()
    emial() {}
  }
  await assertRejects(() => refusedPaths({ User }), TypeError, "User.emial has a declaration");
  await assertRejects(() => refusedPaths({ User, Query: User }), TypeError, "User.emial");
});

Deno.test("protectSchema() rejects PublicField() beside the declaration of an overridden member", async () => {
  class Base {
    @Authenticated()
    email() {}
  }
  class User extends Base {
    @PublicField()
    override email() {}
  }
  await assertRejects(() => refusedPaths({ User }), TypeError, "User.email has PublicField()");
});

Deno.test("Declarations decorate nothing but classes and members of their objects", () => {
  const misused = "it must decorate a class, or a member that is not static";
  assertThrows(
    () => {
      class User {
        @Authenticated()
        static email() {}
      }
      return User;
    },
    TypeError,
    misused,
  );
  assertThrows(
    () => {
      class User {
        @Authenticated()
        #email = "";
        email = () => this.#email;
      }
      return User;
    },
    TypeError,
    misused,
  );
  assertThrows(
    () => {
      class User {
        @Authenticated()
        [Symbol.iterator]() {}
      }
      return User;
    },
    TypeError,
    misused,
  );
  for (const call of [[{}], ["x"], [{}, 1], [undefined, "name"], [() => {}, "name"]] as const) {
    assertThrows(() => Authenticated()(...(call as [unknown])), TypeError, misused);
  }
  const context = { kind: "method", name: "email", static: false, private: false };
  assertThrows(() => Authenticated()(() => {}, context), TypeError, "define Symbol.metadata");
});
