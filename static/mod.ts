/**
 * Static assets: mounts of packaged files, the registry of packages, and conditional requests. Folders are served and
 * packaged by `@gatehouse/http/native`.
 *
 * @example
 * ```ts
 * import { mountStatic } from "@gatehouse/http/static";
 * import { assertEquals } from "@std/assert";
 *
 * const assets = mountStatic("/assets", { directory: "public" }); // what was registered as "public"
 * const response = await assets.fetch(new Request("http://localhost/assets/..%2Fsecret.txt"));
 * assertEquals(response.status, 403);
 * ```
 *
 * @module
 */

export { mountStatic } from "../router/static_mount.ts";
export { staticFeatures } from "../router/static_features.ts";
export type { StaticFeatureOptions } from "../router/static_features.ts";
export type { ContentCoding } from "./content_coding.ts";
export { registerStaticAssets } from "./registry.ts";
export { verifyStaticAssets } from "./packaged.ts";
export { checkPreconditions } from "./conditional.ts";
export type { ConditionalRequest } from "./conditional.ts";
export { contentTypeOf } from "./content_type.ts";
export type {
  PackagedAsset,
  StaticAssetManifest,
  StaticAssetMetadata,
  StaticAssetOptions,
  StaticAssetPackage,
  StaticFeatures,
  StaticMount,
} from "./types.ts";
