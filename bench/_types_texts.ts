/**
 * The types of the applications of `_types_app.ts`, as a shop might have them.
 *
 * @module
 */

/** A kind of resource. `#` stands for the number of its module. */
export interface Kind {
  readonly name: string;
  readonly path: string;
  /** Declares `<name>State#`, whose values are texts. */
  readonly state: string;
  /** Members besides the id and the state. */
  readonly members: string;
}

/** The kinds that every module has. */
export const KINDS: readonly Kind[] = [
  {
    name: "Book",
    path: "books",
    state: `export enum BookState# {
  Draft = "draft",
  Printed = "printed",
  OutOfPrint = "out_of_print",
}`,
    members: `
  /**
   * As on the cover.
   * @minLength 1
   * @maxLength 200
   */
  title: string;
  /** Those who wrote it, in order. */
  authors: string[];
  /** When it came out; absent before. */
  publishedAt?: Date;
  price: Money;
  /** Its size, if it is printed. */
  print: { pages: number; widthMm: number; heightMm: number } | null;`,
  },
  {
    name: "Order",
    path: "orders",
    state: `export type OrderState# = "open" | "paid" | "sent" | "returned";`,
    members: `
  /** What was ordered. */
  lines: {
    /** Of what. */
    article: string;
    /**
     * How many.
     * @minimum 1
     */
    count: number;
    price: Money;
  }[];
  /** Where it goes to. */
  address: Address;
  /** Where the bill goes to, if that is elsewhere. */
  billing?: Address;
  total: Money;
  /** When it was sent; null before. */
  sentAt: Date | null;`,
  },
  {
    name: "Ticket",
    path: "tickets",
    state: `export type TicketState# = "new" | "assigned" | "closed";`,
    members: `
  /**
   * What it is about, in one line.
   * @maxLength 120
   */
  subject: string;
  /** All that was said. */
  text: string;
  /** How much it matters. */
  priority: "low" | "normal" | "high" | "urgent";
  /** Who has it. */
  assignee?: string;
  labels: Record<string, string>;
  /** When it has to be done. */
  dueAt?: Date;`,
  },
  {
    name: "Device",
    path: "devices",
    state: `export enum DeviceState# {
  Online = "online",
  Offline = "offline",
  Lost = "lost",
}`,
    members: `
  /** What people call it. */
  label: string;
  /** What it last told. */
  reading: {
    at: Date;
    celsius: number;
    /**
     * In percent.
     * @minimum 0
     * @maximum 100
     */
    humidity?: number;
    battery: { level: number; charging: boolean };
  };
  /** Where it stands. */
  place: Address | null;
  /** When it last told something. */
  seenAt?: Date;`,
  },
];

/** `common.ts`: what all modules share. */
export const COMMON: string = `/** When something was made and changed, and by whom. */
export interface Audit {
  createdAt: Date;
  updatedAt: Date;
  /** Whoever changed it last. */
  updatedBy: string;
}

/** An amount. */
export interface Money {
  /** In the currency's smallest unit. */
  amount: number;
  currency: "EUR" | "USD" | "GBP" | "JPY";
}

/** A postal address. */
export interface Address {
  lines: string[];
  city: string;
  postcode?: string;
  /**
   * ISO 3166-1 alpha-2.
   * @pattern ^[A-Z]{2}$
   */
  country: string;
}

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** How many there are on all pages. */
  total: number;
  /** Where the next page starts; absent on the last. */
  next?: string;
}

/** Stands for a database. */
export function load<T>(...keys: readonly unknown[]): T {
  throw new Error(\`Cannot load \${keys.length} keys: there is nothing\`);
}
`;
