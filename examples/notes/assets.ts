/**
 * The files in `assets/`: styles and scripts.
 *
 * @module
 */

import { packageStaticAssets, type StaticAssetOptions } from "@gatehouse/http/native";
import { fromFileUrl } from "@std/path";

/** The folder of the files. */
const DIRECTORY = fromFileUrl(new URL("assets", import.meta.url));

/** Serves the files in their current state, for development. */
export const LIVE_ASSETS: StaticAssetOptions = { directory: DIRECTORY, live: true };

/**
 * Packages the files, and serves the package: what is served is what the service was started with.
 *
 * @param outputDir Folder that the package is written to, if the files have changed since.
 */
export async function packagedAssets(outputDir: string): Promise<StaticAssetOptions> {
  const { files: [manifest] } = await packageStaticAssets({
    directory: DIRECTORY,
    outputDir,
    compress: true,
  });
  return { directory: DIRECTORY, manifest, cacheControl: "no-cache" };
}
