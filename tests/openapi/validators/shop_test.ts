/** An application without a schema of its own: every property that its types name is broken once, in each route. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { jsonRequest, problemOf } from "../../router/_helpers.ts";
import { join } from "@std/path";
import { ROOT } from "../../../dev/_project.ts";
import { runShared } from "../compiler/_process.ts";
import { withProject } from "../_cli.ts";
import { router } from "./_shop.ts";

const ID = "2eb8aa08-aa98-11ea-b4aa-73b441d16380";
const ADDRESS = { street: "Graben 1", city: "Wien", zip: "1010", country: "AT", note: null };
const CUSTOMER = {
  name: "Ada",
  email: "ada@example.com",
  address: ADDRESS,
  shipTo: { ...ADDRESS, zip: 8000, country: "CH", note: "2nd floor" },
  born: "1815-12-10",
  tags: ["vip"],
};
const PRICE = { amount: 9.95, currency: "EUR" };
const PRODUCT = {
  sku: "sku-7",
  title: "Tea",
  price: PRICE,
  sizes: ["S", "M"],
  weights: { net: 0.5 },
  picture: "https://example.com/tea.png",
};
const LINE = { sku: "sku-7", count: 3 };
const CARD = { kind: "card", number: "4111111111111111", expires: [12, 2030] };

/** Bodies of routes, as their types have them. */
const BODIES: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ["POST", "/customers", CUSTOMER],
  ["PUT", `/customers/${ID}`, { ...CUSTOMER, shipTo: null }],
  ["PATCH", `/customers/${ID}`, CUSTOMER],
  ["PUT", `/customers/${ID}/address`, ADDRESS],
  ["POST", `/customers/${ID}/block`, { reason: "fraud", until: "2030-01-01" }],
  ["POST", "/customers/import", [CUSTOMER, CUSTOMER]],
  ["POST", "/products", { ...PRODUCT, parent: { ...PRODUCT, parent: PRODUCT } }],
  ["PUT", `/products/${ID}`, { ...PRODUCT, picture: null }],
  ["PATCH", `/products/${ID}`, { title: "Green tea", price: PRICE, weights: {}, parent: PRODUCT }],
  ["PUT", `/products/${ID}/price`, PRICE],
  ["PUT", `/products/${ID}/bundle`, { "sku-1": 2, "sku-2": 1000 }],
  ["POST", `/products/${ID}/reviews`, { stars: 5, text: "Good" }],
  ["POST", "/orders", {
    customer: ID,
    lines: [LINE],
    payment: CARD,
    at: "2026-01-01T00:00:00Z",
    gift: false,
  }],
  ["PATCH", `/orders/${ID}`, { lines: [LINE, LINE], gift: true }],
  ["PUT", `/orders/${ID}/payment`, { kind: "voucher", codes: ["A", "B"] }],
  ["POST", `/orders/${ID}/lines`, LINE],
  ["PUT", `/orders/${ID}/lines`, { a: LINE, b: null }],
  ["POST", `/orders/${ID}/shipped`, { ok: false, error: "lost" }],
  ["POST", "/categories", { name: "all", children: [{ name: "tea", children: [] }] }],
  ["POST", "/filters", { all: [{ not: { field: "a", equals: true } }, { field: "b", equals: 1 }] }],
  ["PUT", `/alerts/${ID}`, { level: 9, limits: { soft: 1, hard: 2 } }],
  ["POST", "/routes", {
    from: { latitude: 48, longitude: 16 },
    to: { latitude: -90, longitude: 180 },
    via: [{ latitude: 0, longitude: 0 }],
  }],
  ["POST", "/hosts", { v4: "192.0.2.1", v6: "2001:db8::1" }],
  ["POST", "/settings", { key: "a", value: [1, "a", null, { deep: [true] }] }],
  ["POST", "/merge", { ids: [ID, ID, "same"] }],
];

/** Paths in bodies whose types accept everything that JSON can be. */
const FREE_REGEXP = /^\/settings: \/value/;

/** A value that no type of the shop accepts. An object would do where all properties are optional. */
const WRONG = [[[]]];

/** The places in a value, as pointers, and how to make another value with something else there. */
function placesIn(
  value: unknown,
): readonly (readonly [pointer: string, set: (other: unknown) => unknown])[] {
  if (typeof value !== "object" || value === null) return [["", (other) => other]];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    placesIn(one).map(([pointer, set]) =>
      [`/${key}${pointer}`, (other: unknown) => {
        const copy = Array.isArray(value) ? [...value] : { ...value };
        Object.assign(copy, { [key]: set(other) });
        return copy;
      }] as const
    )
  );
  return [["", (other) => other], ...inner];
}

async function violationsOf(
  method: string,
  path: string,
  body: unknown,
): Promise<readonly string[]> {
  const response = await router.fetch(jsonRequest(path, JSON.stringify(body), { method }));
  if (response.status === 204) return [];
  const { status, code, violations } = await problemOf(response);
  assertEquals([status, code], [422, "validation_failed"]);
  return (violations as readonly { in: string; pointer: string }[]).map((one) =>
    `${one.in} ${one.pointer}`
  );
}

let broken = 0;
for (const [method, path, body] of BODIES) {
  Deno.test(`a route without a schema rejects a body with one wrong property: ${method} ${path}`, async () => {
    assertEquals(await violationsOf(method, path, body), []);
    for (const [pointer, set] of placesIn(body)) {
      if (FREE_REGEXP.test(`${path}: ${pointer}`)) continue;
      const violations = await violationsOf(method, path, set(WRONG));
      const isInside = violations.some((one) =>
        one === `body ${pointer}` || one.startsWith(`body ${pointer}/`)
      );
      assert(isInside, `${pointer}: ${violations}`);
      broken++;
    }
  });
}

Deno.test("a route without a schema rejects a body without a required property", async () => {
  const cases:
    readonly (readonly [method: string, path: string, body: unknown, pointer: string])[] = [
      ["POST", "/customers", { ...CUSTOMER, name: undefined }, "/name"],
      ["POST", "/orders", { customer: ID, lines: [], payment: CARD, at: "x", gift: 0 }, "/lines"],
      ["PUT", `/orders/${ID}/payment`, { kind: "card" }, "/number"],
      ["POST", `/orders/${ID}/shipped`, { ok: true }, "/tracking"],
      ["POST", "/merge", { ids: [ID] }, "/ids"],
    ];
  for (const [method, path, body, pointer] of cases) {
    const violations = await violationsOf(method, path, body);
    assert(violations.includes(`body ${pointer}`), `${path}: ${violations}`);
  }
});

const QUERIES: readonly (readonly [path: string, violations: readonly string[]])[] = [
  ["/search?q=tea&inStock=true&price=1&price=2.5&tag=a&page=2&size=20&sort=-name", []],
  ["/search", ["query /q"]],
  ["/search?q=a&q=b", ["query /q"]],
  ["/search?q=a&inStock=yes&price=1&price=x&page=0&size=30&sort=size", [
    "query /inStock",
    "query /price/1",
    "query /page",
    "query /size",
    "query /sort",
  ]],
  ["/customers?page=1.5", ["query /page"]],
  [`/customers/${ID}/orders?page=1`, []],
  ["/customers/7/orders?page=a", ["params /id"]],
  ["/products/7", ["params /id"]],
];
for (const [path, expected] of QUERIES) {
  Deno.test(`a route without a schema checks its path and query: ${path}`, async () => {
    const response = await router.request(path);
    const { violations = [] } = response.status === 204 ? {} : await problemOf(response);
    const found = violations as readonly { in: string; pointer: string; message: string }[];
    assertEquals(found.map((one) => `${one.in} ${one.pointer}`).sort(), [...expected].sort());
  });
}

Deno.test("all routes of the shop were asked, and enough properties were broken", () => {
  const asked = BODIES.length + QUERIES.length;
  // deno-lint-ignore no-console -- how many properties were broken is part of the result
  console.log(`${router.routes.length} routes: ${broken} broken properties`);
  assert(router.routes.length === 30 && asked > 30 && broken > 150);
});

Deno.test("generate --validators writes the same bytes where validators are installed", async () => {
  await withProject({}, async ({ folder }) => {
    const at = (name: string) => join(ROOT, "tests/openapi/validators", name);
    const command = ["http", "openapi", "generate", "--controllers", at("_shop.ts")];
    const flags = ["--output", "openapi.json", "--validators", at("_shop_validators.ts")];
    const { stdout } = await runShared(folder, [...command, ...flags, "--check"]);
    // The document is not there; if the module is not as it would be, write it anew
    assertMatch(stdout, /^Up to date: .*_shop_validators\.ts \(validators of 30 routes\)\n$/);
  });
});
