import {
  Controller,
  createContainer,
  defaultRegistry,
  Get,
  json,
  routerBuilder,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { untyped } from "./_helpers.ts";

@Controller("/once")
class Once {
  @Get("/", { auth: false })
  answer(): Response {
    return json("once");
  }
}

Deno.test("controllers() rejects a class that was added before, in one call and in two", () => {
  const message = "Cannot add Once: it was added before";
  assertThrows(() => routerBuilder().controllers(Once, Once), TypeError, message);
  assertThrows(() => routerBuilder().controllers(Once).controllers(Once), TypeError, message);
});

for (const [why, value] of [["undefined", undefined], ["an instance", new Once()]] as const) {
  Deno.test(`controllers() rejects ${why}, as circular imports produce`, () => {
    assertThrows(
      () => routerBuilder().controllers(untyped(value)),
      TypeError,
      "Cannot add a controller: it is not a class",
    );
  });
}

Deno.test("getTargets() returns options that cannot change a route", async () => {
  const target = defaultRegistry.getTargets().find(({ name }) => name === "Once");
  const options = target?.methods[0]?.options;
  assertThrows(() => Object.assign(options ?? {}, { auth: true }), TypeError);
  const router = routerBuilder({ container: createContainer() }).controllers(Once).build();
  assertEquals((await router.request("/once")).status, 200);
});
