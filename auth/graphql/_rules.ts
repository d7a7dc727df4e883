/**
 * The rule of each field: the declarations that count for it, from all three places where they can be made.
 *
 * @module
 */

import type { AuthorizationManager } from "../authorization.ts";
import { bindClasses, unknownType } from "./_class_bindings.ts";
import { readDeclarations } from "./declarations.ts";
import { isCompositeType, isObjectType } from "./_type_kinds.ts";
import type { CompositeTypeLike, FieldLike, SchemaLike } from "./schema_types.ts";
import type { AuthDeclaration, Declaration, ProtectSchemaOptions } from "./types.ts";

/** What a field requires. */
export interface FieldRule {
  /** Declarations of `Authenticated`, in the order of their checks. */
  readonly authenticated: readonly (AuthDeclaration & { readonly kind: "authenticated" })[];
  /** Those of them that require something of the sign-in. */
  readonly stepUps: FieldRule["authenticated"];
  /** Declarations of `Authorize`, in the order of their checks. */
  readonly authorize: readonly (AuthDeclaration & { readonly kind: "authorize" })[];
  /** Scopes that the declarations name. */
  readonly scope: readonly string[] | "any" | undefined;
  /** Decides; else the one of the request's runtime. */
  readonly manager: AuthorizationManager | undefined;
}

/** A field of an object type, and its rule: `public` if it is declared so, `undefined` if nothing is declared. */
export interface PlannedField {
  readonly type: CompositeTypeLike;
  readonly name: string;
  readonly field: FieldLike;
  readonly rule: FieldRule | "public" | undefined;
}

/** What is declared of a type. */
interface TypeDeclarations {
  readonly own: readonly Declaration[];
  readonly fields: ReadonlyMap<string, readonly Declaration[]>;
}

/** Name of the type itself in the option `rules`. */
const WHOLE_TYPE = "*";

/** The rules of all fields. @throws {TypeError} If a declaration is for nothing, or contradicts another one. */
export function planFields(schema: SchemaLike, options: ProtectSchemaOptions): PlannedField[] {
  const types = Object.values(schema.getTypeMap()).filter(isCompositeType)
    .filter(({ name }) => !name.startsWith("__")); // introspection
  const classes = bindClasses(types, options.types);
  checkRules(types, options.rules);
  const declared = new Map(types.map((type) => {
    const rules = ownEntry(options.rules, type.name) ?? {};
    const bound = classes.get(type.name) ?? [];
    const gather = (name: string, extension: unknown, decorated: readonly Declaration[]) => {
      const place = name === WHOLE_TYPE ? type.name : `${type.name}.${name}`;
      const found = [
        ...readOptional(`extensions.auth of ${place}`, extension),
        ...decorated,
        ...readOptional(`rules of ${place}`, ownEntry(rules, name)),
      ];
      if (found.length > 1 && found.some(isPublic) && !found.every(isPublic)) {
        throw new TypeError(
          `Cannot protect schema: ${place} has PublicField() and other declarations`,
        );
      }
      return found;
    };
    const own = gather(WHOLE_TYPE, type.extensions?.auth, bound.flatMap((one) => one.own));
    const fields = Object.entries(type.getFields()).map(([name, { extensions }]) => {
      const decorated = bound.flatMap(({ members }) => members.get(name) ?? []);
      return [name, gather(name, extensions?.auth, decorated)] as const;
    });
    return [type.name, { own, fields: new Map(fields) }] as const;
  }));
  const byDefault = readOptional("default", options.default);
  return types.filter(isObjectType).flatMap((type) =>
    Object.entries(type.getFields()).map(([name, field]) => ({
      type,
      name,
      field,
      rule: ruleOf(effective({ type, name, declared, byDefault }), options.manager),
    }))
  );
}

/** Where a field's declarations come from. */
interface FieldPlace {
  readonly type: CompositeTypeLike;
  readonly name: string;
  readonly declared: ReadonlyMap<string, TypeDeclarations>;
  readonly byDefault: readonly Declaration[];
}

/** In the order of the checks: interfaces, the type, the field. */
function effective({ type, name, declared, byDefault }: FieldPlace): readonly Declaration[] {
  const levels = [...type.getInterfaces(), type].map((one) => {
    const { own, fields } = declared.get(one.name) ?? NOTHING;
    const field = fields.get(name);
    if (field?.some(isPublic)) return field;
    const guards = own.filter((each) => !isPublic(each));
    if (field === undefined) return guards; // an interface without the field opens nothing
    return field.length > 0 ? [...guards, ...field] : own;
  });
  const last = levels.at(-1) ?? [];
  if (last.some(isPublic)) return last;
  const found = levels.flat();
  const guards = found.filter((one) => !isPublic(one));
  if (guards.length > 0) return guards;
  return found.length > 0 ? found : byDefault;
}

const NOTHING: TypeDeclarations = { own: [], fields: /* @__PURE__ */ new Map() };

function ruleOf(
  declarations: readonly Declaration[],
  manager: AuthorizationManager | undefined,
): PlannedField["rule"] {
  if (declarations.length === 0) return undefined;
  const auth = declarations.map((one) => one["~auth"]);
  const authenticated = auth.filter((one) => one.kind === "authenticated");
  const authorize = auth.filter((one) => one.kind === "authorize");
  if (authenticated.length === 0 && authorize.length === 0) return "public";
  const scopes = authenticated.map(({ scope }) => scope).filter((one) => one !== undefined);
  const named = scopes.filter((one) => one !== "any").flat();
  const scope = named.length > 0 ? [...new Set(named)] : scopes.length > 0 ? "any" : undefined;
  const stepUps = authenticated.filter(({ amr, acr, maxAge }) =>
    amr !== undefined || acr !== undefined || maxAge !== undefined
  );
  return { authenticated, stepUps, authorize, scope, manager };
}

/** Whether two rules require the same. */
export function isSameRule(one: FieldRule, other: FieldRule): boolean {
  return one.manager === other.manager &&
    JSON.stringify([one.authenticated, one.scope]) ===
      JSON.stringify([other.authenticated, other.scope]) &&
    one.authorize.length === other.authorize.length &&
    one.authorize.every(({ metadata, allowAnonymous }, i) =>
      metadata === other.authorize[i]?.metadata &&
      allowAnonymous === other.authorize[i]?.allowAnonymous
    );
}

/** A misspelt type or field would stay open. */
function checkRules(
  types: readonly CompositeTypeLike[],
  rules: ProtectSchemaOptions["rules"] = {},
): void {
  for (const [name, fields] of Object.entries(rules)) {
    const type = types.find((one) => one.name === name);
    if (type === undefined) throw unknownType("rules", name);
    const known = type.getFields();
    const unknown = Object.keys(fields)
      .find((field) => field !== WHOLE_TYPE && !Object.hasOwn(known, field));
    if (unknown === undefined) continue;
    throw new TypeError(
      `Cannot protect schema: rules name ${name}.${unknown}, which is not a field`,
    );
  }
}

function readOptional(place: string, value: unknown): readonly Declaration[] {
  return value === undefined ? [] : readDeclarations(place, value);
}

function ownEntry<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

function isPublic({ "~auth": { kind } }: Declaration): boolean {
  return kind === "public";
}
