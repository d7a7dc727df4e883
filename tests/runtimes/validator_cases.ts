/**
 * Validators that are compiled from types, on every runtime.
 *
 * @module
 */

import { router } from "../openapi/validators/_shop.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

interface Problem {
  readonly violations: readonly { readonly in: string; readonly pointer: string }[];
}

async function answer(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await router.request(path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  if (response.status === 204) return 204;
  const { violations }: Problem = await response.json();
  return [response.status, ...violations.map((one) => `${one.in} ${one.pointer}`)];
}

const ID = "2eb8aa08-aa98-11ea-b4aa-73b441d16380";
const POINT = { latitude: 48.2, longitude: 16.4 };

/** Every case, in the order in which they run. */
export const validatorCases: readonly RuntimeCase[] = [
  {
    name: "compiled validators check bodies, paths and queries",
    async run() {
      assertSame(await answer("POST", "/routes", { from: POINT, to: POINT, via: [] }), 204);
      assertSame(
        await answer("POST", "/routes", { from: POINT, to: { latitude: 91 }, via: [POINT, 1] }),
        [422, "body /to/latitude", "body /to/longitude", "body /via/1"],
      );
      assertSame(await answer("POST", "/merge", { ids: [ID, "7"] }), [422, "body /ids/1"]);
      assertSame(await answer("GET", "/search?q=tea&price=1&inStock=true"), 204);
      assertSame(await answer("GET", "/search?q=a&q=b&price=x"), [
        422,
        "query /q",
        "query /price/0",
      ]);
      assertSame(await answer("GET", "/products/7"), [422, "params /id"]);
    },
  },
  {
    name: "compiled validators check deep bodies of recursive types",
    async run() {
      let filter: unknown = { field: "a", equals: 1 };
      for (let i = 0; i < 245; i++) filter = { all: [filter] };
      assertSame(await answer("POST", "/filters", filter), 204);
      assertSame(await answer("POST", "/filters", { not: { all: [filter, 1] } }), [
        422,
        "body /not/all/1",
      ]);
    },
  },
];
