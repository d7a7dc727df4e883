/**
 * The files of the documentation page that are its own: markup, script and style.
 *
 * @module
 */

/** What the page is written from. */
export interface DocsPageParts {
  readonly title: string;
  /** The path of the files, relative to the page: `./docs/`. */
  readonly base: string;
  readonly csrf: string | undefined;
  readonly persistAuthorization: boolean;
}

/** Scripts and styles are files beside the page, and requests go nowhere else. Icons in the style sheet are `data:`. */
export const CONTENT_SECURITY_POLICY: string = "default-src 'none'; script-src 'self'; " +
  "style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; " +
  "base-uri 'none'; frame-ancestors 'none'";

/** The page. What varies reaches its script as data attributes, so that no script is inline. */
export function docsMarkup({ title, base, csrf, persistAuthorization }: DocsPageParts): string {
  const path = escapeHtml(base);
  const settings = `data-url="${path}openapi.json"` +
    (csrf === undefined ? "" : ` data-csrf="${escapeHtml(csrf)}"`) +
    (persistAuthorization ? " data-persist" : "");
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${path}swagger-ui.css">
    <link rel="stylesheet" href="${path}docs.css">
    <script src="${path}swagger-ui-bundle.js" defer></script>
    <script src="${path}docs.js" ${settings} defer></script>
  </head>
  <body>
    <main id="docs"></main>
    <noscript>
      This page needs JavaScript; the <a href="${path}openapi.json">OpenAPI document</a> does not.
    </noscript>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/**
 * Starts the renderer. The row of an operation has its method and path already, so a summary of these is left out. With
 * `csrf`, requests that change state get a token, and nobody has to fill it in.
 */
export const DOCS_SCRIPT = `const { url, csrf, persist } = document.currentScript.dataset;

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(\`\${path} responded with \${response.status}\`);
  return await response.json();
}

async function addToken(request) {
  const { origin } = new URL(request.url, location.href);
  if (/^(?:get|head|options)$/i.test(request.method ?? "get") || origin !== location.origin) {
    return request;
  }
  const { csrfToken, header } = await read(csrf);
  request.headers[header] = csrfToken;
  return request;
}

async function start() {
  const spec = await read(url);
  const header = csrf === undefined ? undefined : (await read(csrf)).header.toLowerCase();
  for (const [path, item] of Object.entries(spec.paths ?? {})) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.summary === \`\${method.toUpperCase()} \${path}\`) delete operation.summary;
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in === "header" && parameter.name.toLowerCase() === header) {
          parameter.required = false;
        }
      }
    }
  }
  const { specActions } = SwaggerUIBundle({
    spec,
    dom_id: "#docs",
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    persistAuthorization: persist !== undefined,
    validatorUrl: null,
    ...(csrf === undefined ? {} : { requestInterceptor: addToken }),
  });
  specActions.updateUrl(new URL(url, location.href).pathname); // for the link below the title
}

start().catch((error) => {
  document.querySelector("#docs").textContent = \`Cannot show the document: \${error.message}\`;
});
`;

/** What the renderer's style sheet leaves out: both color schemes around it, and narrow screens. */
export const DOCS_STYLE = `:root {
  color-scheme: light;
}
:root.dark-mode {
  color-scheme: dark;
}
body {
  font: 1rem/1.5 system-ui, sans-serif;
  margin: 0;
}
noscript {
  display: block;
  padding: 1rem 20px;
}
.swagger-ui .info {
  margin: 1.5rem 0;
}
.swagger-ui .response-col_links {
  display: none;
}
.swagger-ui .btn.try-out__btn {
  margin-left: 0.5rem;
  padding: 5px 0.75rem;
}
@media (max-width: 640px) {
  .swagger-ui .opblock-tag {
    flex-wrap: wrap;
  }
  .swagger-ui .opblock-tag small {
    flex-basis: 100%;
    order: 1;
    padding: 0.25rem 0;
  }
}
`;
