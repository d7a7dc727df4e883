/**
 * HTML whose values are escaped, whatever they are.
 *
 * @module
 */

/** Markup that `html` returned. */
export interface Html {
  /** The markup. A symbol, so that no parsed JSON can pass for it. */
  readonly [MARKUP]: string;
}

/** Values of a template. `undefined` renders nothing. */
export type HtmlValue = string | number | undefined | Html | readonly Html[];

const MARKUP: unique symbol = Symbol("markup");

/** A template tag: values are escaped, for text and for quoted attributes; markup from another tag is kept. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { [MARKUP]: String.raw({ raw: strings }, ...values.map(render)) };
}

/** Status and header fields of a page. */
export interface HtmlResponseInit {
  /** Status code. @default {200} */
  readonly status?: number;
  /** Header fields. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A response with a page of HTML. */
export function htmlResponse(page: Html, { status = 200, headers }: HtmlResponseInit): Response {
  return new Response(page[MARKUP], {
    status,
    headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
  });
}

function render(value: HtmlValue): string {
  if (value === undefined) return "";
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return MARKUP in value ? value[MARKUP] : value.map(render).join("");
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
