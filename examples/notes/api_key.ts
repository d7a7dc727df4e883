/**
 * API keys: the scopes of API clients, and the request that creates a key.
 *
 * @module
 */

import { z } from "zod";

/** Prefix of every key, so that a leaked one shows where it is valid. */
export const API_KEY_PREFIX = "notes";

/** Scopes of API clients. Users with a session have all of them. */
export const SCOPES = ["notes:read", "notes:write"] as const;

/** One of {@linkcode SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** Request of an owner to create a key. */
export interface NewApiKey {
  /** What it is for, 1 to 100 characters. */
  readonly name: string;
  /** What it may do; one or more, none twice. */
  readonly scope: readonly Scope[];
  /** Lifetime in days, up to 400; if absent, valid until it is revoked. */
  readonly expiresInDays?: number | undefined;
}

// deno-lint-ignore no-control-regex -- they are what it refuses
const ONE_LINE_REGEXP = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/;

/** Checks {@linkcode NewApiKey}. */
export const newApiKeySchema: z.ZodType<NewApiKey> = z.strictObject({
  name: z.string().max(100, "Takes 100 characters at most")
    .regex(/\S/, "Needs something that is no space")
    .regex(ONE_LINE_REGEXP, "Takes one line, without control characters")
    .trim()
    .refine((text) => text.isWellFormed(), "Has half a character"),
  scope: z.array(z.enum(SCOPES)).min(1, "Needs one or more")
    .refine((list) => new Set(list).size === list.length, "Has one twice")
    .meta({ uniqueItems: true }),
  expiresInDays: z.int().min(1).max(400).optional(),
}).meta({ id: "NewApiKey" });
