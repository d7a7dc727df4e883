import {
  AUTHORIZATION_MANAGER,
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { isAllowed } from "../../auth/authorization.ts";
import { untyped } from "../router/_helpers.ts";
import { ROBOT } from "./_strategies.ts";

Deno.test("AUTHORIZATION_MANAGER is the name that applications may write", () => {
  assertEquals(AUTHORIZATION_MANAGER, "auth.AuthorizationManager");
});

Deno.test("authorizationAllowed() allows, and nobody can make it mean something else", () => {
  const allowed = authorizationAllowed();
  assertEquals(allowed, { status: "allowed" });
  assert(isAllowed(allowed));
  assertThrows(() => Object.assign(allowed, { status: "denied" }), TypeError);
});

Deno.test("authorizationDenied() denies, and says why", () => {
  const denied = authorizationDenied("the vault is closed");
  assertEquals(denied, { status: "denied", reason: "the vault is closed" });
  assertEquals(isAllowed(denied), false);
});

const NO_RESULTS: readonly (readonly [why: string, value: unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a flag", true],
  ["a text", "allowed"],
  ["an empty object", {}],
  ["white space", { status: "allowed " }],
  ["a prototype's status", Object.create({ status: "Allowed" })],
  ["a promise", Promise.resolve({ status: "allowed" })],
];

for (const [why, value] of NO_RESULTS) {
  Deno.test(`isAllowed() takes nothing else for a result: ${why}`, () => {
    assertThrows(() => isAllowed(untyped(value)), TypeError, "Cannot authorize: ");
  });
}

Deno.test("AuthorizationManager is a type that synchronous and asynchronous managers fit", async () => {
  const managers: readonly AuthorizationManager[] = [
    { authorize: () => authorizationAllowed() },
    { authorize: () => Promise.resolve(authorizationAllowed()) },
    {
      authorize: (principal, { transport: { kind, params } }) =>
        principal?.sub === params.owner && kind === "http"
          ? authorizationAllowed()
          : authorizationDenied("not the owner"),
    },
  ];
  const request = new Request("https://example.com/");
  const transport = { kind: "http", request, route: "/", params: { owner: "robot" } } as const;
  for (const manager of managers) {
    const context = { metadata: undefined, transport };
    assert(isAllowed(await manager.authorize(ROBOT, context)));
  }
});
