/**
 * What the static servers serve of packages. It is portable: workerd serves it as well.
 *
 * @module
 */

import { mountStatic, type RouterBuilder, staticFeatures } from "../../mod.ts";
import { corruptPackage, DIRECTORY, packagedOptions, packageOf } from "./static_assets.ts";
import { FEATURE_FILES, FEATURES } from "./static_feature_cases.ts";

/** Answers requests, as every server's adapter wants it. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Adds the mounts of packages to a builder. */
export async function addPackages(builder: RouterBuilder): Promise<RouterBuilder> {
  const options = await packagedOptions();
  const features = staticFeatures(FEATURES);
  return builder
    .static("/features", {
      directory: DIRECTORY,
      package: await packageOf(FEATURE_FILES),
      features,
    })
    .static("/packaged", { ...options, cacheControl: "max-age=60" })
    .static("/through", { ...options, fallthrough: true })
    .static("/corrupt", { directory: DIRECTORY, package: await corruptPackage() });
}

/** The same files without a router. */
export async function bareMount(prefix: string): Promise<Fetch> {
  return mountStatic(prefix, await packagedOptions()).fetch;
}
