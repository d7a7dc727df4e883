/** What holds of every document, tried on routers that nobody would write. */

import {
  createRouter,
  type EndpointMetadata,
  generateOpenAPI,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type RouteOptions,
  secured,
  type SecurityRequirement,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { RANDOM_ROUTERS as ROUTERS } from "../_effort.ts";
import { type Random, seeded } from "../router/_helpers.ts";
import { answer, INFO, integrationOf, STRATEGIES } from "./_helpers.ts";
import { NAMED, QUERIES, RECURSIVE, ZOD_INPUTS, ZOD_OUTPUTS } from "./_schemas.ts";

const METHODS = ["get", "head", "options", "delete", "all", "post", "put", "patch"] as const;
const LITERALS = ["a", "b", "größe", "a b", "a%2Fb", "x.y", "~c"];
const NAMES = ["id", "path", "c$d", "e-f", "g"];
const EXPRESSIONS = ["", "", "{[0-9]+}", "{a|b}", "{[\\w-.]+}"];
const BODIES = Object.values({ ...ZOD_INPUTS, ...RECURSIVE, ...NAMED });
const RESPONSES = Object.values({ ...ZOD_OUTPUTS, ...RECURSIVE, ...NAMED });
const QUERY_SCHEMAS = Object.values(QUERIES);
const OPERATION_IDS = ["get_a", "get_a_2", "post", "a b"];
const STATUSES = ["200", "201", "204", "303", "304", "404", "4XX", "default", "2xx"];
const SECURITY: readonly (readonly SecurityRequirement[])[] = [
  [],
  secured("session"),
  secured("bearer"),
  [...secured("session"), {}],
  secured("unknown"),
];

/** Whether something that is rare happens. */
function rarely(random: Random, chances: number): boolean {
  return random.below(chances) === 0;
}

/** A pattern, with the names of its parameters. */
function pattern(random: Random): readonly [path: string, names: readonly string[]] {
  const names = new Set<string>();
  const segments = random.list(0, 4, () => {
    const name = random.pick(NAMES);
    if (random.below(2) === 0 || names.has(name)) return random.pick(LITERALS);
    names.add(name);
    return `:${name}${random.pick(EXPRESSIONS)}`;
  });
  const end = random.below(8);
  if (end === 0) segments.push("*");
  if (end === 1 && segments.at(-1)?.startsWith(":")) segments.push(`${segments.pop()}?`);
  return ["/" + segments.join("/"), [...names]];
}

function metadata(random: Random): EndpointMetadata {
  return {
    ...(rarely(random, 4) ? { summary: "A", description: "B" } : {}),
    ...(rarely(random, 12) ? { operationId: random.pick(OPERATION_IDS) } : {}),
    ...(rarely(random, 4)
      ? { responses: Object.fromEntries(random.list(1, 2, () => [random.pick(STATUSES), {}])) }
      : {}),
    ...(rarely(random, 12) ? { parameters: [{ name: random.pick(NAMES), in: "path" }] } : {}),
    ...(rarely(random, 6) ? { parameters: [{ name: "X-A", in: "header" }] } : {}),
    ...(rarely(random, 20) ? { security: random.pick(SECURITY) } : {}),
  };
}

function routeOptions(random: Random, method: string, names: readonly string[]): RouteOptions {
  const hasBody = ["post", "put", "patch"].includes(method);
  const known = names.filter(() => random.below(2) === 0);
  return {
    schema: {
      ...(hasBody && random.below(2) === 0 ? { body: random.pick(BODIES) } : {}),
      ...(random.below(3) === 0 ? { query: random.pick(QUERY_SCHEMAS) } : {}),
      ...(random.below(3) === 0 ? { response: random.pick(RESPONSES) } : {}),
      ...(known.length > 0
        ? {
          params: z.object(Object.fromEntries(known.map((name) => [name, z.string().optional()]))),
        }
        : {}),
    },
    ...(rarely(random, 3) ? { openapi: metadata(random) } : {}),
    ...(rarely(random, 5) ? { auth: false } : {}),
  };
}

function randomRouter(random: Random, depth: number = 0): TypedRouter {
  const router = createRouter(rarely(random, 4) ? { prefix: "/p" } : {});
  const { session, bearer } = STRATEGIES;
  if (rarely(random, 3)) router.withAuth(integrationOf(random.pick([session, bearer])));
  for (const _ of random.list(0, 6, () => 0)) {
    const method = random.pick(METHODS);
    const [path, names] = pattern(random);
    router[method as "get"](path, answer, routeOptions(random, method, names));
  }
  if (depth < 2 && rarely(random, 3)) {
    router.mount(random.pick(["/m", "/:id", "/"]), randomRouter(random, depth + 1));
  }
  return router;
}

/** Every operation, with its path. */
function operations({ paths }: OpenApiDocument): readonly (readonly [string, OperationObject])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => [path, operation] as const)
  );
}

/** Every value of a member of that name. */
function membersCalled(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === name ? [one] : membersCalled(name, one)
  );
}

function check(document: OpenApiDocument): void {
  const found = operations(document);
  const ids = found.map(([, { operationId }]) => operationId);
  assertEquals(ids.length, new Set(ids).size, "operationIds are unique");
  for (const id of ids) assert(/^[\w.~-]+$/.test(id), id);
  const shapes = Object.keys(document.paths).map((path) => path.replace(/\{.+?\}/g, "{}"));
  assertEquals(shapes.length, new Set(shapes).size, "paths differ in more than names");
  for (const [path, operation] of found) {
    const names = [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name);
    const parameters = (operation.parameters ?? []) as readonly ParameterObject[];
    const inPath = parameters.filter((one) => one.in === "path");
    assertEquals(inPath.map(({ name }) => name), names, path);
    assert(inPath.every(({ required }) => required === true), path);
    assert(/^[\w.~!$&'()*+,;=:@%{}/-]*$/.test(path) && !/:\w|\*/.test(path), path);
    assert(operation.summary !== "");
    const statuses = Object.keys(operation.responses);
    assert(statuses.some((status) => /^[23]/.test(status)) && statuses.includes("4XX"));
    const schemes = (operation.security ?? []).flatMap((one) => Object.keys(one));
    for (const name of schemes) assert(document.components.securitySchemes?.[name], name);
  }
  const { schemas = {}, responses = {} } = document.components;
  for (const ref of membersCalled("$ref", document)) {
    if (typeof ref !== "string") continue; // a member of that name
    const [, kind, name = ""] = /^#\/components\/(schemas|responses)\/([\w.-]+)$/.exec(ref) ?? [];
    assert(Object.hasOwn(kind === "schemas" ? schemas : responses, name), ref);
  }
}

/** The document's text, or what it is refused with. */
function write(router: TypedRouter): readonly [text: string | undefined, error: string] {
  try {
    const document = generateOpenAPI(INFO, router);
    check(document);
    return [JSON.stringify(document), ""];
  } catch (error) {
    assert(error instanceof TypeError, String(error));
    return [undefined, error.message];
  }
}

Deno.test(`generateOpenAPI() documents ${ROUTERS} random routers, or says why not`, () => {
  let written = 0;
  for (let seed = 0; seed < ROUTERS; seed++) {
    const [text, error] = write(randomRouter(seeded(seed)));
    const label = `seed ${seed}`;
    assertEquals(write(randomRouter(seeded(seed))), [text, error], label);
    if (text === undefined) {
      const lines = error.split("\n");
      assertEquals(lines[0], "Cannot write the document:", label);
      for (const line of lines.slice(1)) assert(/^ {2}[A-Z]+ \/\S*(?: \S+)*: ./.test(line), line);
      continue;
    }
    written++;
    assertEquals(JSON.stringify(JSON.parse(text)), text, label);
    assert(!/__schema|"nullable":(?:true|false)|undefined/.test(text), label);
  }
  assert(written > ROUTERS / 2, `only ${written} of ${ROUTERS} were written`);
});
