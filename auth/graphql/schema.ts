/**
 * `protectSchema` and `assertProtected`.
 *
 * @module
 */

import { rejectUnknownOptions } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import { useSchemaErrors } from "./_error.ts";
import { guardResolver } from "./_guard.ts";
import { type FieldRule, isSameRule, planFields, type PlannedField } from "./_rules.ts";
import { guardStream } from "./_subscription.ts";
import type { FieldResolver, SchemaLike } from "./schema_types.ts";
import type { ProtectSchemaOptions } from "./types.ts";

const ACTION = "Cannot protect schema";

/** The options that each protected schema was protected with, one for each call. */
const PROTECTED: WeakMap<SchemaLike, readonly ProtectSchemaOptions[]> =
  /* @__PURE__ */ new WeakMap();

/** The rules of each guarded function, its inner guards' too; `undefined` for streams of public fields. */
const GUARDED: WeakMap<FieldResolver, readonly (FieldRule | undefined)[]> =
  /* @__PURE__ */ new WeakMap();

/**
 * Guards the fields of a schema, in place: of every object type, by what decorators, `extensions.auth` and the option `rules`
 * declare. The declarations of a field are those of the interfaces of its type, of the type, and of the field; all of them count.
 * {@linkcode PublicField} opens one field. Without a declaration, a field requires the option `default`, or nothing.
 *
 * Call it last, after everything that replaces resolvers. Calling it again guards what was added or replaced since, and never
 * opens anything. What is printed of the schema does not change. Works with `graphql` 16 and 17.
 *
 * @returns The same schema.
 * @throws {TypeError} If a declaration is for a type, field or class that does not exist, two contradict each other, or an
 * option is unknown or of a wrong shape.
 *
 * @example
 * ```ts
 * import { buildSchema, graphql } from "graphql";
 * import { apiKeyService, apiKeyStrategy, inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { Authenticated, createAuthContext, protectSchema } from "@gatehouse/http/auth/graphql";
 * import { assertEquals } from "@std/assert";
 *
 * const schema = protectSchema(buildSchema("type Query { hello: String, me: String }"), {
 *   rules: { Query: { me: Authenticated() } },
 *   warn: () => {},
 * });
 * const strategy = apiKeyStrategy({ apiKeys: apiKeyService(inMemoryAuthStores()) });
 * const contextOf = createAuthContext({ strategy });
 *
 * const result = await graphql({
 *   schema,
 *   source: "{ hello me }",
 *   rootValue: { hello: "world", me: "ada" },
 *   contextValue: await contextOf(new Request("https://example.com/graphql")),
 * });
 * assertEquals({ ...result.data }, { hello: "world", me: null });
 * assertEquals(result.errors?.[0]?.extensions.code, "UNAUTHENTICATED");
 * ```
 */
export function protectSchema<S extends SchemaLike>(
  schema: S,
  options: ProtectSchemaOptions = {},
): S {
  checkOptions(schema, options);
  const fields = planFields(schema, options);
  const { fieldResolver = readProperty, warn = warnConsole } = options;
  const subscription = schema.getSubscriptionType();
  for (const { type, field, rule } of fields) {
    const required = rule === "public" ? undefined : rule;
    const { resolve, subscribe } = field;
    if (required !== undefined && !isGuarded(resolve, required)) {
      field.resolve = guardResolver(required, resolve ?? fieldResolver);
      recordGuard(field.resolve, required, resolve);
    }
    if (type === subscription && !isGuarded(subscribe, required)) {
      const stream = guardStream(required, subscribe ?? fieldResolver);
      field.subscribe = required === undefined ? stream : guardResolver(required, stream);
      recordGuard(field.subscribe, required, subscribe);
    }
  }
  const undeclared = fields.filter(({ rule }) => rule === undefined).length;
  if (undeclared > 0 && !PROTECTED.has(schema)) {
    warn(
      `${undeclared} of ${fields.length} GraphQL fields have no declaration and are public: declare them, or pass the ` +
        "option default to protectSchema()",
    );
  }
  PROTECTED.set(schema, [...PROTECTED.get(schema) ?? [], options]);
  useSchemaErrors(schema);
  return schema;
}

/**
 * Checks that every declared field of a protected schema is guarded: whatever replaces resolvers afterwards, as the loaders of
 * Mercurius do, removes guards. For a test, or the start of the application.
 *
 * @throws {TypeError} If a field is not guarded, or the schema was not protected.
 */
export function assertProtected(schema: SchemaLike): void {
  const calls = PROTECTED.get(schema);
  if (calls === undefined) {
    throw new TypeError("Schema is not protected: call protectSchema() with it");
  }
  const subscription = schema.getSubscriptionType();
  const open = calls.flatMap((options) => planFields(schema, options)).filter(
    ({ type, field, rule }) => {
      const required = rule === "public" ? undefined : rule;
      return !(required === undefined || isGuarded(field.resolve, required)) ||
        !(type !== subscription || isGuarded(field.subscribe, required));
    },
  );
  if (open.length === 0) return;
  throw new TypeError(
    `Schema is not protected: ${
      open.map(nameOf).join(", ")
    } have lost their guard; call protectSchema() last`,
  );
}

function checkOptions(schema: SchemaLike, options: ProtectSchemaOptions): void {
  if (typeof schema?.getTypeMap !== "function") {
    throw new TypeError(`${ACTION}: schema must be a GraphQLSchema`);
  }
  rejectUnknownOptions<ProtectSchemaOptions>(ACTION, options, {
    rules: true,
    types: true,
    default: true,
    manager: true,
    fieldResolver: true,
    warn: true,
  });
  const { manager } = options;
  if (manager !== undefined && typeof manager?.authorize !== "function") {
    throw new TypeError(`${ACTION}: the authorization manager has no authorize()`);
  }
}

function recordGuard(
  guard: FieldResolver,
  rule: FieldRule | undefined,
  inner: FieldResolver | undefined | null,
): void {
  GUARDED.set(guard, [...(inner && GUARDED.get(inner)) ?? [], rule]);
}

/** Whether a function has the guard of a rule. */
function isGuarded(
  resolver: FieldResolver | undefined | null,
  rule: FieldRule | undefined,
): boolean {
  const rules = (resolver && GUARDED.get(resolver)) ?? [];
  return rule === undefined
    ? rules.length > 0
    : rules.some((one) => one !== undefined && isSameRule(one, rule));
}

/** What GraphQL.js does for a field without a resolver. */
const readProperty: FieldResolver = (source, args, context, info) => {
  if ((typeof source !== "object" && typeof source !== "function") || source === null) {
    return undefined;
  }
  const value = source[info.fieldName];
  return typeof value === "function" ? source[info.fieldName](args, context, info) : value;
};

function nameOf({ type, name }: PlannedField): string {
  return `${type.name}.${name}`;
}
