/**
 * What the static servers serve of packages. It is portable: workerd serves it as well.
 *
 * @module
 */

import { mountStatic, type RouterBuilder } from "../../mod.ts";
import { corruptPackage, DIRECTORY, packagedOptions } from "./static_assets.ts";

/** Answers requests, as every server's adapter wants it. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Adds the mounts of packages to a builder. */
export async function addPackages(builder: RouterBuilder): Promise<RouterBuilder> {
  const options = await packagedOptions();
  return builder
    .static("/packaged", { ...options, cacheControl: "max-age=60" })
    .static("/through", { ...options, fallthrough: true })
    .static("/corrupt", { directory: DIRECTORY, package: await corruptPackage() });
}

/** The same files without a router. */
export async function bareMount(prefix: string): Promise<Fetch> {
  return mountStatic(prefix, await packagedOptions()).fetch;
}
