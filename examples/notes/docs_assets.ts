/**
 * What the page of the API loads: Swagger UI, as its npm package has it, and what starts it here.
 *
 * @module
 */

/** A file that the page loads. */
export interface DocsAsset {
  /** Media type. */
  readonly type: string;
  /** Gives the text. The package's files are read when somebody asks for them, and need no permission. */
  readonly load: () => string | Promise<string>;
}

/** The files by the name that they have beneath `/docs/`. */
export const DOCS_ASSETS: ReadonlyMap<string, DocsAsset> = new Map([
  ["swagger-ui.css", { type: "text/css; charset=utf-8", load: loadRendererStyle }],
  ["swagger-ui-bundle.js", { type: "text/javascript; charset=utf-8", load: loadRenderer }],
  ["docs.css", { type: "text/css; charset=utf-8", load: () => STYLE }],
  ["docs.js", { type: "text/javascript; charset=utf-8", load: () => START_SCRIPT }],
]);

async function loadRendererStyle(): Promise<string> {
  return (await import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } })).default;
}

async function loadRenderer(): Promise<string> {
  return (await import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } })).default;
}

/**
 * Shows the document in the colors that the reader's system has. Without `validatorUrl: null` the document's address would
 * go to a validator on another site.
 */
const START_SCRIPT = `const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** Besides the frame: no column for links between operations, since there are none, and buttons that fit a phone. */
const STYLE = `:root { color-scheme: light; }
:root.dark-mode { color-scheme: dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
body > nav, noscript {
  box-sizing: border-box;
  display: block;
  margin: 0 auto;
  max-width: 1460px;
  padding: 1rem 20px 0;
}
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .btn.try-out__btn { margin-left: 0.5rem; padding: 5px 0.75rem; }
`;
