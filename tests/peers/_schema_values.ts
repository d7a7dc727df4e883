/**
 * Values that a JSON Schema allows, drawn by a seed, and values that break it in one place.
 *
 * It knows the keywords that the example's schemas have; another one is an error, so that none is ignored.
 *
 * @module
 */

import { entriesOf, isObject, type JsonObject } from "./openapi_nodes.ts";

/** Gives numbers from 0 to below 1. */
export type Random = () => number;

/** A value that breaks a schema. */
export interface Broken {
  /** Where and how. */
  readonly why: string;
  readonly value: unknown;
}

/** How values of a schema are made, and which are none. */
interface Kind {
  readonly draw: (schema: JsonObject, random: Random) => unknown;
  readonly breaks: (schema: JsonObject) => readonly Broken[];
}

const ANNOTATIONS: readonly string[] = ["default", "description", "title", "readOnly", "examples"];

/** Formats that say how a value is shown and nothing of what it is, OpenAPI 3.1 §4.4. */
const FORMATS: readonly unknown[] = ["password", "email"];

/** The keywords that are known, by the type that they are about. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern"],
  array: ["items", "minItems", "maxItems", "uniqueItems"],
  object: ["properties", "required", "additionalProperties"],
  boolean: [],
  null: [],
};

const KINDS: Readonly<Record<string, Kind>> = {
  string: { draw: drawString, breaks: stringBreaks },
  array: { draw: drawArray, breaks: arrayBreaks },
  object: { draw: drawObject, breaks: objectBreaks },
  boolean: { draw: (_, random) => random() < 0.5, breaks: () => [] },
  null: { draw: () => null, breaks: () => [] },
};

/** One of each type. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  string: "text",
  number: 7.5,
  boolean: true,
  array: ["text"],
  object: { text: "text" },
  null: null,
};

/** What people and attackers write: each is one character, as JSON Schema counts. */
const CHARACTERS: readonly string[] = [
  ..."abcXYZ0189 \t\n\r\"'\\/<>&%+{}[]()$._-~",
  ..."\0\x1b\x7f\xa0éßñ\u0301\u200d\u202e\u2028\ufeff\uffff日本語żółw\u{1F600}\u{10FFFF}",
];

/** Most characters of a text that says no maximum. */
const MAX_LENGTH = 100;
const ATTEMPTS = 1000;

/** A generator of numbers that gives the same ones for the same seed: mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws a value that the schema allows. @throws {TypeError} If the schema has a keyword that is not known. */
export function drawValue(schema: JsonObject, random: Random): unknown {
  const one = pick(alternativesOf(schema), random);
  return kindOf(one).draw(one, random);
}

/** The largest value that the schema allows, of one character everywhere, but for what makes items differ. */
export function largestValue(schema: JsonObject, character: string): unknown {
  const [first = {}] = alternativesOf(schema);
  kindOf(first);
  switch (first.type) {
    case "string":
      return character.repeat(lengthsOf(first, "Length", MAX_LENGTH).max);
    case "array": {
      const items = isObject(first.items) ? largestValue(first.items, character) : null;
      return Array.from({ length: lengthsOf(first, "Items", MAX_LENGTH).max }, (_, i) => {
        const differs = String.fromCodePoint(0x1F600 + i);
        return typeof items === "string" ? differs + [...items].slice(1).join("") : items;
      });
    }
    default:
      return Object.fromEntries(
        entriesOf(first.properties).map(([name, one]) => [
          name,
          isObject(one) ? largestValue(one, character) : null,
        ]),
      );
  }
}

/** Values that the schema does not allow, each for one reason. */
export function brokenValues(schema: JsonObject): readonly Broken[] {
  const alternatives = alternativesOf(schema);
  const types = alternatives.map(({ type }) => String(type));
  return [
    ...Object.entries(SAMPLES).filter(([type]) => !types.includes(type))
      .map(([type, value]) => ({ why: `is of type ${type}`, value })),
    ...alternatives.flatMap((one) => kindOf(one).breaks(one)),
  ];
}

function alternativesOf({ anyOf, ...schema }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(anyOf)) return [schema];
  const other = Object.keys(schema).find((name) => !ANNOTATIONS.includes(name));
  if (other !== undefined) throw new TypeError(`Cannot make a value: anyOf beside ${other}`);
  return anyOf.filter(isObject);
}

function kindOf(schema: JsonObject): Kind {
  const type = String(schema.type);
  const kind = KINDS[type];
  const format = FORMATS.includes(schema.format) ? ["format"] : [];
  const known = ["type", ...ANNOTATIONS, ...format, ...KEYWORDS[type] ?? []];
  const other = Object.keys(schema).find((name) => !known.includes(name));
  if (kind === undefined || other !== undefined) {
    throw new TypeError(`Cannot make a value: ${other ?? "type"} is not known of ${type}`);
  }
  return kind;
}

function drawString(schema: JsonObject, random: Random): string {
  if (schema.format === "email") return `a${Math.floor(random() * 10_000)}@example.org`;
  const { min, max } = lengthsOf(schema, "Length", MAX_LENGTH);
  const regexp = typeof schema.pattern === "string" ? new RegExp(schema.pattern, "u") : /^/;
  for (let i = 0; i < ATTEMPTS; i++) {
    const length = drawLength(min, max, random);
    const text = Array.from({ length }, () => pick(CHARACTERS, random)).join("");
    if (regexp.test(text)) return text;
  }
  throw new TypeError(`Cannot make a value: nothing was found that matches ${regexp}`);
}

function stringBreaks(schema: JsonObject): readonly Broken[] {
  const { minLength, maxLength, pattern } = schema;
  return [
    ...typeof minLength === "number" && minLength > 0
      ? [{ why: "is too short", value: "a".repeat(minLength - 1) }]
      : [],
    ...typeof maxLength === "number"
      ? [
        { why: "is too long", value: "a".repeat(maxLength + 1) },
        { why: "is too long by a space at its end", value: "a".repeat(maxLength) + " " },
        { why: "is far too long", value: "日".repeat(maxLength * 2) },
      ]
      : [],
    ...typeof pattern === "string"
      ? ["", " ", "\u2028\t"].filter((text) => !new RegExp(pattern, "u").test(text))
        .map((value) => ({ why: `is ${JSON.stringify(value)}`, value }))
      : [],
  ];
}

function drawArray(schema: JsonObject, random: Random): unknown {
  const { min, max } = lengthsOf(schema, "Items", MAX_LENGTH);
  const items = isObject(schema.items) ? schema.items : {};
  for (let i = 0; i < ATTEMPTS; i++) {
    const length = drawLength(min, max, random);
    const list = Array.from({ length }, () => drawValue(items, random));
    // A list of the same thing several times is what random values rarely are
    const drawn = list.length > 1 && random() < 0.2 ? list.fill(list[0]) : list;
    if (schema.uniqueItems !== true || isUnique(drawn)) return drawn;
  }
  throw new TypeError("Cannot make a value: its items are never unique");
}

function arrayBreaks(schema: JsonObject): readonly Broken[] {
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (!isObject(items)) return [];
  const random = seededRandom(1);
  const listOf = (length: number) => Array.from({ length }, (_, i) => `${i}`);
  return [
    ...brokenValues(items).map(({ why, value }) => ({
      why: `has an item that ${why}`,
      value: [value],
    })),
    ...typeof minItems === "number" && minItems > 0
      ? [{ why: "has too few items", value: listOf(minItems - 1) }]
      : [],
    ...typeof maxItems === "number"
      ? [{ why: "has too many items", value: listOf(maxItems + 1) }]
      : [],
    ...uniqueItems === true
      ? [{ why: "has an item twice", value: Array(2).fill(drawValue(items, random)) }]
      : [],
  ];
}

function drawObject(schema: JsonObject, random: Random): unknown {
  const required = requiredOf(schema);
  const entries = entriesOf(schema.properties).filter(([name]) =>
    required.includes(name) || random() < 0.6
  );
  // In whatever order, which means nothing in JSON
  const order = entries.map((entry) => ({ entry, at: random() })).sort((a, b) => a.at - b.at);
  return Object.fromEntries(
    order.map(({ entry: [name, one] }) => [name, isObject(one) ? drawValue(one, random) : null]),
  );
}

function objectBreaks(schema: JsonObject): readonly Broken[] {
  const random = seededRandom(2);
  const whole = Object.fromEntries(
    entriesOf(schema.properties).map(([name, one]) => [
      name,
      isObject(one) ? drawValue(one, random) : null,
    ]),
  );
  const without = (left: string) =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => name !== left));
  return [
    ...requiredOf(schema).map((name) => ({ why: `has no ${name}`, value: without(name) })),
    ...schema.additionalProperties === false
      ? ["owner", "Title", "", "__proto__", "constructor"].map((name) => ({
        why: `has a member "${name}"`,
        value: Object.fromEntries([...Object.entries(whole), [name, "x"]]),
      }))
      : [],
    ...entriesOf(schema.properties).flatMap(([name, one]) =>
      isObject(one)
        ? brokenValues(one).map(({ why, value }) => ({
          why: `has a ${name} that ${why}`,
          value: { ...whole, [name]: value },
        }))
        : []
    ),
  ];
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function lengthsOf(
  schema: JsonObject,
  of: "Length" | "Items",
  most: number,
): { readonly min: number; readonly max: number } {
  const { [`min${of}`]: min, [`max${of}`]: max } = schema;
  return { min: typeof min === "number" ? min : 0, max: typeof max === "number" ? max : most };
}

/** The shortest and the longest come often: that is where mistakes are. */
function drawLength(min: number, max: number, random: Random): number {
  const draw = random();
  if (draw < 0.1) return min;
  if (draw < 0.2) return max;
  return min + Math.floor(random() ** 3 * (max - min + 1));
}

function pick<T>(list: readonly T[], random: Random): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new TypeError("Cannot make a value: there is nothing to choose");
  return found;
}

function isUnique(list: readonly unknown[]): boolean {
  return new Set(list.map((one) => JSON.stringify(one))).size === list.length;
}
