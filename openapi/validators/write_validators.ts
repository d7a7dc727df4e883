/**
 * Writes a module of validators: compiled checks of what routes are sent, without dependencies.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import type { RequestPart } from "../_schema_sources.ts";
import { definitionsOf } from "./_json_types.ts";
import { helpersCode } from "./_helpers.ts";
import { createModuleParts, literal, type ModuleParts } from "./_module_parts.ts";
import { createCheckContext } from "./_schema_checks.ts";
import { isAnyText, pascal, textReaders } from "./_text_readers.ts";

/** A route whose requests are checked. */
export interface ValidatedRoute {
  /** Its method and its full pattern: `POST /orders/:id`. */
  readonly key: string;
  /** The schema of a part, as the compiler writes it; `undefined` if nothing is to check it. @throws {TypeError} If its type has none. */
  schemaOf(part: RequestPart): SchemaObject | undefined;
}

/** A module, and how many routes it has validators for. */
export interface ValidatorsModule {
  readonly text: string;
  readonly routes: number;
}

const HEAD =
  `// Written by "gatehouse http openapi generate --validators". Run it again after a change of types.
// deno-fmt-ignore-file
// deno-lint-ignore-file
/* eslint-disable */
`;

/**
 * Writes the module.
 *
 * @throws {TypeError} If there is no check for a schema: one line for each route.
 */
export function writeValidators(routes: readonly ValidatedRoute[]): ValidatorsModule {
  const parts = createModuleParts();
  const errors: string[] = [];
  const entries = new Map<string, string>();
  for (const route of routes) {
    const { key } = route;
    try {
      const code = entryCode(route, parts);
      if (code === undefined) continue;
      if (entries.has(key) && entries.get(key) !== code) {
        throw new TypeError(
          "another route has the same method and path; add a schema to one of them",
        );
      }
      entries.set(key, code);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      errors.push(`  ${key}: ${error.message}`);
    }
  }
  if (errors.length > 0) throw new TypeError(`Cannot write validators:\n${errors.join("\n")}`);
  const own = parts.text();
  const lines = [...entries].map(([key, code]) => `  ${literal(key)}: ${code},\n`);
  const sections = [
    HEAD,
    helpersCode(parts.helpers) + "\n",
    own === "" ? "" : own + "\n",
    `/** Validators by method and path, for \`createRouter({ validators })\`. */
export const validators: Readonly<
  Record<string, { readonly body?: Validator; readonly params?: Validator; readonly query?: Validator }>
> = {\n${lines.join("")}};\n`,
  ];
  return { text: sections.filter((one) => one !== "").join("\n"), routes: entries.size };
}

/** The code of a route's validators; `undefined` if its types accept everything. */
function entryCode(
  { key, schemaOf }: ValidatedRoute,
  parts: ModuleParts,
): string | undefined {
  const members = (["body", "params", "query"] as const).flatMap((part) => {
    const schema = schemaOf(part);
    if (schema === undefined) return [];
    const context = createCheckContext(schema, parts);
    if (part === "params" && isAnyText(schema, definitionsOf(schema))) return [];
    const check = parts.call(context.functionOf(schema, pascal(`${key.toLowerCase()} ${part}`)));
    if (check === undefined) return [];
    const readers = part === "body" ? undefined : textReaders(schema, context);
    const code = `validator(${check})`;
    return [`${part}: ${readers === undefined ? code : `read(${readers}, ${code})`}`];
  });
  return members.length === 0 ? undefined : `{ ${members.join(", ")} }`;
}
