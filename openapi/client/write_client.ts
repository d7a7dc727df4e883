/**
 * Writes the client of a document: one module of types and run time.
 *
 * @module
 */

import type { OpenApiDocument } from "../../router/openapi_types.ts";
import { authRoutes, clientRoutes } from "./_routes.ts";
import { JAVASCRIPT, TYPES, TYPESCRIPT } from "./_runtime_text.ts";
import { schemaTypes } from "./_schema_types.ts";
import { docComment, jsonText } from "./_text.ts";
import { typeNames } from "./_type_names.ts";

/** Texts of a client. */
export interface ClientTexts {
  /** The module in TypeScript. */
  readonly typescript: string;
  /** The module in JavaScript. */
  readonly javascript: string;
  /** The types of the module in JavaScript. */
  readonly declarations: string;
  /** Number of its routes. */
  readonly routes: number;
}

/** Tools leave the module as it is. */
const HEADER =
  `// Written by gatehouse http client generate: change the API, and run the command again.
// deno-fmt-ignore-file
// deno-lint-ignore-file
/* eslint-disable */
`;

const CLIENT_TYPES =
  `/** Calls a route. It rejects where \`fetch\` does, and if a successful response is not what the document says. */
export interface Client {
  <Route extends keyof Routes>(
    route: Route,
    ...call: Routes[Route]["call"]
  ): Promise<Routes[Route]["result"]>;
}

/** The data of a route's success. */
export type DataOf<Route extends keyof Routes> = Extract<Routes[Route]["result"], { ok: true }>["data"];
`;

const CREATE_DOC = `/**
 * Creates a client. Every refusal is a value; redirects are not followed.
 *
 * @throws {TypeError} If \`baseUrl\` is invalid, or missing outside of a page.
 */
`;

/**
 * Writes the client of a document.
 *
 * @param declarations Name of the file with the types of the module in JavaScript.
 */
export function writeClient(document: OpenApiDocument, declarations: string): ClientTexts {
  const { info, components } = document;
  const names = typeNames(
    Object.keys(components.schemas ?? {}),
    [CLIENT_TYPES, "Routes AsyncIterable Blob BufferSource Exclude", TYPES, TYPESCRIPT],
  );
  const types = schemaTypes(components, names);
  const routes = clientRoutes(document, types);
  const different = routes.filter(({ content }) => Object.keys(content).length > 0);
  const api = jsonText(
    {
      ...authRoutes(document, types),
      routes: Object.fromEntries(different.map(({ name, content }) => [name, content])),
    },
    2,
  );
  const about = docComment([`Client of ${info.title}.`], "");
  const declared = [
    types.declarations(),
    `/** What each route takes and responds with. */\nexport interface Routes {\n${
      routes.map(({ text }) => text).join("")
    }}\n`,
    CLIENT_TYPES,
    TYPES,
  ];
  return {
    routes: routes.length,
    typescript: [
      HEADER + about,
      ...declared,
      `${CREATE_DOC}export function createClient(options: ClientOptions = {}): Client {
  return connect(API, options) as Client;
}

const API = ${api} as const;

const connect = (() => { // so that the names of its types are free
${TYPESCRIPT}
return connect;
})();
`,
    ].join("\n"),
    javascript: [
      `${HEADER}// @ts-self-types=${jsonText(`./${declarations}`)}\n${about}`,
      `${CREATE_DOC}export function createClient(options = {}) {
  return connect(API, options);
}

const API = ${api};
`,
      JAVASCRIPT,
    ].join("\n"),
    declarations: [
      HEADER + about,
      ...declared,
      `${CREATE_DOC}export declare function createClient(options?: ClientOptions): Client;\n`,
    ].join("\n"),
  };
}
