/**
 * What `static.ts` compares, as functions from a request to a response.
 *
 * @module
 */

import { mountStatic as mountPackaged } from "../router/static_mount.ts";
import { mountStatic } from "../router/builder/native_static.ts";
import type { StaticAssetPackage } from "../static/types.ts";

/** Answers a request for a file right beneath `/assets/`. */
export type FileApp = (request: Request) => Response | Promise<Response>;

/** The files, by the name of their case. */
export const FILES: Readonly<Record<string, number>> = {
  "1k.bin": 1024,
  "64k.bin": 64 * 1024,
  "10m.bin": 10 * 1024 * 1024,
};

/** Reads a file as a whole. */
export type ReadFile = (path: string) => Uint8Array<ArrayBuffer>;

/** Files in memory, by a look into a map: nothing that answers with bytes and a tag does less. */
export function memory(folder: string, readFile: ReadFile): FileApp {
  const files = new Map(
    Object.keys(FILES).map((name, i) => {
      const etag = `"${i}"`;
      const headers: [string, string][] = [
        ["Content-Type", "application/octet-stream"],
        ["ETag", etag],
      ];
      return [`/assets/${name}`, { bytes: readFile(`${folder}/${name}`), etag, headers }];
    }),
  );
  return ({ url, headers: fields }) => {
    const file = files.get(url.slice(url.indexOf("/", 8)));
    if (file === undefined) return new Response(null, { status: 404 });
    const { bytes, etag, headers } = file;
    return fields.get("if-none-match") === etag
      ? new Response(null, { status: 304, headers: [["ETag", etag]] })
      : new Response(bytes, { headers });
  };
}

/** Our mount of a folder. */
export function live(folder: string): FileApp {
  return mountStatic("/assets", { directory: folder }).fetch;
}

/** Our mount of a package of the same files. */
export async function packaged(folder: string, readFile: ReadFile): Promise<FileApp> {
  const entries: Record<string, StaticAssetPackage["entries"][string]> = {};
  for (const [name, size] of Object.entries(FILES)) {
    const bytes = readFile(`${folder}/${name}`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    entries[name] = {
      contentType: "application/octet-stream",
      size,
      hash,
      etag: `"${hash}"`,
      encoding: "base64",
      data: btoa(binary),
    };
  }
  return mountPackaged("/assets", { directory: folder, package: { version: 1, entries } }).fetch;
}
