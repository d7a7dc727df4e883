/**
 * The renderer of the documentation: Swagger UI, as its npm package has it.
 *
 * @module
 */

/** A file that the page loads. */
export interface DocsAsset {
  /** Media type. */
  readonly type: string;
  /** Returns the content. The files are imported at the first request, and need no permission. */
  readonly load: () => Promise<string>;
}

/** The files by their name below `/docs/`. */
export const DOCS_ASSETS: ReadonlyMap<string, DocsAsset> = new Map([
  ["swagger-ui.css", { type: "text/css; charset=utf-8", load: loadStyle }],
  ["swagger-ui-bundle.js", { type: "text/javascript; charset=utf-8", load: loadScript }],
]);

async function loadStyle(): Promise<string> {
  return (await import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } })).default;
}

async function loadScript(): Promise<string> {
  return (await import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } })).default;
}
