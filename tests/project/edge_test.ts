import { assert, assertEquals } from "@std/assert";
import { globToRegExp, join, toFileUrl } from "@std/path";
import { ROOT, runDeno } from "../../dev/_project.ts";
import * as edge from "../../edge.ts";
import * as router from "../../router/mod.ts";
import * as assets from "../../static/mod.ts";

/** What edge.ts must not load: hosts of WASI components have no key derivation, and people do not sign in there. */
const FORBIDDEN: readonly string[] = [
  "openapi/**",
  "auth/{identifier,derived_keys}.ts",
  "auth/{password,keys,oauth,server,webauthn}/*.ts",
  "auth/http/{register,routes,token_routes,_services}.ts",
  "auth/stores/engines/*.ts",
  "**/native_*.ts",
];

/** What StarlingMonkey, the JavaScript engine of these hosts, does not have; the first is a syntax error at start. */
const MISSING: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["Unicode properties in regular expressions", /\\p\{/],
  ["String.prototype.normalize()", /\.normalize\(/],
  ["URL.canParse()", /canParse\(/],
];

/** The part of `deno info --json` that counts here. */
interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly { readonly code?: { readonly specifier?: string } }[];
  }[];
}

/** Modules of the project that an entry loads, types left out. */
async function loadedBy(entry: string): Promise<string[]> {
  const { stdout } = await runDeno(["info", "--json", entry]);
  const { modules } = JSON.parse(stdout) as Info;
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const root = toFileUrl(join(ROOT, "/")).href;
  const loaded = new Set([root + entry]);
  for (const specifier of loaded) { // a Set's loop visits what is added on the way
    for (const { code } of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (code?.specifier !== undefined) loaded.add(code.specifier);
    }
  }
  return [...loaded].filter((one) => one.startsWith(root)).map((one) => one.slice(root.length));
}

Deno.test("edge.ts loads nothing that edge hosts lack", async () => {
  const loaded = await loadedBy("edge.ts");
  assert(loaded.includes("auth/jwt/jwt.ts"));
  const forbidden = FORBIDDEN.map((glob) => globToRegExp(glob));
  assertEquals(loaded.filter((module) => forbidden.some((glob) => glob.test(module))), []);
  for (const module of loaded) {
    const source = await Deno.readTextFile(join(ROOT, module));
    const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    for (const [what, pattern] of MISSING) {
      assertEquals(pattern.test(code), false, `${module} uses ${what}`);
    }
  }
});

/** What edge.ts leaves to `./router` and `./static`: it names its exports, so that the rest is not bundled. */
const LEFT_OUT: readonly string[] = [
  "All",
  "Controller",
  "Delete",
  "Endpoint",
  "Get",
  "HTTP_ROUTER",
  "Head",
  "HttpRouter",
  "Options",
  "Patch",
  "Post",
  "Put",
  "bunWebSocket",
  "defaultRegistry",
  "staticFeatures",
  "websocket",
];

Deno.test("edge.ts exports all of the router and of static assets but decorators, features and WebSockets", () => {
  const missing = Object.keys({ ...router, ...assets }).filter((name) => !(name in edge));
  assertEquals(missing.sort(), LEFT_OUT);
});
