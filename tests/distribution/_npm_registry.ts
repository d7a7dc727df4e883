/**
 * A stand-in for npm's registry, and for the one by which JSR serves npm's clients: it has the package, and asks the machine's
 * own registry for all others.
 *
 * @module
 */

import type { TarFile } from "../../dev/_tar.ts";
import { readTarball } from "../../dev/_tar.ts";
import { runProgram } from "./_projects.ts";

/** A registry while it runs. */
export interface NpmRegistry extends AsyncDisposable {
  /** With a slash at the end, as configurations have it. */
  readonly url: string;
  /** Paths of the requests for the package itself. */
  readonly requests: readonly string[];
  /** Has another archive as the same version from now on, which a registry must not do. */
  replace(tarball: Uint8Array<ArrayBuffer>): void;
}

/** Options of {@linkcode serveNpm}. */
export interface NpmRegistryOptions {
  /** What is sent in place of the archive that the registry describes. */
  readonly sent?: Uint8Array<ArrayBuffer>;
}

/** The part of package.json that a registry repeats. */
interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Serves a package from an archive. */
export async function serveNpm(
  tarball: Uint8Array<ArrayBuffer>,
  { sent }: NpmRegistryOptions = {},
): Promise<NpmRegistry> {
  const manifest = readManifest(await readTarball(tarball));
  const upstream = await upstreamUrl();
  const requests: string[] = [];
  let current = tarball;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const url = new URL(request.url);
    const path = decodeURIComponent(url.pathname);
    const archive = `/~/11/${manifest.name}/${manifest.version}.tgz`; // Where JSR has it, too
    if (path === archive) {
      requests.push(path);
      return new Response(sent ?? current);
    }
    if (path === `/${manifest.name}`) {
      requests.push(path);
      return Response.json(await describe(manifest, current, url.origin + archive));
    }
    return await ask(upstream, request);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    requests,
    replace(other) {
      current = other;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The registry's document of a package: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
async function describe(
  manifest: Manifest,
  tarball: Uint8Array<ArrayBuffer>,
  url: string,
): Promise<Record<string, unknown>> {
  const { name, version } = manifest;
  const sha1 = new Uint8Array(await crypto.subtle.digest("SHA-1", tarball)).toHex();
  const sha512 = new Uint8Array(await crypto.subtle.digest("SHA-512", tarball)).toBase64();
  const dist = { tarball: url, shasum: sha1, integrity: `sha512-${sha512}` };
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
    time: { [version]: "2026-01-01T00:00:00.000Z" },
  };
}

/** Sends a request on. Descriptions of packages say themselves where their archives are. */
async function ask(upstream: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { accept = "*/*" } = Object.fromEntries(request.headers);
  const response = await fetch(upstream + pathname.slice(1) + search, { headers: { accept } });
  const type = response.headers.get("content-type") ?? "application/json";
  return new Response(response.body, {
    status: response.status,
    headers: { "content-type": type },
  });
}

/** The registry that this machine's npm is configured for. */
async function upstreamUrl(): Promise<string> {
  const { stdout } = await runProgram("npm", ["config", "get", "registry"]);
  return stdout.trim().replace(/\/?$/, "/");
}

function readManifest(files: readonly TarFile[]): Manifest {
  const file = files.find(({ path }) => path === "package/package.json");
  return JSON.parse(new TextDecoder().decode(file?.bytes)) as Manifest;
}
