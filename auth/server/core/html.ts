/**
 * HTML whose values are escaped, whatever they are.
 *
 * @module
 */

const MARKUP: unique symbol = Symbol("markup");

/** Markup that {@linkcode html} returned. */
export interface Html {
  /** The markup. A symbol, so that no parsed JSON can pass for it. */
  readonly [MARKUP]: string;
}

/** Values of a template. `undefined` renders nothing. */
export type HtmlValue = string | undefined | Html | readonly Html[];

/** A template tag: strings are escaped, for text and for quoted attributes; markup of another template is kept. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { [MARKUP]: String.raw({ raw: strings }, ...values.map(render)) };
}

/** Markup that is not escaped: a constant of this package, a style sheet or a script. */
export function trustedHtml(markup: string): Html {
  return { [MARKUP]: markup };
}

/** The markup as a string. */
export function htmlText(page: Html): string {
  return page[MARKUP];
}

/** A translated text with its placeholders replaced by markup, in one pass: a client may be called `{host}`. */
export function fillHtml(text: string, values: Readonly<Record<string, Html>>): Html {
  const parts = text.split(PLACEHOLDER_REGEXP).map((part, index) =>
    render(index % 2 === 0 ? part : values[part])
  );
  return { [MARKUP]: parts.join("") };
}

/** Captures the name, so that every second part of a split is one. */
const PLACEHOLDER_REGEXP = /\{(account|client|code|host)\}/;

function render(value: HtmlValue): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escapeHtml(value);
  return MARKUP in value ? value[MARKUP] : value.map(htmlText).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
