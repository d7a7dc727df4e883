/**
 * What a document says of JSDoc of declarations: interfaces, aliases, enums, classes, and members
 * that others take over.
 */

import { literal, NUMBER, objectOf, ref, testSchemas, TEXT } from "./_types.ts";

testSchemas([
  ["the documentation of an interface", "Doc", ref("Doc"), {
    Doc: { ...objectOf({ a: TEXT }), description: "A doc.\n\nMore.", title: "T", deprecated: true },
  }],
  ["the documentation of a union", "Sort", ref("Sort"), {
    Sort: { ...TEXT, enum: ["a", "b"], description: "A sort.", examples: ["a"], default: "a" },
  }],
  ["the documentation of an enum", "Kind", ref("Kind"), {
    Kind: { ...literal("a"), description: "A kind." },
  }],
  ["the documentation of a class", "Klass", ref("Klass"), {
    Klass: {
      ...objectOf({
        a: { ...NUMBER, description: "Its a." },
        b: { ...TEXT, description: "Its b." },
      }),
      description: "A class.",
    },
  }],
  ["the documentation of a generic", "Page<string>", ref("Page_string"), {
    Page_string: {
      ...objectOf({ items: { type: "array", items: TEXT, description: "The items." } }),
      description: "A page.",
    },
  }],
  ["the documentation of two declarations", "Merged", ref("Merged"), {
    Merged: { ...objectOf({ a: literal(1), b: literal(1) }), description: "First.\nSecond." },
  }],
  ...["Partial<Base>", "Pick<Base, 'a'>", "Readonly<Base>", "Base & { b: 1 }"].map((type) =>
    [`the documentation of members in ${type}`, type, {
      ...objectOf(
        {
          a: { ...TEXT, description: "The a.", minLength: 2 },
          ...(type.includes("&") ? { b: literal(1) } : {}),
        },
        ...(type.startsWith("Partial") ? ["a"] : []),
      ),
    }] as const
  ),
  ["the documentation of a member that another interface narrows", "Narrow", ref("Narrow"), {
    Narrow: objectOf({ a: { ...literal("xx"), description: "The a.", minLength: 2 } }),
  }],
], {
  before: `
/**
 * A doc.
 *
 * More.
 * @title T
 * @deprecated
 */
interface Doc { a: string }
/**
 * A sort.
 * @example "a"
 * @default a
 */
type Sort = "a" | "b";
/** A kind. */
enum Kind { A = "a", B = "a" }
/** A class. */
class Klass {
  /** Its a. */
  a = 1;
  constructor(/** Its b. */ public b: string) {}
}
/** A page. */
interface Page<T> {
  /** The items. */
  items: T[];
}
/** First. */
interface Merged { a: 1 }
/** Second. */
interface Merged { b: 1 }
interface Base {
  /**
   * The a.
   * @minLength 2
   */
  a: string;
}
interface Narrow extends Base {
  a: "xx";
}
`,
});
