/**
 * Which charts are drawn of which tables of `bench/RESULTS.md`: one row each.
 *
 * @module
 */

import type { TableName } from "./_result_tables.ts";

/** A chart of one table: each row a group of bars, or all rows the bars of one group. */
export interface ChartRow extends TableName {
  /** The file in `docs/charts`, without its ending. */
  readonly file: string;
  readonly title: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  readonly most?: number;
  readonly line?: number;
  /** Columns that are bars, and what they are called; with one column, each row is a bar. */
  readonly columns: Readonly<Record<string, string>>;
  /** The number in a cell: its first group. */
  readonly cell: RegExp;
  /** Rows that are drawn. @default all */
  readonly rows?: RegExp;
  /** What a row is called. @default its first cell */
  readonly nameOf?: (cells: Readonly<Record<string, string>>) => string;
  /** Bars of this package. */
  readonly ours: RegExp;
}

/** A bar of the chart that compares us with one peer for each task. */
export interface Pick extends TableName {
  readonly name: string;
  readonly row: string;
  readonly column: string;
  readonly cell: RegExp;
  /** Whether the cell is our time in multiples of the peer's, or how many times as fast we are. */
  readonly is: "time" | "speed";
}

/** A whole cell: `1,005`, `14.8`, `0.80`. */
const NUMBER = /^([\d.,]+)$/;
const IN_PARENTHESES = /\(([\d.]+)\)/;
const FIRST = /^([\d.]+)/;
const SECOND = /^[^,]+, ([\d.]+)/;
/** The larger number of `0.79 to 0.84`. */
const LAST = /([\d.]+)$/;
const GATEHOUSE = /^gatehouse/;

const ROUTERS = {
  gatehouse: "gatehouse",
  hono: "hono",
  elysia: "elysia",
  h3: "h3",
};

/** All charts of one table. */
export const CHARTS: readonly ChartRow[] = [
  {
    file: "router",
    title: "A request through the router, in process",
    unit: "time, in multiples of a switch written by hand",
    better: "lower",
    most: 16,
    line: 1,
    section: "Router in process",
    first: "case",
    columns: { ...ROUTERS, "itty-router": "itty-router" },
    cell: IN_PARENTHESES,
    ours: GATEHOUSE,
  },
  {
    file: "wire",
    title: "A request over the wire, on Deno",
    unit: "CPU of the server, in multiples of a handler written by hand",
    better: "lower",
    line: 1,
    section: "Over the wire",
    first: "case",
    columns: { ...ROUTERS, itty: "itty-router" },
    cell: IN_PARENTHESES,
    ours: GATEHOUSE,
  },
  {
    file: "node",
    title: "A request over the wire, on Node",
    unit: "requests per second, in multiples of @hono/node-server with Hono",
    better: "higher",
    line: 1,
    section: "Node over the wire",
    first: "Node",
    columns: { "`serveNode`": "gatehouse", "`node:http` alone": "node:http" },
    cell: FIRST,
    nameOf: (cells) => `Node ${cells.Node}: ${cells.case}`,
    ours: GATEHOUSE,
  },
  {
    file: "size",
    title: "An application with one route, bundled",
    unit: "KiB, minified and gzipped",
    better: "lower",
    section: "Size",
    first: "application",
    columns: { "gzip KiB": "" },
    rows: /^(?!gatehouse, all)/,
    cell: NUMBER,
    ours: GATEHOUSE,
  },
  {
    file: "static_deno",
    title: "A file of 1 KB, on Deno",
    unit: "requests per second, in multiples of Hono's serveStatic",
    better: "higher",
    line: 1,
    section: "Static files",
    first: "",
    columns: { "1k.bin": "" },
    cell: SECOND,
    ours: GATEHOUSE,
  },
  {
    file: "static_node",
    title: "A file of 1 KB, on Node",
    unit: "requests per second, in multiples of sirv",
    better: "higher",
    line: 1,
    section: "Static files",
    first: "",
    has: "sirv",
    columns: { "1k.bin": "" },
    cell: SECOND,
    ours: GATEHOUSE,
  },
  {
    file: "guard",
    title: "GET /me with a session, 32 at once, on Deno",
    unit: "microseconds per request",
    better: "lower",
    section: "Guarded routes",
    first: "GET /me, signed in",
    columns: { "µs at once": "" },
    cell: NUMBER,
    ours: GATEHOUSE,
  },
  {
    file: "jwt",
    title: "Verifying a JWT, on Deno",
    unit: "time, in multiples of Web Crypto's own",
    better: "lower",
    line: 1,
    section: "Tokens",
    first: "verify",
    columns: { "÷ Web Crypto": "gatehouse", "jose ÷ Web Crypto": "jose" },
    cell: NUMBER,
    ours: GATEHOUSE,
  },
  {
    file: "server",
    title: "Token requests of an authorization server, on Node",
    unit: "requests per second",
    better: "higher",
    section: "Authorization server",
    first: "Node 20.20",
    columns: { ours: "gatehouse", "oidc-provider": "oidc-provider" },
    cell: NUMBER,
    ours: GATEHOUSE,
  },
  {
    file: "stores",
    title: "Session checks and token rotations, by engine",
    unit: "calls per second, in multiples of the same statements without a check, 32 at once",
    better: "higher",
    line: 1,
    section: "Stores",
    first: "ours ÷ the same statements ≥ 0.8",
    columns: { "32 at once": "" },
    cell: NUMBER,
    ours: /./,
  },
];

/** One comparison for each task, with the peer that is used most for it. */
export const PICKS: readonly Pick[] = [
  {
    name: "static route: Hono",
    section: "Router in process",
    first: "case",
    row: "static",
    column: "gatehouse ÷ hono",
    cell: NUMBER,
    is: "time",
  },
  {
    name: "route with parameter and query: Hono",
    section: "Router in process",
    first: "case",
    row: "param + query",
    column: "gatehouse ÷ hono",
    cell: NUMBER,
    is: "time",
  },
  {
    name: "POST of JSON, in process: Hono",
    section: "Router in process",
    first: "case",
    row: "POST JSON",
    column: "gatehouse ÷ hono",
    cell: NUMBER,
    is: "time",
  },
  {
    name: "GET over the wire, on Node 24: Hono",
    section: "Node over the wire",
    first: "Node",
    row: "24",
    column: "`serveNode`",
    cell: FIRST,
    is: "speed",
  },
  {
    name: "file of 1 KB on Deno: Hono's serveStatic",
    section: "Static files",
    first: "",
    row: "gatehouse live",
    column: "1k.bin",
    cell: SECOND,
    is: "speed",
  },
  {
    name: "file of 1 KB on Node: sirv",
    section: "Static files",
    first: "",
    has: "sirv",
    row: "gatehouse live",
    column: "1k.bin",
    cell: SECOND,
    is: "speed",
  },
  {
    name: "guarded route, 32 at once: Better Auth",
    section: "Guarded routes",
    first: "GET /me, signed in",
    row: "hono + Better Auth, sessions in a Map",
    column: "÷ ours",
    cell: NUMBER,
    is: "speed",
  },
  {
    name: "JWT, ES256 by a JWK Set: jose",
    section: "Tokens",
    first: "verify",
    row: "ES256, JWK Set of 3",
    column: "ours ÷ jose",
    cell: NUMBER,
    is: "time",
  },
  {
    name: "sign-in with a passkey on Deno: SimpleWebAuthn",
    section: "Passkeys",
    first: "runtime",
    row: "Deno 2.9.6",
    column: "÷ SimpleWebAuthn",
    cell: LAST,
    is: "time",
  },
  {
    name: "callback of a provider on Node: openid-client",
    section: "Sign-in with providers",
    first: "runtime",
    row: "Node 20.20",
    column: "÷ application with openid-client 6.8.9",
    cell: LAST,
    is: "time",
  },
  {
    name: "code grant, PostgreSQL, on Node: oidc-provider",
    section: "Authorization server",
    first: "Node 20.20",
    row: "code grant, PostgreSQL",
    column: "ours ÷ theirs",
    cell: NUMBER,
    is: "speed",
  },
  {
    name: "OpenAPI of 200 routes from types: tsoa",
    section: "Schemas from types",
    first: "routes",
    row: "200",
    column: "÷ tsoa",
    cell: NUMBER,
    is: "time",
  },
];
