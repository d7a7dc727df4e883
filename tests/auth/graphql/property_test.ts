/** Random schemas, declarations, queries and principals: an oracle of its own says what may leave. */

import {
  Authenticated,
  Authorize,
  type Declaration,
  protectSchema,
  type ProtectSchemaOptions,
  PublicField,
} from "@gatehouse/http/auth/graphql";
import {
  authorizationAllowed,
  authorizationDenied,
  type PrincipalInit,
} from "@gatehouse/http/auth";
import { assertEquals } from "@std/assert";
import { RANDOM_SCHEMAS } from "../../_effort.ts";
import { createUsers, QUIET, run, VERSIONS } from "./_schemas.ts";

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const INTERFACES = ["I0", "I1"] as const;
const TYPES = ["T0", "T1", "T2", "T3"] as const;
const INHERITED = { I0: ["a", "b"], I1: ["b", "c"] } as const;
/** Values of objects: leaves, and the ways to other objects. */
const LEAVES = ["a", "b", "c", "d"];
const LINKS = ["one", "list", "any", "node"];

/** What a declaration requires, in the oracle's words. */
type Need = "nobody" | "user" | "mfa" | "scope" | "editor" | "anyone-allowed";

const DECLARATIONS: Readonly<Record<Need, () => Declaration>> = {
  nobody: () => PublicField(),
  user: () => Authenticated(),
  mfa: () => Authenticated({ amr: ["mfa"] }),
  scope: () => Authenticated({ scope: ["read"] }),
  editor: () => Authorize("editor"),
  "anyone-allowed": () => Authorize("anyone", { allowAnonymous: true }),
};
const NEEDS = Object.keys(DECLARATIONS) as readonly Need[];

interface Reader {
  readonly why: string;
  readonly sub?: string;
  readonly init?: Partial<PrincipalInit>;
}

const READERS: readonly Reader[] = [
  { why: "nobody" },
  { why: "an invalid credential", sub: "bad" },
  { why: "a user", sub: "ada", init: {} },
  { why: "a user with mfa", sub: "ada", init: { amr: ["mfa"] } },
  { why: "a key with the scope", sub: "ada", init: { amr: ["mfa"], scope: ["read"] } },
  { why: "a key with another scope", sub: "ada", init: { scope: ["write"] } },
  { why: "an editor", sub: "editor", init: {} },
];

interface World {
  readonly implemented: Readonly<Record<string, readonly (keyof typeof INHERITED)[]>>;
  /** Declared needs by type and field; "*" is the type. */
  readonly declared: Readonly<Record<string, Readonly<Record<string, readonly Need[]>>>>;
  readonly byDefault: readonly Need[];
}

/** The oracle: whether a reader gets the value of a field, by the documentation of protectSchema() and PublicField(). */
function mayRead(
  { implemented, declared, byDefault }: World,
  type: string,
  field: string,
  reader: Reader,
): boolean {
  const own = declared[type] ?? {};
  const isOpen = (needs: readonly Need[] = []) => needs.includes("nobody");
  const byField = own[field] ?? [];
  if (isOpen(byField) || (byField.length === 0 && isOpen(own["*"]))) return true;
  const needs: Need[] = [...own["*"] ?? [], ...byField];
  let isDeclared = needs.length > 0;
  for (const name of implemented[type] ?? []) {
    const parent = declared[name] ?? {};
    const has = (INHERITED[name] as readonly string[]).includes(field);
    const inherited = has ? parent[field] ?? [] : [];
    if (has && (parent["*"] ?? []).length + inherited.length > 0) isDeclared = true;
    if (isOpen(inherited)) continue;
    needs.push(...parent["*"] ?? [], ...inherited);
  }
  const guards = needs.filter((need) => need !== "nobody");
  return passes(
    guards.length > 0 || isDeclared ? guards : byDefault.filter((one) => one !== "nobody"),
    reader,
  );
}

function passes(needs: readonly Need[], { sub, init = {} }: Reader): boolean {
  if (needs.length === 0) return true;
  if (sub === "bad") return false;
  if (sub === undefined) return needs.every((need) => need === "anyone-allowed");
  if (init.scope !== undefined && !(needs.includes("scope") && init.scope.includes("read"))) {
    return false;
  }
  if (needs.includes("mfa") && !init.amr?.includes("mfa")) return false;
  return !needs.includes("editor") || sub === "editor";
}

/** Everything random of one case. */
function createWorld(next: () => number): World {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const implemented = Object.fromEntries(TYPES.map((type) => [
    type,
    INTERFACES.filter(() => next() < 0.5),
  ]));
  const needs = (chance: number): readonly Need[] => {
    if (next() > chance) return [];
    const first = pick(NEEDS);
    return first === "nobody" || next() < 0.7 ? [first] : [first, pick(NEEDS.slice(1))];
  };
  const declared = Object.fromEntries(["Query", ...INTERFACES, ...TYPES].map((type) => {
    const fields = type in INHERITED
      ? INHERITED[type as keyof typeof INHERITED]
      : type === "Query"
      ? ["one", "list", "any"]
      : [...LEAVES, ...LINKS];
    const rows = fields.map((field) => [field, needs(0.25)]);
    return [type, Object.fromEntries([["*", needs(type === "Query" ? 0.1 : 0.3)], ...rows])];
  }));
  return { implemented, declared, byDefault: needs(0.3) };
}

function sdlOf({ implemented }: World): string {
  const links = "one: T0 list: [T1] any: U node: I0";
  const types = TYPES.map((type) => {
    const all = implemented[type] ?? [];
    const parents = all.length > 0 ? ` implements ${all.join(" & ")}` : "";
    return `type ${type}${parents} { a: String b: String c: String d: String ${links} }`;
  });
  return `interface I0 { a: String b: String } interface I1 { b: String c: String }
    union U = ${TYPES.join(" | ")} ${types.join("\n")} type Query { one: T2 list: [I1] any: U }`;
}

/** An object graph: every leaf is a marker. */
function createObject(
  { implemented }: World,
  type: string,
  depth: number,
): Record<string, unknown> {
  const object: Record<string, unknown> = { __typename: type };
  for (const leaf of LEAVES) {
    object[leaf] = depth % 2 === 0 ? `${type}.${leaf}` : () => Promise.resolve(`${type}.${leaf}`);
  }
  if (depth === 0) return object;
  const below = (each: string) => createObject({ implemented } as World, each, depth - 1);
  const nodes = TYPES.filter((each) => implemented[each]?.includes("I0"));
  return {
    ...object,
    one: below("T0"),
    list: [below("T1"), below("T1")],
    any: below("T3"),
    node: nodes[0] === undefined ? null : below(nodes[0]),
  };
}

/** Selections of everything, with fragments, aliases and directives at random. */
function selection(next: () => number, world: World, depth: number): string {
  const fragments = TYPES.map((type) => {
    const leaves = LEAVES.filter(() => next() < 0.8).map((leaf) =>
      next() < 0.3 ? `${type}_${leaf}: ${leaf}` : next() < 0.2 ? `${leaf} @include(if: true)` : leaf
    );
    const links = depth === 0
      ? []
      : LINKS.filter(() => next() < 0.2).map((link) =>
        `${type}_${link}: ${link} { ${selection(next, world, depth - 1)} }`
      );
    return `... on ${type} { __typename ${[...leaves, ...links].join(" ")} }`;
  });
  const inherited = INTERFACES.map((name) => `... on ${name} { ${name}_b: b }`);
  return [...fragments, ...inherited].join(" ");
}

/** What a reader may see of the answer without guards: the rest is `null`. Aliases end in `_` and the name of the field. */
function visible(world: World, reader: Reader, answered: unknown, type = "Query"): unknown {
  if (Array.isArray(answered)) return answered.map((each) => visible(world, reader, each, type));
  if (typeof answered !== "object" || answered === null) return answered;
  const { __typename: own = type, ...members } = answered as Record<string, unknown>;
  const entries = Object.entries(members).map(([alias, value]) => {
    const field = alias.slice(alias.lastIndexOf("_") + 1);
    return [
      alias,
      mayRead(world, String(own), field, reader) ? visible(world, reader, value) : null,
    ];
  });
  return {
    ...("__typename" in answered ? { __typename: own } : {}),
    ...Object.fromEntries(entries),
  };
}

/** Runs one case on both versions. */
async function check(seed: number): Promise<void> {
  const next = random(seed);
  const world = createWorld(next);
  const query = `{ one { ${selection(next, world, 1)} } list { ${
    selection(next, world, 1)
  } } any { ${selection(next, world, 1)} } }`;
  const nodes = TYPES.filter((type) => world.implemented[type]?.includes("I1"));
  const rootValue = {
    one: createObject(world, "T2", 2),
    list: nodes.map((type) => createObject(world, type, 2)),
    any: createObject(world, "T1", 2),
  };
  const toDeclarations = (needs: readonly Need[]) => needs.map((need) => DECLARATIONS[need]());
  const rules = Object.fromEntries(
    Object.entries(world.declared).map(([type, rows]) => [
      type,
      Object.fromEntries(
        Object.entries(rows).filter(([, needs]) => needs.length > 0)
          .map(([field, needs]) => [field, toDeclarations(needs)]),
      ),
    ]),
  );
  const options: ProtectSchemaOptions = {
    rules,
    default: toDeclarations(world.byDefault),
    manager: {
      authorize: (principal, { metadata }) =>
        metadata === "anyone" || principal?.sub === "editor"
          ? next() < 0.5 ? authorizationAllowed() : Promise.resolve(authorizationAllowed())
          : authorizationDenied("not an editor"),
    },
    ...QUIET,
  };
  const users = createUsers();
  for (const version of VERSIONS) {
    const operation = { source: query, rootValue };
    const open = await run(version, version.module.buildSchema(sdlOf(world)), operation);
    const schema = protectSchema(version.module.buildSchema(sdlOf(world)), options);
    for (const reader of READERS) {
      const { why, sub, init } = reader;
      if (sub !== undefined && init !== undefined) users.known.set(sub, init);
      const { data } = await run(version, schema, {
        ...operation,
        contextValue: await users.as(sub),
      });
      assertEquals(
        data,
        visible(world, reader, open.data),
        `seed ${seed}, graphql ${version.name}, ${why}`,
      );
    }
  }
}

Deno.test(`protectSchema() answers what an oracle allows, and nothing else, for ${RANDOM_SCHEMAS} random schemas`, async () => {
  for (let seed = 1; seed <= RANDOM_SCHEMAS; seed++) await check(seed);
});
