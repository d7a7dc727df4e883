/** Decorated classes that the option `types` does not name: all of the process count, so that this file has one class more in each test. */

import { Authenticated } from "@gatehouse/http/auth/graphql";
import { assertEquals, assertRejects } from "@std/assert";
import { refusedPaths } from "./_decorated_cases.ts";

@Authenticated()
class Entity {
}

class User extends Entity {
  @Authenticated()
  email() {}
}
void User;

/** A class whose members alone are decorated is not known by its name. */
const unknown = "the class of the decorated member email is unknown";

Deno.test("protectSchema() binds each decorated class to the type of its name, and says which class it cannot find", async () => {
  await assertRejects(() => refusedPaths(undefined), TypeError, unknown);
  assertEquals(await refusedPaths({ User }), [
    "user.id",
    "user.name",
    "user.email",
    "user.phone",
    "user.address",
    "user.city",
    "me.name",
  ]);
  assertEquals((await refusedPaths(undefined)).length, 7); // by the interface alone; the member is bound now

  @Authenticated()
  class Query {
  }
  assertEquals(await refusedPaths(undefined), ["user", "me", "news"]);
  void Query;
  const second = (() => {
    @Authenticated()
    class Query {
    }
    return Query;
  })();
  await assertRejects(() => refusedPaths(undefined), TypeError, "two decorated classes Query");
  assertEquals(await refusedPaths({ Query: second }), ["user", "me", "news"]);
});

Deno.test("protectSchema() rejects a decorated class without a type, unless types names the classes", async () => {
  @Authenticated()
  class Usr {
  }
  void Usr;
  await assertRejects(() => refusedPaths(undefined), TypeError);
  assertEquals(await refusedPaths({}), []);
});
