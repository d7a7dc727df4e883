/**
 * One set of files, served from a folder and from a package by mounts with features.
 *
 * @module
 */

import {
  mountStatic as mountPackaged,
  type StaticAssetOptions,
  type StaticFeatureOptions,
  staticFeatures,
  type StaticMount,
} from "@gatehouse/http";
import { mountStatic } from "@gatehouse/http/native";
import { dirname, join } from "@std/path";
import { type Contents, get, packageOf } from "../static/_packages.ts";

/** Where the files are. */
export const MODES = ["packaged", "live"] as const;
export type Mode = typeof MODES[number];

/** A mount, and its folder if there is one. */
export interface Site {
  readonly mount: StaticMount;
  readonly folder: string;
  /** Requests a path; without an answer, the status is 0. */
  readonly ask: (
    path: string,
    headers?: Record<string, string>,
    method?: string,
  ) => Promise<SiteResponse>;
}

/** A response, read. */
export interface SiteResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** A header field. */
  readonly field: (name: string) => string | null;
}

/** The time of all files in folders. */
export const MODIFIED = "Sun, 06 Nov 1994 08:49:37 GMT";

/** Serves files while `use` runs. Names that start with a dot exist in the folder only. */
export async function withSite(
  mode: Mode,
  files: Contents,
  features: StaticFeatureOptions,
  use: (site: Site) => Promise<void>,
  options: Partial<StaticAssetOptions> = {},
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "features_" }));
  const root = join(folder, "root");
  try {
    const all = { directory: root, features: staticFeatures(features), ...options };
    if (mode === "live") await writeAll(root, files);
    const visible = Object.entries(files).filter(([key]) => !/(?:^|\/)\./.test(key));
    const mount = mode === "live"
      ? mountStatic("/assets", all)
      : mountPackaged("/assets", { ...all, package: await packageOf(Object.fromEntries(visible)) });
    const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
      const response = await get(mount, path, { method, headers }) ??
        new Response(null, { headers: { "X-Status": "0" } });
      return {
        status: response.headers.has("X-Status") ? 0 : response.status,
        headers: response.headers,
        text: await response.text(),
        field: (name: string) => response.headers.get(name),
      };
    };
    await use({ mount, folder, ask });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function writeAll(root: string, files: Contents): Promise<void> {
  for (const [key, contents] of Object.entries(files)) {
    const path = join(root, key);
    await Deno.mkdir(dirname(path), { recursive: true });
    await (typeof contents === "string"
      ? Deno.writeTextFile(path, contents)
      : Deno.writeFile(path, contents));
    await Deno.utime(path, new Date(MODIFIED), new Date(MODIFIED));
  }
}
