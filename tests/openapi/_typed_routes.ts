/**
 * Applications whose routes are documented by their types, each in one run of the command.
 *
 * @module
 */

import type { SchemaObject } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import type { Files } from "./_cli.ts";
import { withTypedProject } from "./compiler/_process.ts";

/** The documentation of a route. */
export interface Told {
  /** Schemas of path parameters. */
  readonly path?: Readonly<Record<string, SchemaObject>>;
  /** Schemas of the query. The name of an optional one has a question mark as suffix. */
  readonly query?: Readonly<Record<string, SchemaObject>>;
  /** Schema of the body. */
  readonly body?: SchemaObject;
  /** Schemas of what the handler sends, by status; `null` for no content. */
  readonly sent: Readonly<Record<string, SchemaObject | null>>;
}

/** A route, as in `GET /a`, the code that adds it, and the expected documentation. */
export type RouteCase = readonly [why: string, route: string, code: string, told: Told];

/** The part of a document that is read here. */
interface TypedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> };
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: SchemaObject }>>;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: SchemaObject;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

/** What an application is made of. */
export interface TypedApplication {
  /** Code before the routes, which are added to `router`. */
  readonly before: string;
  readonly files?: Files;
  readonly flags?: readonly string[];
}

/** Everything that applications of tests import. */
export const TYPED_IMPORTS: string = `import {
  Controller, createContainer, createRouter, empty, Get, type Handler, HttpError, type Json, json,
    type Multipart, pass,
  Patch, type PathParams, Post, problem, Put, type QueryParams, redirect, type RequestSpec,
    type ResponseSpec,
  routerBuilder, type SpecOf, type TypedRequest, type TypedResponse, type TypedRouter,
} from "@gatehouse/http";
import { z } from "zod";
import * as v from "valibot";
export const info = { title: "Typed", version: "1" };
`;

/** The document of an application, and the command's notes. */
export async function typedDocument(
  code: string,
  { before, files = {}, flags = [] }: TypedApplication,
): Promise<{ readonly document: TypedDocument; readonly stderr: string }> {
  let result: { readonly document: TypedDocument; readonly stderr: string } | undefined;
  const source = `${TYPED_IMPORTS}${before}\n${code}\nexport { router };\n`;
  await withTypedProject({ ...files, "c.ts": source }, async ({ generate, read }) => {
    const run = await generate("--controllers", "c.ts", ...flags);
    assertEquals(run.code, 0, run.stderr);
    result = { document: JSON.parse(await read("openapi.json")), stderr: run.stderr };
  });
  assert(result !== undefined);
  return result;
}

/** The documentation of a route, as far as its types may have said it. */
export function toldOf({ paths }: TypedDocument, route: string): Told {
  const [method = "", path = ""] = route.split(" ");
  const operation = paths[path]?.[method.toLowerCase()];
  assert(operation, `${route} is not one of ${Object.keys(paths).join(", ")}`);
  const { parameters = [], requestBody, responses } = operation;
  const named = (place: string) =>
    Object.fromEntries(
      parameters.filter((one) => one.in === place).map(({ name, schema, required }) =>
        [required === true ? name : `${name}?`, schema] as const
      ),
    );
  const [body] = Object.values(requestBody?.content ?? {});
  const sent = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined)
    .map(([status, { content }]) => {
      const [media] = Object.entries(content ?? {}).filter(([type]) => type === "application/json");
      return [status, content === undefined ? null : media?.[1].schema ?? null] as const;
    });
  const [inPath, query] = [named("path"), named("query")];
  return {
    ...(Object.keys(inPath).length === 0 ? {} : { path: inPath }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(body?.schema === undefined ? {} : { body: body.schema }),
    sent: Object.fromEntries(sent),
  };
}

/** Tests the documentation of routes of one application. @returns Reads the document. */
export function testRoutes(
  cases: readonly RouteCase[],
  application: TypedApplication,
): () => ReturnType<typeof typedDocument> {
  let documents: ReturnType<typeof typedDocument> | undefined;
  const read = () =>
    documents ??= typedDocument(cases.map(([, , code]) => code).join("\n"), application);
  for (const [why, route, , told] of cases) {
    Deno.test(`generate reads the types of ${why}`, async () => {
      const { document } = await read();
      assertEquals<unknown>(toldOf(document, route), told);
    });
  }
  return read;
}
