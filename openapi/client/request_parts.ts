/**
 * Requests of a generated client: path, query and body.
 *
 * @module
 */

import { isJsonType } from "./response_parts.ts";

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Fills in the parameters of a path: `/notes/{id}`. A value stays one segment, whatever it is; that of the parameter `rest`
 * keeps its slashes.
 *
 * @throws {TypeError} If a value is missing, empty, `.` or `..`: URLs have no way to write these.
 */
export function fillPath(template: string, values: Values | undefined, rest?: string): string {
  return template.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const value = values && Object.hasOwn(values, name) ? String(values[name] ?? "") : "";
    const segments = name === rest ? value.split("/") : [value];
    if (value === "" || segments.some((segment) => /^\.\.?$/.test(segment))) {
      throw new TypeError(
        `Cannot call ${template}: parameter ${name} must not be empty, "." or ".."`,
      );
    }
    return segments.map(encodeURIComponent).join("/");
  });
}

/** A query with its `?`; empty without values. Arrays become parameters of the same name. */
export function queryText(values: Values = {}): string {
  const text = String(searchParams(values));
  return text && `?${text}`;
}

/** The body of a request, and its media type unless that is in the body. */
export function encodeBody(
  body: unknown,
  type = "application/json",
): { readonly body?: BodyInit; readonly type?: string } {
  if (body === undefined) return {};
  if (body instanceof FormData || body instanceof URLSearchParams) return { body };
  if (type === "multipart/form-data") return { body: appendAll(new FormData(), body as Values) };
  if (type === "application/x-www-form-urlencoded") return { body: searchParams(body as Values) };
  if (isJsonType(type)) return { body: JSON.stringify(body), type };
  return { body: body as BodyInit, type };
}

function searchParams(values: Values): URLSearchParams {
  return appendAll(new URLSearchParams(), values);
}

function appendAll<Form extends { append(name: string, value: string & Blob): void }>(
  form: Form,
  values: Values,
): Form {
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) {
      if (one === undefined || one === null) continue;
      form.append(name, one as string & Blob);
    }
  }
  return form;
}
