/**
 * A stand-in for jsr.io as Deno asks it: sources, with a manifest for each version. Beside the package it has the parts of
 * `@std` that the package imports, by the stand-ins of `dev/std`.
 *
 * @module
 */

import { listFiles, packageModules, readConfig, ROOT } from "../../dev/_project.ts";
import { type FindSpecifiers, loadSpecifiers, renameSpecifiers } from "../../dev/_specifiers.ts";

/** A registry while it runs. */
export interface JsrRegistry extends AsyncDisposable {
  /** What `JSR_URL` is set to. */
  readonly url: string;
  /** Paths that were asked for. */
  readonly requests: readonly string[];
}

/** Options of {@linkcode serveJsr}. */
export interface JsrRegistryOptions {
  /** A module of the package that is not sent as its manifest describes it. */
  readonly tampered?: string;
}

/** A package of one version. */
interface JsrPackage {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  /** Texts by their paths, which start with a slash. */
  readonly files: ReadonlyMap<string, string>;
}

/** Serves the package as `deno publish` uploads it. */
export async function serveJsr({ tampered }: JsrRegistryOptions = {}): Promise<JsrRegistry> {
  const find = await loadSpecifiers();
  const packages = [ownPackage(find), ...stdNames().map((name) => stdPackage(name, find))];
  const texts = new Map<string, string>();
  for (const one of packages) {
    const base = `/${one.name}/`;
    texts.set(`${base}meta.json`, JSON.stringify(metaOf(one)));
    texts.set(`${base}${one.version}_meta.json`, JSON.stringify(await manifestOf(one)));
    for (const [path, text] of one.files) texts.set(`${base}${one.version}${path}`, text);
  }
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    const text = texts.get(pathname);
    if (text === undefined) return new Response("not found", { status: 404 });
    const changed = tampered !== undefined && pathname.endsWith(`/${tampered}`);
    return new Response(changed ? `${text}\n` : text);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The modules of the package, with imports as `deno publish` writes them. */
function ownPackage(find: FindSpecifiers): JsrPackage {
  const { name, version, exports, imports } = readConfig();
  const files = new Map(
    packageModules().map((path) => {
      const text = Deno.readTextFileSync(`${ROOT}/${path}`);
      return [
        `/${path}`,
        renameSpecifiers(text, find(path, text), (one) => unmapped(one, imports)),
      ];
    }),
  );
  return { name, version, exports, files };
}

/** A name as the import map has it: `hono/request` is `npm:hono@^4.13.19/request`. */
function unmapped(name: string, imports: Readonly<Record<string, string>>): string | undefined {
  const key = Object.keys(imports).find((key) => name === key || name.startsWith(`${key}/`));
  return key === undefined ? undefined : `${imports[key]}${name.slice(key.length)}`;
}

/** The packages of `@std` that modules of the package import; tests import one more. */
function stdNames(): string[] {
  return [...Deno.readDirSync(`${ROOT}/dev/std`)].map(({ name }) => name);
}

function stdPackage(folder: string, find: FindSpecifiers): JsrPackage {
  const root = `dev/std/${folder}`;
  const { name, version } = JSON.parse(Deno.readTextFileSync(`${ROOT}/${root}/deno.json`));
  const files = new Map(
    listFiles(root).filter((path) => path.endsWith(".ts")).map((path) => {
      const text = Deno.readTextFileSync(`${ROOT}/${path}`);
      return [path.slice(root.length), renameSpecifiers(text, find(path, text), () => undefined)];
    }),
  );
  return { name, version, exports: { ".": "./mod.ts" }, files };
}

/** https://jsr.io/docs/api#package-version-metadata, and the one above it. */
function metaOf({ name, version }: JsrPackage): Record<string, unknown> {
  const [scope, own] = name.slice(1).split("/");
  return { scope, name: own, latest: version, versions: { [version]: {} } };
}

async function manifestOf({ exports, files }: JsrPackage): Promise<Record<string, unknown>> {
  const manifest: Record<string, { size: number; checksum: string }> = {};
  for (const [path, text] of files) {
    const bytes = new TextEncoder().encode(text);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    manifest[path] = { size: bytes.length, checksum: `sha256-${digest.toHex()}` };
  }
  return { manifest, exports };
}
