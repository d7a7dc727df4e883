/** Principals and authorization results. */

import {
  AUTHORIZATION_MANAGER,
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
} from "@gatehouse/http";
import { assert, assertEquals, assertFalse, assertStrictEquals, assertThrows } from "@std/assert";
import { isAllowed } from "../../auth/authorization.ts";
import {
  type AuthMethod,
  createPrincipal,
  type Principal,
  type PrincipalInit,
} from "../../auth/principal.ts";
import { untyped } from "../router/_helpers.ts";
import { ROBOT } from "./_strategies.ts";

const NOW = 1_700_000_000;
const now = () => NOW;

/** A principal from untyped input. */
function principalOf(init: unknown): Principal {
  return createPrincipal(init as PrincipalInit, { now });
}

/** A value and everything reachable from it. */
function reachable(value: unknown, found: Set<object> = new Set()): Set<object> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  found.add(value);
  for (const key of Reflect.ownKeys(value)) reachable(Reflect.get(value, key), found);
  return found;
}

Deno.test("createPrincipal() returns every member of SPEC's table", () => {
  const init = {
    sub: "u1",
    method: "session",
    amr: ["pwd", "otp"],
    acr: "urn:level:2",
    authTime: 7,
    scope: ["notes:read"],
    sessionId: "s1",
    claims: { team: "blue" },
  };
  assertEquals(JSON.stringify(principalOf(init)), JSON.stringify(init));
});

Deno.test("createPrincipal() omits undefined members", () => {
  assertEquals(Object.keys(principalOf({ sub: "u1", method: "bearer" })), [
    "sub",
    "method",
    "authTime",
  ]);
  const absent = { amr: undefined, acr: undefined, scope: undefined, sessionId: undefined };
  const principal = principalOf({ sub: "u1", method: "bearer", claims: undefined, ...absent });
  assertEquals(Object.keys(principal), ["sub", "method", "authTime"]);
});

Deno.test("createPrincipal() omits unknown members", () => {
  const principal = principalOf({ sub: "u1", method: "bearer", admin: true, roles: ["root"] });
  assertEquals(Object.keys(principal), ["sub", "method", "authTime"]);
});

/** Only methods that authenticate at the time of the request have a default time. */
const TIMES: readonly [method: AuthMethod, authTime: number][] = [
  ["password", NOW],
  ["oauth", NOW],
  ["webauthn", NOW],
  ["session", 0],
  ["bearer", 0],
  ["api-key", 0],
  ["robot", 0],
  ["Password", 0],
  ["constructor", 0],
];

for (const [method, authTime] of TIMES) {
  Deno.test(`createPrincipal() sets the default authTime of ${method} to ${authTime === 0 ? "0" : "now"}`, () => {
    assertEquals(principalOf({ sub: "u1", method }).authTime, authTime);
    assertEquals(principalOf({ sub: "u1", method, authTime: undefined }).authTime, authTime);
    assertEquals(principalOf({ sub: "u1", method, authTime: 12.5 }).authTime, 12.5);
    assertEquals(principalOf({ sub: "u1", method, authTime: 0 }).authTime, 0);
  });
}

/** Times of an authentication; another process's clock may be 5 minutes ahead. */
for (const ahead of [0, 1, 299, 300]) {
  Deno.test(`createPrincipal() accepts a time that is ${ahead} seconds ahead`, () => {
    const authTime = NOW + ahead;
    assertEquals(principalOf({ sub: "u1", method: "session", authTime }).authTime, authTime);
  });
}

for (
  const [why, authTime] of [
    ["301 seconds ahead", NOW + 301],
    ["tomorrow", NOW + 86_400],
    ["in milliseconds, which would always be recent", NOW * 1_000],
    ["the largest number", Number.MAX_VALUE],
  ] as const
) {
  for (const method of ["password", "session", "bearer"]) {
    Deno.test(`createPrincipal() rejects a time of ${method} that is ${why}`, () => {
      assertThrows(
        () => principalOf({ sub: "u1", method, authTime }),
        RangeError,
        "Cannot create principal: authTime",
      );
    });
  }
}

Deno.test("createPrincipal() uses whole seconds of the clock by default", () => {
  const before = Math.floor(Date.now() / 1000);
  const { authTime } = createPrincipal({ sub: "u1", method: "password" });
  assert(Number.isInteger(authTime) && authTime >= before && authTime <= Date.now() / 1000);
});

for (const authTime of [NaN, Infinity, -Infinity, -1, -0.001, "7", true, [7], {}, 7n]) {
  Deno.test(`createPrincipal() rejects ${typeof authTime} ${String(authTime)} as a time`, () => {
    assertThrows(
      () => principalOf({ sub: "u1", method: "session", authTime }),
      RangeError,
      "Cannot create principal: authTime",
    );
  });
}

Deno.test("createPrincipal() rejects an invalid clock", () => {
  const init = { sub: "u1", method: "password" } as const;
  assertThrows(() => createPrincipal(init, { now: () => NaN }), RangeError);
  assertThrows(() => createPrincipal(init, { now: () => -1 }), RangeError);
  assertThrows(() => createPrincipal(init, { now: () => NOW * 1_000 }), RangeError, "now");
  assertEquals(createPrincipal(init, { now: () => NOW + 0.9 }).authTime, NOW);
});

const NO_TEXT: readonly unknown[] = [
  "",
  0,
  1,
  true,
  null,
  [],
  ["u1"],
  {},
  new String("u1"),
  { toString: () => "u1" },
  Symbol("u1"),
  1n,
];

for (const member of ["sub", "method", "acr", "sessionId"]) {
  Deno.test(`createPrincipal() rejects ${member} that is not a non-empty string`, () => {
    for (const value of NO_TEXT) {
      assertThrows(
        () => principalOf({ sub: "u1", method: "session", [member]: value }),
        TypeError,
        `Cannot create principal: ${member} must be a non-empty string`,
        String(value),
      );
    }
  });
}

Deno.test("createPrincipal() requires sub and method", () => {
  assertThrows(() => principalOf({ method: "session" }), TypeError, "sub");
  assertThrows(() => principalOf({ sub: "u1" }), TypeError, "method");
  assertThrows(() => principalOf(undefined), TypeError);
  assertThrows(() => principalOf(null), TypeError);
  assertThrows(() => principalOf("u1"), TypeError);
});

for (const member of ["amr", "scope"]) {
  Deno.test(`createPrincipal() rejects ${member} that is not an array of strings`, () => {
    const lists = ["pwd", "", 1, null, {}, { 0: "pwd", length: 1 }, new Set(["pwd"])];
    const members = NO_TEXT.map((value) => ["pwd", value]);
    for (const value of [...lists, ...members, new Array(1), ["a", , "b"]]) {
      assertThrows(
        () => principalOf({ sub: "u1", method: "session", [member]: value }),
        TypeError,
        `Cannot create principal: ${member}`,
      );
    }
    assertEquals(
      Reflect.get(principalOf({ sub: "u1", method: "session", [member]: [] }), member),
      [],
    );
  });
}

for (const claims of ["text", "", 1, true, null, [], ["a"], new Map(), new Date(0), () => {}]) {
  Deno.test(`createPrincipal() rejects ${Deno.inspect(claims)} as claims`, () => {
    assertThrows(
      () => principalOf({ sub: "u1", method: "session", claims }),
      TypeError,
      "Cannot create principal: claims",
    );
  });
}

Deno.test("createPrincipal() freezes deeply", () => {
  const principal = principalOf({
    sub: "u1",
    method: "session",
    amr: ["pwd"],
    scope: ["a", "b"],
    claims: { roles: ["user"], address: { lines: [{ text: "x" }] }, none: null },
  });
  const all = [...reachable(principal)];
  assertEquals(all.length, 8);
  assert(all.every((value) => Object.isFrozen(value)));
  assertThrows(() => Reflect.apply(Array.prototype.push, principal.scope, ["root"]), TypeError);
  assertFalse(Reflect.set(principal, "sub", "root"));
  assertFalse(Reflect.set(principal, "extra", 1));
});

Deno.test("createPrincipal() is not affected by later changes of its input", () => {
  const roles = ["user"];
  const amr = ["pwd"];
  const scope = ["read"];
  const claims = { roles, address: { city: "London" } };
  const principal = principalOf({ sub: "u1", method: "session", amr, scope, claims });
  const before = JSON.stringify(principal);
  roles.push("root");
  amr.push("mfa");
  scope.length = 0;
  claims.address.city = "Paris";
  Reflect.set(claims, "admin", true);
  assertEquals(JSON.stringify(principal), before);
  assertFalse(Object.isFrozen(claims));
  assertFalse(Object.isFrozen(roles));
});

Deno.test("createPrincipal() keeps a claim named __proto__", () => {
  const claims = JSON.parse('{"__proto__":{"admin":true},"deep":{"__proto__":{"admin":true}}}');
  const principal = principalOf({ sub: "u1", method: "bearer", claims });
  const copy = principal.claims ?? {};
  assertEquals(Object.keys(copy), ["__proto__", "deep"]);
  assertFalse("admin" in copy);
  assertFalse("admin" in (copy.deep as object));
  assertFalse("admin" in {});
  assertEquals(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value.admin, true);
});

Deno.test("createPrincipal() returns claims without a prototype", () => {
  const { claims = {} } = principalOf({ sub: "u1", method: "bearer", claims: { deep: {} } });
  for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"]) {
    assertFalse(name in claims, name);
    assertFalse(name in (claims.deep as object), name);
  }
});

Deno.test("createPrincipal() accepts claims without a prototype, and those created by a function", () => {
  const bare = Object.assign(Object.create(null), { a: 1 });
  assertEquals(Object.entries(principalOf({ sub: "u1", method: "x", claims: bare }).claims ?? {}), [
    ["a", 1],
  ]);
});

Deno.test("createPrincipal() copies arrays with their length and elements only", () => {
  const odd = Object.assign(["a"], { extra: 1 });
  Object.defineProperty(odd, "__proto__", { value: { admin: true }, enumerable: true });
  const claims = { odd, holes: new Array(3) };
  const copy = principalOf({ sub: "u1", method: "x", claims }).claims ?? {};
  const [list, holes] = [copy.odd, copy.holes] as [readonly unknown[], readonly unknown[]];
  assertEquals(Reflect.ownKeys(list), ["0", "length"]);
  assertStrictEquals(Object.getPrototypeOf(list), Array.prototype);
  assertEquals(holes.length, 3);
});

Deno.test("createPrincipal() copies cyclic claims, and repeated objects once", () => {
  const shared = { x: 1 };
  const claims: Record<string, unknown> = { a: shared, b: [shared] };
  claims.self = claims;
  (claims.b as unknown[]).push(claims.b);
  const copy = principalOf({ sub: "u1", method: "x", claims }).claims ?? {};
  assertStrictEquals(copy.self, copy);
  const list = copy.b as readonly unknown[];
  assertStrictEquals(list[0], copy.a);
  assertStrictEquals(list[1], list);
  assert([...reachable(copy)].every((value) => Object.isFrozen(value)));
});

Deno.test("createPrincipal() does not copy dates, maps and class instances in claims", () => {
  const date = new Date(0);
  const map = new Map([["a", 1]]);
  const copy = principalOf({ sub: "u1", method: "x", claims: { date, map } }).claims ?? {};
  assertStrictEquals(copy.date, date);
  assertStrictEquals(copy.map, map);
});

Deno.test("createPrincipal() copies 60 levels of claims, and rejects 100,000 with a TypeError", () => {
  const nested = (levels: number, wrap: (value: unknown) => unknown) => {
    let value: unknown = 1;
    for (let i = 0; i < levels; i++) value = wrap(value);
    return { value };
  };
  for (const wrap of [(value: unknown) => [value], (value: unknown) => ({ value })]) {
    const principal = principalOf({ sub: "u1", method: "x", claims: nested(60, wrap) });
    assertEquals(reachable(principal.claims).size, 61);
    assertThrows(
      () => principalOf({ sub: "u1", method: "x", claims: nested(100_000, wrap) }),
      TypeError,
      "Cannot create principal: claims",
    );
  }
});

Deno.test("createPrincipal() reads every member of its input once", () => {
  const reads: string[] = [];
  const init = new Proxy({ sub: "u1", method: "session" as const, authTime: 1 }, {
    get(target, name) {
      reads.push(String(name));
      return Reflect.get(target, name);
    },
  });
  createPrincipal(init);
  assertEquals(reads.length, new Set(reads).size);
});

Deno.test("AUTHORIZATION_MANAGER is the documented name", () => {
  assertEquals(AUTHORIZATION_MANAGER, "auth.AuthorizationManager");
});

Deno.test("authorizationAllowed() allows, and is frozen", () => {
  const allowed = authorizationAllowed();
  assertEquals(allowed, { status: "allowed" });
  assert(isAllowed(allowed));
  assertThrows(() => Object.assign(allowed, { status: "denied" }), TypeError);
});

Deno.test("authorizationDenied() denies with a reason", () => {
  const denied = authorizationDenied("the vault is closed");
  assertEquals(denied, { status: "denied", reason: "the vault is closed" });
  assertEquals(isAllowed(denied), false);
});

const NO_RESULTS: readonly (readonly [why: string, value: unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a flag", true],
  ["a string", "allowed"],
  ["an empty object", {}],
  ["white space", { status: "allowed " }],
  ["a prototype's status", Object.create({ status: "Allowed" })],
  ["a promise", Promise.resolve({ status: "allowed" })],
];

for (const [why, value] of NO_RESULTS) {
  Deno.test(`isAllowed() rejects other results: ${why}`, () => {
    assertThrows(() => isAllowed(untyped(value)), TypeError, "Cannot authorize: ");
  });
}

Deno.test("AuthorizationManager is a type that synchronous and asynchronous managers fit", async () => {
  const managers: readonly AuthorizationManager[] = [
    { authorize: () => authorizationAllowed() },
    { authorize: () => Promise.resolve(authorizationAllowed()) },
    {
      authorize: (principal, { transport }) =>
        transport.kind === "http" && principal?.sub === transport.params.owner
          ? authorizationAllowed()
          : authorizationDenied("not the owner"),
    },
  ];
  const request = new Request("https://example.com/");
  const transport = {
    kind: "http",
    request,
    route: "/",
    params: { owner: "robot" },
    query: {},
  } as const;
  for (const manager of managers) {
    const context = { metadata: undefined, transport };
    assert(isAllowed(await manager.authorize(ROBOT, context)));
  }
});
