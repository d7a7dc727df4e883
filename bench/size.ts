/**
 * What reaches a browser's or a worker's cold start: the size of one small application, bundled, minified and packed,
 * by the router it is made with, of tokens alone, and of signing in. `deno task bench:size` fails if ours, with the router
 * alone, or what passkeys add, is over its target.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { ESBUILD } from "../tests/runtimes/versions.ts";
import { VERSIONS } from "./_apps.ts";
import { type Esbuild, installPeers, measureSize, type Size, type Stubs } from "./_bundle_size.ts";
import { JOSE } from "./_jwt_contestants.ts";
import { PEER } from "./passkeys.ts";
import { kibibytes, table } from "./_table.ts";

/** Most bytes, packed by gzip, of the router alone, and of what passkeys add to an application. */
const TARGET = 10 * 1024;
/** The same of the clients of two providers; their routes and accounts come on top. */
const OAUTH_TARGET = 12 * 1024;
const TARGET_NAME = "gatehouse, router only";

/** The same application on each: a parameter in, JSON out. Ours is written for each entry that exists. */
const APPLICATIONS: readonly (readonly [name: string, source: string])[] = [
  [TARGET_NAME, ours("router/mod.ts")],
  ["gatehouse, mod.ts", ours("mod.ts")],
  ["gatehouse, all of mod.ts", `export * from ${projectPath("mod.ts")};`],
  ["hono", honoFrom("hono")],
  ["hono/tiny", honoFrom("hono/tiny")],
  [
    "itty-router",
    `import { AutoRouter } from "itty-router";
     export default AutoRouter().get("/hello/:name", ({ params }) => ({ hello: params.name }));`,
  ],
  [
    "h3",
    `import { H3 } from "h3";
     export default new H3().get("/hello/:name", ({ context }) => ({ hello: context.params.name }));`,
  ],
  [
    "elysia",
    `import { Elysia } from "elysia";
     export default new Elysia().get("/hello/:name", ({ params }) => ({ hello: params.name }));`,
  ],
];

/** Signing and verifying tokens. Ours takes sets of keys as it is. */
const TOKENS: readonly (readonly [name: string, source: string])[] = [
  [
    "gatehouse, auth/jwt/jwt.ts",
    `export { signJwt, verifyJwt } from ${projectPath("auth/jwt/jwt.ts")};`,
  ],
  ["gatehouse, verifyJwt alone", `export { verifyJwt } from ${projectPath("auth/jwt/jwt.ts")};`],
  ["jose, jwtVerify and SignJWT", `export { jwtVerify, SignJWT } from "jose";`],
  [
    "jose, with createLocalJWKSet",
    `export { createLocalJWKSet, jwtVerify, SignJWT } from "jose";`,
  ],
  ["jose, jwtVerify alone", `export { jwtVerify } from "jose";`],
];

/** An application that signs in with passwords, and by an option with passkeys. */
const SIGNING_IN = `
  import { createContainer, createRouter, inMemoryAuthStores, json, registerAuth } from ${
  projectPath("mod.ts")
};
  const runtime = registerAuth({
    secret: SECRET,
    stores: inMemoryAuthStores(),
    deployment: "direct",
    container: createContainer(),
    webauthn: { rpId: "example.com", rpName: "Example", origins: ["https://example.com"] },
  });
  export default createRouter().withAuth(runtime.integration()).get("/me", (req) => json(req.principal.sub));`;

/** The list of common passwords is a file of its own where a bundler splits code. */
const WITHOUT_LIST: Stubs = {
  "auth/password/_common_passwords.ts": "export const commonPasswords = [];",
};

/** The entries to sign-in with providers. */
const WITHOUT_OAUTH: Stubs = {
  ...WITHOUT_LIST,
  "auth/oauth/identities.ts": "export const identityService = () => undefined;",
  "auth/http/_oauth_options.ts": "export const readOAuthOptions = () => undefined;",
  "auth/http/_oauth_routes.ts": "export const oauthRoutes = () => [];",
};

/** The entries to passkeys, too. */
const WITHOUT_PASSKEYS: Stubs = {
  ...WITHOUT_OAUTH,
  "auth/webauthn/service.ts": "export const webAuthnService = () => undefined;",
  "auth/http/_webauthn_routes.ts": "export const webAuthnRoutes = () => [];",
};

const PASSWORDS_NAME = "gatehouse, sessions and passwords";
const PASSKEYS_NAME = "gatehouse, and passkeys";
const OAUTH_NAME = "gatehouse, and Google and GitHub";
const CLIENTS_NAME = "gatehouse, and their clients alone";

/** The same application with two providers in place of passkeys. */
const WITH_PROVIDERS = `
  import { createContainer, createRouter, inMemoryAuthStores, json, registerAuth } from ${
  projectPath("mod.ts")
};
  import { github, google, oauthClient } from ${projectPath("auth/oauth/mod.ts")};
  const stores = inMemoryAuthStores();
  const runtime = registerAuth({ secret: SECRET, stores, deployment: "direct", container: createContainer() });
  const at = (name) => ({ states: stores.states, redirectUri: ORIGIN + "/auth/oauth/" + name + "/callback" });
  const oauth = {
    google: oauthClient(google({ clientId: ID, clientSecret: SECRET }), at("google")),
    github: oauthClient(github({ clientId: ID, clientSecret: SECRET }), at("github")),
  };
  const routes = { registration: "open", oauth };
  export default createRouter().withAuth(runtime.integration({ routes })).get("/me", (req) => json(req.principal.sub));`;

/** The application with providers has no passkeys. */
const WITHOUT_WEBAUTHN: Stubs = {
  ...WITHOUT_LIST,
  "auth/webauthn/service.ts": "export const webAuthnService = () => undefined;",
  "auth/http/_webauthn_routes.ts": "export const webAuthnRoutes = () => [];",
};

/** Signing in. What passkeys add is the difference between the first two. */
const SIGN_INS: readonly (readonly [name: string, source: string, stubs?: Stubs])[] = [
  [PASSWORDS_NAME, SIGNING_IN, WITHOUT_PASSKEYS],
  [PASSKEYS_NAME, SIGNING_IN, WITHOUT_OAUTH],
  [OAUTH_NAME, WITH_PROVIDERS, WITHOUT_WEBAUTHN],
  [CLIENTS_NAME, WITH_PROVIDERS, WITHOUT_PASSKEYS],
  [
    "@simplewebauthn/server alone",
    `export { generateAuthenticationOptions, generateRegistrationOptions, verifyAuthenticationResponse,
       verifyRegistrationResponse } from "@simplewebauthn/server";`,
  ],
];

function ours(entry: string): string {
  return `import { createRouter, json } from ${projectPath(entry)};
    export default createRouter().get("/hello/:name", (req) => json({ hello: req.params.name }));`;
}

function honoFrom(entry: string): string {
  return `import { Hono } from ${JSON.stringify(entry)};
    export default new Hono().get("/hello/:name", (c) => c.json({ hello: c.req.param("name") }));`;
}

function projectPath(entry: string): string {
  return JSON.stringify(join(ROOT, entry));
}

/** Percent of a bundle that is Hono's RegExpRouter. */
function regExpRouterShare({ minified, parts }: Size): number {
  const own = parts.filter(([path]) => path.includes("/hono/dist/router/reg-exp-router/"));
  return 100 * own.reduce((sum, [, bytes]) => sum + bytes, 0) / minified;
}

function isThere(source: string): boolean {
  const path = /from "(\/[^"]+)"/.exec(source)?.[1];
  if (path === undefined) return true;
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Prints a Markdown table of KiB. @returns Whether the target is met. */
async function main(): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  const esbuild: Esbuild = await import(ESBUILD);
  try {
    const versions = { ...VERSIONS, ...PEER, jose: JOSE.split("@")[1] ?? "" };
    const packages = await installPeers(folder, versions);
    const measureAll = async (list: typeof SIGN_INS): Promise<readonly Size[]> => {
      const sizes: Size[] = [];
      for (const [name, source, stubs = {}] of list.filter(([, source]) => isThere(source))) {
        sizes.push(await measureSize(esbuild, name, source, { packages, stubs }));
      }
      return sizes;
    };
    const sizes = await measureAll(APPLICATIONS);
    console.log(table(
      ["application", "minified KiB", "gzip KiB", "of it Hono's RegExpRouter"],
      sizes.map((size) => [
        size.name,
        kibibytes(size.minified),
        kibibytes(size.gzip),
        `${regExpRouterShare(size).toFixed(0)} %`,
      ]),
    ));
    const signIns = await measureAll(SIGN_INS);
    for (
      const [title, rows] of [["tokens", await measureAll(TOKENS)], [
        "signing in",
        signIns,
      ]] as const
    ) {
      console.log(`\n${
        table(
          [title, "minified KiB", "gzip KiB"],
          rows.map(({ name, minified, gzip }) => [name, kibibytes(minified), kibibytes(gzip)]),
        )
      }`);
    }
    const own = sizeOf(sizes, TARGET_NAME);
    const passwords = sizeOf(signIns, PASSWORDS_NAME);
    const passkeys = difference("passkeys", sizeOf(signIns, PASSKEYS_NAME), passwords);
    const clients = difference("two providers' clients", sizeOf(signIns, CLIENTS_NAME), passwords);
    const met = [
      reportTarget(own, TARGET),
      reportTarget(passkeys, TARGET),
      reportTarget(clients, OAUTH_TARGET),
    ];
    return met.every((each) => each);
  } finally {
    await esbuild.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

function sizeOf(sizes: readonly Size[], name: string): Size {
  const found = sizes.find((size) => size.name === name);
  if (found === undefined) throw new Error(`Cannot find the size of ${name}`);
  return found;
}

/** What a way to sign in adds, in all and by file. */
function difference(what: string, larger: Size, smaller: Size): Size {
  const known = new Map(smaller.parts);
  return {
    name: `${what}, added to an application that signs in`,
    minified: larger.minified - smaller.minified,
    gzip: larger.gzip - smaller.gzip,
    parts: larger.parts.map(([path, bytes]) => [path, bytes - (known.get(path) ?? 0)] as const),
  };
}

function reportTarget(own: Size, target: number): boolean {
  const met = own.gzip <= target;
  console.log(
    `\n${own.name}: ${kibibytes(own.gzip)} KiB, target ${kibibytes(target)}: ` +
      (met ? "met" : "missed"),
  );
  if (!met) {
    console.error("Its largest parts, minified bytes:");
    for (const [path, bytes] of own.parts.toSorted(([, a], [, b]) => b - a).slice(0, 20)) {
      console.error(`${String(bytes).padStart(6)} ${path.replace(/^.*\/(?=[^/]+\/[^/]+$)/, "")}`);
    }
  }
  return met;
}

if (import.meta.main) Deno.exit(await main() ? 0 : 1);
