/**
 * The style sheet of the built-in pages, and its hash for `Content-Security-Policy`.
 *
 * @module
 */

/** The content of the pages' one `<style>`. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f4f5f7;
  --card: #fff;
  --ink: #1b1f24;
  --faint: #545d68;
  --line: #d4d9df;
  --edge: #78818c;
  --accent: #0b57d0;
  --on-accent: #fff;
  --warn: #b45309;
  --warn-paper: #fef6e7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b;
    --card: #1c2127;
    --ink: #e7eaee;
    --faint: #a9b2bd;
    --line: #343c46;
    --edge: #8590a0;
    --accent: #8ab4f8;
    --on-accent: #0a1a33;
    --warn: #f5b556;
    --warn-paper: #33291a;
  }
}
*,
*::before,
*::after {
  box-sizing: border-box;
}
body {
  align-items: center;
  background: var(--paper);
  color: var(--ink);
  display: flex;
  flex-direction: column;
  font: 1rem/1.5 system-ui, sans-serif;
  margin: 0;
  min-height: 100vh;
  min-height: 100svh;
  padding: 1rem;
}
body::before,
body::after {
  content: "";
  flex: 1 0 0;
}
body::after {
  flex-grow: 2;
}
main {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  overflow: hidden;
  overflow-wrap: anywhere;
  padding: 1.5rem;
}
main,
form {
  max-width: 28rem;
  width: 100%;
}
h1 {
  font-size: 1.5rem;
  line-height: 1.2;
  margin: 0;
}
p {
  margin: 0.5rem 0 0;
}
a {
  color: var(--accent);
}
:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}
.request {
  font-size: 1.0625rem;
  overflow: hidden;
}
.home {
  margin: 0;
}
.home a {
  display: inline-block;
  padding: 0.375rem 0;
}
.reason {
  color: var(--faint);
  font-size: 0.875rem;
  margin-top: 1rem;
}
fieldset {
  border: 0;
  border-top: 1px solid var(--line);
  margin: 1rem 0 -0.5rem;
  min-width: 0;
  padding: 1rem 0 0;
}
legend {
  float: left;
  font-weight: 600;
  padding: 0;
  width: 100%;
}
.scope {
  clear: both;
  column-gap: 0.75rem;
  display: flex;
  min-height: 2.75rem;
  padding: 0.625rem 0;
}
label.scope {
  cursor: pointer;
}
.scope input,
.tick {
  flex: none;
  height: 1.25rem;
  margin: 0.125rem 0 0;
  width: 1.25rem;
}
.scope input {
  accent-color: var(--accent);
}
.tick::before {
  border: solid var(--faint);
  border-width: 0 0.125rem 0.125rem 0;
  content: "";
  display: block;
  height: 0.8125rem;
  margin: 0.0625rem auto 0;
  transform: rotate(45deg);
  width: 0.4375rem;
}
.target {
  border-top: 1px solid var(--line);
  margin-top: 1rem;
  padding-top: 1rem;
}
.warning {
  background: var(--warn-paper);
  border-inline-start: 4px solid var(--warn);
  margin-top: 0.75rem;
  overflow: hidden;
  padding: 0.75rem 1rem;
}
.code {
  font-family: ui-monospace, monospace;
  white-space: nowrap;
}
input.code {
  background: transparent;
  border: 1px solid var(--edge);
  border-radius: 0.375rem;
  color: inherit;
  font-size: 1.5rem;
  letter-spacing: 0.125em;
  margin-top: 0.5rem;
  min-height: 2.75rem;
  padding: 0.375rem 0.75rem;
  text-transform: uppercase;
  width: 100%;
}
.actions {
  display: grid;
  gap: 0.75rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr));
  margin-top: 1.25rem;
}
button {
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: 0.375rem;
  color: var(--on-accent);
  cursor: pointer;
  font: inherit;
  font-weight: 600;
  min-height: 2.75rem;
  padding: 0.5rem 1rem;
}
.quiet {
  background: transparent;
  border-color: var(--edge);
  color: var(--ink);
}
`;

/** The hash of {@linkcode STYLE} in CSP's notation. A constant, so that pages are made without waiting; a test computes it again. */
export const STYLE_HASH = "sha256-92UkPwApHhmTAZ4IWHZ1CTXgqu9zke3O6+fDeEaresM=";
