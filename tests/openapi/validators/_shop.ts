/**
 * A shop of 30 routes. Its types are all that says what it takes. After a change, write its validators:
 *
 * ```sh
 * cd tests/openapi/validators
 * deno task openapi --controllers $PWD/_shop.ts --output $(mktemp) --validators $PWD/_shop_validators.ts
 * ```
 *
 * @module
 */

import {
  createRouter,
  empty,
  type Json,
  type PathParams,
  type QueryParams,
  type RequestSpec,
  type TypedRouter,
} from "@gatehouse/http";
import { validators } from "./_shop_validators.ts";

/** Identifies something. @format uuid */
type Id = string;
/** A code of ISO 4217. @pattern ^[A-Z]{3}$ */
type Currency = string;
/** A day. @format date */
type Day = string;
/** A number of things. @type integer @minimum 1 @maximum 1000 */
type Count = number;
/** @pattern ^sku-[0-9]+$ */
type SkuText = string;
type Sku = `sku-${number}`;

interface Money {
  /** @multipleOf 0.01 @minimum 0 */
  amount: number;
  currency: Currency;
}
interface Address {
  /** @minLength 1 @maxLength 80 */
  street: string;
  city: string;
  zip: string | number;
  country: "AT" | "CH" | "DE";
  note?: string | null;
}
interface Customer {
  name: string;
  /** @format email */
  email: string;
  address: Address;
  shipTo?: Address | null;
  born?: Day;
  tags: string[];
}
interface Product {
  sku: Sku;
  title: string;
  price: Money;
  sizes: readonly ["S" | "M" | "L", ...("S" | "M" | "L")[]];
  weights: Record<string, number>;
  /** @format uri */
  picture: string | null;
  parent?: Product;
}
interface Line {
  sku: Sku;
  count: Count;
}
interface Card {
  kind: "card";
  /** @pattern ^[0-9]{12,19}$ */
  number: string;
  expires: [month: number, year: number];
}
interface Transfer {
  kind: "transfer";
  iban: string;
}
type Payment = Card | Transfer | { kind: "voucher"; codes: string[] };
interface Order {
  customer: Id;
  /** @minItems 1 @maxItems 100 */
  lines: Line[];
  payment: Payment;
  at: Date;
  gift: boolean;
}
interface Category {
  name: string;
  children: Category[];
}
type Filter = { all: Filter[] } | { not: Filter } | {
  field: string;
  equals: string | number | boolean;
};
type Level = 1 | 9;
interface Point {
  /** @minimum -90 @maximum 90 */
  latitude: number;
  /** @exclusiveMinimum -180 @maximum 180 */
  longitude: number;
}
interface Host {
  /** @format ipv4 */
  v4?: string;
  /** @format ipv6 */
  v6?: string;
}
interface Merge {
  ids: readonly [from: Id, to: Id, note?: string];
}
type Json5 = string | number | boolean | null | Json5[] | { [name: string]: Json5 };

type ById = PathParams<{ id: Id }>;
type Body<T> = RequestSpec<Json<T>>;
type BodyAt<T> = RequestSpec<Json<T>, ById>;

interface Page {
  /** @type integer @minimum 1 */
  page?: number;
  size?: 10 | 20 | 50;
  sort?: "name" | "-name";
}
interface Search extends Page {
  q: string;
  inStock?: boolean;
  tag?: string[];
  price?: number[];
}

/** Answers 204 to everything that its types allow. */
export const router: TypedRouter = createRouter({
  validators,
  info: { title: "Shop", version: "1.0.0" },
})
  .post<Body<Customer>>("/customers", () => empty())
  .put<BodyAt<Customer>>("/customers/:id", () => empty())
  .patch<BodyAt<Partial<Customer>>>("/customers/:id", () => empty())
  .put<BodyAt<Address>>("/customers/:id/address", () => empty())
  .post<BodyAt<{ reason: string; until: Day | null }>>("/customers/:id/block", () => empty())
  .post<Body<Customer[]>>("/customers/import", () => empty())
  .post<Body<Product>>("/products", () => empty())
  .put<BodyAt<Product>>("/products/:id", () => empty())
  .patch<BodyAt<Partial<Omit<Product, "sku">>>>("/products/:id", () => empty())
  .put<BodyAt<Money>>("/products/:id/price", () => empty())
  .put<BodyAt<Record<Sku, Count>>>("/products/:id/bundle", () => empty())
  .post<BodyAt<{ stars: 1 | 2 | 3 | 4 | 5; text?: string }>>("/products/:id/reviews", () => empty())
  .post<Body<Order>>("/orders", () => empty())
  .patch<BodyAt<Pick<Order, "lines" | "gift">>>("/orders/:id", () => empty())
  .put<BodyAt<Payment>>("/orders/:id/payment", () => empty())
  .post<BodyAt<Line>>("/orders/:id/lines", () => empty())
  .put<BodyAt<Record<string, Line | null>>>("/orders/:id/lines", () => empty())
  .post<BodyAt<{ ok: true; tracking: string } | { ok: false; error: string }>>(
    "/orders/:id/shipped",
    () => empty(),
  )
  .post<Body<Category>>("/categories", () => empty())
  .post<Body<Filter>>("/filters", () => empty())
  .put<BodyAt<{ level: Level; limits: { soft: number; hard?: number } }>>(
    "/alerts/:id",
    () => empty(),
  )
  .post<Body<{ from: Point; to: Point; via: Point[] }>>("/routes", () => empty())
  .post<Body<Host>>("/hosts", () => empty())
  .post<Body<{ key: string; value: Json5 }>>("/settings", () => empty())
  .post<Body<Merge>>("/merge", () => empty())
  .get<RequestSpec<QueryParams<Search>>>("/search", () => empty())
  .get<RequestSpec<QueryParams<Page>>>("/customers", () => empty())
  .get<RequestSpec<QueryParams<Page>, ById>>("/customers/:id/orders", () => empty())
  .get<RequestSpec<ById>>("/products/:id", () => empty())
  .delete<RequestSpec<PathParams<{ sku: SkuText }>>>("/stock/:sku", () => empty()) as TypedRouter;
