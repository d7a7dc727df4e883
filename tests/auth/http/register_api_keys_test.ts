/** API keys of an application that hands its stores to `registerAuth()`. */

import { apiKeyService, createContainer, inMemoryAuthStores, registerAuth } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { SECRET, START } from "../_services.ts";

for (const name of ["disable", "remove"] as const) {
  Deno.test(`registerAuth() has users.${name}() end API keys, too`, async () => {
    const stores = inMemoryAuthStores();
    const { users } = registerAuth({ secret: SECRET, stores, container: createContainer() });
    for (const sub of ["u1", "u2"]) {
      const user = { sub, identifier: `${sub}.ada`, securityStamp: "s1", createdAt: START };
      await stores.users.create(user);
    }
    const apiKeys = apiKeyService(stores);
    const { key } = await apiKeys.create("u1");
    const other = await apiKeys.create("u2");
    await users[name]("u1");
    assertEquals(await stores.apiKeys.list("u1"), []);
    if (name === "disable") await users.enable("u1");
    assertEquals(await apiKeys.verify(key), undefined);
    assert(await apiKeys.verify(other.key) !== undefined);
  });
}
