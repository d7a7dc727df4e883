/**
 * One API of N routes, what it is written from, and programs that call every route by a typed client, for
 * `types_client.ts`.
 *
 * @module
 */

/** Programs with a client, by its name. */
export type ClientName = "Gatehouse" | "openapi-fetch" | "Hono hc";

/** Types of every route. `#` stands for its number. */
const TYPES = `/** What route # has. */
export interface Item# {
  id: string;
  name: string;
  kind: "small" | "large" | "other";
  price: { amount: number; currency: string };
  tags: string[];
  description?: string;
  parent: string | null;
  n#: number;
}
/** What route # takes. */
export interface New# { name: string; kind: "small" | "large"; tags?: string[]; n#: number }
`;

/** A route that reads, and one that writes. */
const ROUTES = [
  `  .get<RequestSpec<PathParams<{ org: string; id: string }>, QueryParams<{ q?: string }>>, ResponseSpec<Item#>>(
    "/r#/:org/items/:id", (req) => json(load<Item#>(req.params.id)))`,
  `  .post<RequestSpec<Json<New#>, PathParams<{ org: string }>>, ResponseSpec<Item#>>(
    "/r#/:org/items", (req) => json(load<Item#>(req.content.name)))`,
];
const HONO_ROUTES = [
  `  .get("/r#/:org/items/:id", validator("query", (value) => value as { q?: string }),
    (c) => c.json(load<Item#>(c.req.param("id")), 200))`,
  `  .post("/r#/:org/items", validator("json", (value) => value as New#),
    (c) => c.json(load<Item#>(c.req.valid("json").name), 200))`,
];

/** A call of each. */
const CALLS: Readonly<Record<ClientName, readonly string[]>> = {
  "Gatehouse": [
    `  { const result = await client("GET /r#/{org}/items/{id}", { params: { org: "a", id: "b" }, query: { q: "c" } });
    if (result.ok) use(result.data.name, result.data.n#); }`,
    `  { const result = await client("POST /r#/{org}/items", { params: { org: "a" }, body: { name: "a", kind: "small", n#: 1 } });
    if (result.ok) use(result.data.name, result.data.n#); }`,
  ],
  "openapi-fetch": [
    `  { const { data } = await client.GET("/r#/{org}/items/{id}", { params: { path: { org: "a", id: "b" }, query: { q: "c" } } });
    if (data !== undefined) use(data.name, data.n#); }`,
    `  { const { data } = await client.POST("/r#/{org}/items", { params: { path: { org: "a" } }, body: { name: "a", kind: "small", n#: 1 } });
    if (data !== undefined) use(data.name, data.n#); }`,
  ],
  "Hono hc": [
    `  { const response = await client.r#[":org"].items[":id"].$get({ param: { org: "a", id: "b" }, query: { q: "c" } });
    if (response.ok) { const data = await response.json(); use(data.name, data.n#); } }`,
    `  { const response = await client.r#[":org"].items.$post({ param: { org: "a" }, json: { name: "a", kind: "small", n#: 1 } });
    if (response.ok) { const data = await response.json(); use(data.name, data.n#); } }`,
  ],
};

const HEADS: Readonly<Record<ClientName, string>> = {
  "Gatehouse": `import { createClient } from "./client.ts";
const client = createClient({ baseUrl: "https://api.example" });`,
  "openapi-fetch": `import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";
const client = createClient<paths>({ baseUrl: "https://api.example" });`,
  "Hono hc": `import { hc } from "hono/client";
import type { App } from "./hono_app.ts";
const client = hc<App>("https://api.example");`,
};

/** Routes of one group of Hono's: a chain of all is more than the compiler takes. */
const GROUP = 20;

/** The application of ours: `app.ts`. */
export function application(routes: number): string {
  return `import {
  createRouter, json, type Json, type PathParams, type QueryParams, type RequestSpec, type ResponseSpec,
} from "@gatehouse/http";
declare function load<T>(key: string): T;
${numbered(routes, () => TYPES)}
export const router = createRouter({ info: { title: "Shop", version: "1.0.0" } })
${numbered(routes, (n) => ROUTES[n % 2])};
`;
}

/** The same with Hono: `hono_app.ts`. */
export function honoApplication(routes: number): string {
  const groups = Array.from({ length: routes / GROUP }, (_, i) => i);
  return `import { Hono } from "hono";
import { validator } from "hono/validator";
declare function load<T>(key: string): T;
${numbered(routes, () => TYPES)}
${
    groups.map((i) =>
      `const group${i} = new Hono()\n${numbered(GROUP, (n) => HONO_ROUTES[n % 2], i * GROUP)};`
    ).join("\n")
  }
const app = new Hono()${groups.map((i) => `.route("/", group${i})`).join("")};
export type App = typeof app;
`;
}

/** A program that calls all routes. */
export function program(name: ClientName, routes: number): string {
  return `${HEADS[name]}
declare function use(name: string, n: number): void;
export async function main(): Promise<void> {
${numbered(routes, (n) => CALLS[name][n % 2])}
}
`;
}

function numbered(count: number, text: (n: number) => string | undefined, first = 0): string {
  return Array.from(
    { length: count },
    (_, i) => (text(i + first) ?? "").replaceAll("#", String(i + first)),
  )
    .join("\n");
}
