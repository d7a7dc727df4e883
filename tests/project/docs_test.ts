/** The README and the pages in docs/: their length, their links, and tables that repeat what the code says. */

import {
  type AuthOptions,
  type AuthRuntime,
  createAuthRoutes,
  createContainer,
  createRouter,
  createTokenRoutes,
  generateOpenAPI,
  inMemoryAuthStores,
  mountAuthRoutes,
  registerAuth,
  type TypedRouter,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { dirname, join, normalize } from "@std/path";
import { ROOT } from "../../dev/_project.ts";

const README = "README.md";
const DOCS = [...Deno.readDirSync(join(ROOT, "docs"))].filter(({ isFile }) => isFile)
  .map(({ name }) => `docs/${name}`).sort();
const SECURITY = "SECURITY.md";
const PAGES = [README, "CONTRIBUTING.md", SECURITY, ...DOCS];

const FENCE_REGEXP = /^```.*\n[\s\S]*?^```$/gm;

function readPage(path: string): string {
  return Deno.readTextFileSync(join(ROOT, path));
}

/** A page without its blocks of code. */
function proseOf(path: string): string {
  return readPage(path).replace(FENCE_REGEXP, "");
}

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(path: string): string[] {
  return [...proseOf(path).matchAll(/^#+ (.+)$/gm)]
    .map(([, text = ""]) => text.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-"));
}

/** The targets of a page's relative links. */
function linksOf(path: string): string[] {
  return [...proseOf(path).replace(/`[^`]*`/g, "").matchAll(/\]\(([^)]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function resolves(page: string, link: string): boolean {
  const [target = "", anchor] = link.split("#");
  const path = target === "" ? page : normalize(join(dirname(page), target));
  try {
    Deno.statSync(join(ROOT, path));
  } catch {
    return false;
  }
  return anchor === undefined || anchorsOf(path).includes(anchor);
}

Deno.test("README.md has at most 280 lines", () => {
  assertEquals(readPage(README).trimEnd().split("\n").length <= 280, true);
});

for (const page of PAGES) {
  Deno.test(`${page} has no line of prose over 120 characters`, () => { // tables and images cannot be wrapped
    const lines = proseOf(page).split("\n").filter((line) => !/^(?:\||!\[)/.test(line));
    assertEquals(lines.filter((line) => line.length > 120), []);
  });

  Deno.test(`${page} has links to files and headings that exist`, () => {
    assertEquals(linksOf(page).filter((link) => !resolves(page, link)), []);
  });
}

/** A path in a code span, without placeholders: `tests/flows/`, `auth/error.ts`. */
const PATH_REGEXP =
  /`((?:auth|dev|docs|examples|openapi|router|static|tests)\/(?:[\w.]+\/)*(?:[\w.]+)?)`/g;

Deno.test("CONTRIBUTING.md names files and folders that exist", () => {
  const paths = [...proseOf("CONTRIBUTING.md").matchAll(PATH_REGEXP)].map(([, path = ""]) => path);
  assertEquals(paths.length > 20, true);
  assertEquals(paths.filter((path) => !resolves("CONTRIBUTING.md", path)), []);
});

Deno.test("SECURITY.md names tests for every promise", () => {
  const [, promised = ""] = readPage(SECURITY).split(/^## What is (?:not )?promised$/m);
  const rows = promised.split("\n").filter((line) => /^\| [A-Z]/.test(line));
  assertEquals(rows.length > 20, true);
  assertEquals(rows.filter((row) => !/\]\(tests\/[\w/]+_test\.ts\) *(?:\||,)/.test(row)), []);
});

Deno.test("README.md links to every page in docs/", () => {
  const linked = linksOf(README).map((link) => normalize(link.split("#")[0] ?? ""));
  assertEquals(DOCS.filter((page) => !linked.includes(page)), []);
});

Deno.test("README.md lists the entries that deno.json exports", () => {
  const { exports } = JSON.parse(readPage("deno.json")) as { exports: Record<string, string> };
  const listed = [...readPage(README).matchAll(/^\| `@gatehouse\/http((?:\/\w+)*)` /gm)]
    .map(([, path]) => `.${path}`);
  assertEquals(listed.sort(), Object.keys(exports).sort());
});

/** A schema of an object, as the documents of these routes have it. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** A body or an answer, as the tables write it: `{ a, b? }`; empty if there are no members. */
function membersOf({ properties = {}, required = [] }: ObjectSchema = {}): string {
  const names = Object.keys(properties).map((name) => required.includes(name) ? name : `${name}?`);
  return names.sort().join();
}

/** What a router says of its routes: method, path, body, status and answer. */
function servedRoutes(router: TypedRouter): string[] {
  const { paths } = generateOpenAPI({ title: "Routes", version: "1.0.0" }, router);
  return Object.entries(paths).flatMap(([path, item]) =>
    (["get", "post"] as const).flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const { requestBody, responses = {} } = operation;
      const status = Object.keys(responses).find((status) => status.startsWith("2")) ?? "";
      return [[
        `${method.toUpperCase()} ${path}`,
        membersOf(schemaOf(requestBody)),
        status,
        membersOf(schemaOf(responses[status])),
      ].join(" | ")];
    })
  ).sort();
}

function schemaOf(described: object | undefined): ObjectSchema | undefined {
  if (described === undefined || !("content" in described)) return undefined;
  const content = described.content as Record<string, { readonly schema?: ObjectSchema }>;
  return content["application/json"]?.schema;
}

/** The same of a page's table, whose rows start with a method and a path. */
function listedRoutes(page: string): string[] {
  const rows = readPage(page).matchAll(
    /^\| `((?:GET|POST) [^`]+)` *\| *(?:`\{([^`]*)\}`|none)? *\| (\d{3})(?: `\{([^`]*)\}`)?/gm,
  );
  return [...rows].map(([, route = "", body, status = "", answer]) =>
    [route, namesOf(body), status, namesOf(answer)].join(" | ")
  ).sort();
}

function namesOf(members = ""): string {
  return members.split(",").map((name) => name.trim()).sort().join();
}

function createRuntime(options: Pick<AuthOptions, "jwt" | "webauthn">): AuthRuntime {
  return registerAuth({
    secret: "a secret that only the tests know, kept",
    stores: inMemoryAuthStores(),
    deployment: "direct",
    container: createContainer(),
    ...options,
  });
}

const runtime = createRuntime({
  jwt: { issuer: "https://notes.example", audience: "https://api.notes.example" },
});

Deno.test("docs/authentication.md lists the routes of createAuthRoutes()", () => {
  const router = mountAuthRoutes(createRouter(), createAuthRoutes({ runtime }), "/auth");
  assertEquals(listedRoutes("docs/authentication.md"), servedRoutes(router));
});

Deno.test("docs/passkeys.md lists the routes that createAuthRoutes() has with passkeys", () => {
  const origins = ["https://example.com"];
  const passkeys = createRuntime({ webauthn: { rpId: "example.com", rpName: "Example", origins } });
  const routesOf = (runtime: AuthRuntime) =>
    createAuthRoutes({ runtime }).map(({ method, path }) => `${method} /auth${path}`);
  const others = routesOf(createRuntime({}));
  const added = routesOf(passkeys).filter((route) => !others.includes(route));
  const listed = [...readPage("docs/passkeys.md").matchAll(/^\| `((?:GET|POST) [^`]+)`/gm)]
    .map(([, route]) => route);
  assertEquals(added.length > 0, true);
  assertEquals(listed.sort(), added.sort());
});

Deno.test("docs/passkeys.md lists the reasons of WebAuthnFailure", () => {
  const [, union = ""] = /^export type WebAuthnFailure =\n([^;]*);$/m
    .exec(readPage("auth/events.ts")) ?? [];
  const reasons = [...union.matchAll(/"(\w+)"/g)].map(([, reason]) => reason);
  const [, table = ""] = readPage("docs/passkeys.md").split("\n| reason ");
  const rows = (table.split("\n\n")[0] ?? "").matchAll(/^\| (`[^|]*) \|/gm);
  const listed = [...rows]
    .flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, reason]) => reason));
  assertEquals(reasons.length > 0, true);
  assertEquals(listed.sort(), reasons.sort());
});

Deno.test("docs/tokens.md lists the routes of createTokenRoutes()", () => {
  const router = mountAuthRoutes(createRouter(), createTokenRoutes({ runtime }), "/tokens");
  assertEquals(listedRoutes("docs/tokens.md"), servedRoutes(router));
});

Deno.test("docs/authentication.md lists the events of AuthEventMap, with their members", () => {
  const [, events = ""] = /^export interface AuthEventMap \{\n([\s\S]*?)^\}$/m
    .exec(readPage("auth/events.ts")) ?? [];
  const emitted = [...events.matchAll(/^ {2}"([\w.]+)": \{([^}]*)\}/gm)].map(
    (
      [, type, members = ""],
    ) => [type, ...[...members.matchAll(/(\w+\??):/g)].map(([, name]) => name)],
  );
  const [, table = ""] = readPage("docs/authentication.md").split("\n| event ");
  const [rows = ""] = table.split("\n\n");
  const listed = [...rows.matchAll(/^\| `([\w.]+)` *\|([^|]*)\|/gm)].map(
    (
      [, type, members = ""],
    ) => [type, ...[...members.matchAll(/`([^`]+)`/g)].map(([, name]) => name)],
  );
  assertEquals(emitted.length > 0, true);
  assertEquals(listed.map(String).sort(), emitted.map(String).sort());
});

Deno.test("docs/stores.md lists the stores of AuthStores, and the collections of authStores()", () => {
  const [, table = ""] = readPage("docs/stores.md").split("\n| store ");
  const [rows = ""] = table.split("\n\n");
  const listed = [...rows.matchAll(/^\| `(\w+)` *\| `(\w+)` *\|/gm)];
  const collections = [...readPage("auth/stores/repo.ts").matchAll(/^ \* \| `(\w+)` \|/gm)];
  const sorted = (found: readonly RegExpExecArray[], at: number) =>
    found.map((row) => row[at]).sort();
  assertEquals(sorted(listed, 1), Object.keys(inMemoryAuthStores()).sort());
  assertEquals(sorted(listed, 2), sorted(collections, 1));
});
