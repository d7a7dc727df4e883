/**
 * One type, checked by the validators that are compared: compiled from JSON Schema by us and by Ajv, and written for Zod and
 * TypeBox. TypeBox only says yes or no, and finds errors in a second walk.
 *
 * @module
 */

import { z } from "zod";
import { writeValidators } from "../openapi/validators/write_validators.ts";
import type { SchemaObject } from "../router/openapi_types.ts";

/** What is compared; one that is locked already, with Elysia, is not locked twice. */
export const PACKAGES = { ajv: "8.20.0", "@sinclair/typebox": "0.34.52" } as const;

/** A validator. @returns The number of issues; one is enough. */
export interface ValidatorContestant {
  readonly name: string;
  readonly validate: (value: unknown) => number;
}

/** An order with so many lines. @param invalid Whether the last line's price is a string. */
export function createOrder(lines: number, invalid: boolean): unknown {
  return {
    customer: { name: "Ada Lovelace", email: "ada@example.com" },
    lines: Array.from({ length: lines }, (_, i) => ({
      sku: `tea-${i}`,
      count: i % 9 + 1,
      price: invalid && i === lines - 1 ? "free" : 4.5,
      ...(i % 3 === 0 ? { note: i % 2 === 0 ? null : "fragile" } : {}),
    })),
    payment: { kind: "card", number: "4111111111111111", expires: [12, 2030] },
    gift: false,
    labels: { source: "web", campaign: "spring" },
  };
}

const text: SchemaObject = { type: "string" };

function objectOf(
  properties: Readonly<Record<string, SchemaObject>>,
  ...optional: string[]
): SchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

/** The schema, as the compiler writes it of a type. */
const ORDER: SchemaObject = {
  ...objectOf({
    customer: objectOf({ name: { type: "string", minLength: 1 }, email: text }),
    lines: { type: "array", items: { $ref: "#/$defs/Line" } },
    payment: { oneOf: [{ $ref: "#/$defs/Card" }, { $ref: "#/$defs/Transfer" }] },
    gift: { type: "boolean" },
    labels: { type: "object", additionalProperties: text },
  }),
  $defs: {
    Line: objectOf({
      sku: { type: "string", pattern: "^[a-z]+-[0-9]+$" },
      count: { type: "integer", minimum: 1, maximum: 1000 },
      price: { type: "number", minimum: 0 },
      note: { type: ["string", "null"] },
    }, "note"),
    Card: objectOf({
      kind: { type: "string", const: "card" },
      number: text,
      expires: {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "number" }],
        minItems: 2,
        maxItems: 2,
      },
    }),
    Transfer: objectOf({ kind: { type: "string", const: "transfer" }, iban: text }),
  },
};

/** The contestants, ours first. */
export async function loadContestants(): Promise<readonly ValidatorContestant[]> {
  return [await ours(), zod(), await typeBox(), await ajv()];
}

async function ours(): Promise<ValidatorContestant> {
  const { text: code } = writeValidators([{
    key: "POST /orders",
    schemaOf: (part) => part === "body" ? ORDER : undefined,
  }]);
  const { validators } = await import(`data:application/typescript,${encodeURIComponent(code)}`);
  const { validate } = validators["POST /orders"].body["~standard"];
  return { name: "Gatehouse, compiled", validate: (value) => validate(value).issues?.length ?? 0 };
}

function zod(): ValidatorContestant {
  const line = z.object({
    sku: z.string().regex(/^[a-z]+-[0-9]+$/),
    count: z.int().min(1).max(1000),
    price: z.number().min(0),
    note: z.string().nullish(),
  });
  const card = z.object({
    kind: z.literal("card"),
    number: z.string(),
    expires: z.tuple([z.number(), z.number()]),
  });
  const order = z.object({
    customer: z.object({ name: z.string().min(1), email: z.string() }),
    lines: z.array(line),
    payment: z.discriminatedUnion("kind", [
      card,
      z.object({ kind: z.literal("transfer"), iban: z.string() }),
    ]),
    gift: z.boolean(),
    labels: z.record(z.string(), z.string()),
  });
  return { name: "Zod 4", validate: (value) => order.safeParse(value).error?.issues.length ?? 0 };
}

async function typeBox(): Promise<ValidatorContestant> {
  const version = PACKAGES["@sinclair/typebox"];
  const { Type } = await import(`npm:@sinclair/typebox@${version}`);
  const { TypeCompiler } = await import(`npm:@sinclair/typebox@${version}/compiler`);
  const line = Type.Object({
    sku: Type.String({ pattern: "^[a-z]+-[0-9]+$" }),
    count: Type.Integer({ minimum: 1, maximum: 1000 }),
    price: Type.Number({ minimum: 0 }),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  });
  const card = Type.Object({
    kind: Type.Literal("card"),
    number: Type.String(),
    expires: Type.Tuple([Type.Number(), Type.Number()]),
  });
  const order = TypeCompiler.Compile(Type.Object({
    customer: Type.Object({ name: Type.String({ minLength: 1 }), email: Type.String() }),
    lines: Type.Array(line),
    payment: Type.Union([
      card,
      Type.Object({ kind: Type.Literal("transfer"), iban: Type.String() }),
    ]),
    gift: Type.Boolean(),
    labels: Type.Record(Type.String(), Type.String()),
  }));
  return {
    name: "TypeBox, TypeCompiler",
    validate: (value) => order.Check(value) ? 0 : [...order.Errors(value)].length,
  };
}

async function ajv(): Promise<ValidatorContestant> {
  const { default: { default: Ajv } } = await import(`npm:ajv@${PACKAGES.ajv}/dist/2020.js`);
  const validate = new Ajv({ strict: false, strictNumbers: true, allErrors: true }).compile(ORDER);
  return { name: "Ajv", validate: (value) => validate(value) ? 0 : validate.errors.length };
}
