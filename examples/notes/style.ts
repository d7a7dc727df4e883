/**
 * The style sheet.
 *
 * @module
 */

/** Style of all pages, in light and dark. */
export const STYLE = `:root { color-scheme: light dark; }
body {
  font: 1rem/1.5 system-ui, sans-serif;
  margin: 0 auto;
  max-width: 46rem;
  padding: 1rem;
}
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 2.5rem; }
article { border-top: 1px solid GrayText; padding: 0.5rem 0 1rem; }
article p { overflow-wrap: anywhere; white-space: pre-wrap; }
h3 { margin: 0.5rem 0; overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
input, button { font: inherit; min-height: 2.75rem; padding: 0 0.75rem; }
input { box-sizing: border-box; flex: 1 1 12rem; min-width: 0; }
pre { overflow-x: auto; border: 1px solid GrayText; padding: 0.75rem; }
nav a { display: inline-block; padding: 0.5rem 1rem 0.5rem 0; }
.routes { list-style: none; padding: 0; }
.routes li { margin: 0.25rem 0; overflow-wrap: anywhere; }
.meta { font-size: 0.875rem; }
`;
