/**
 * What a document has in it, for `types_openapi.ts`: times can be compared only of documents that
 * say the same.
 *
 * @module
 */

import { KINDS } from "./_types_texts.ts";

/** What is compared of a document. */
export interface Facts {
  /** Version of OpenAPI. */
  readonly openapi: string;
  readonly operations: number;
  /** Operations whose success has a schema. */
  readonly answered: number;
  /** Operations whose body has a schema. */
  readonly filled: number;
  /** Names of the schemas. */
  readonly schemas: readonly string[];
  /** Characters of the document without white space, so that indentation counts for nothing. */
  readonly length: number;
}

/** What a document must have. */
export interface Expected {
  readonly routes: number;
  /** Types that must be schemas; none if the document is to have no types. */
  readonly names: readonly string[];
}

/** The part of a document that is read. */
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

/** Of five routes that a resource has, those that take a body. */
const FILLED = 3 / 5;
/** How many times as many schemas one document may have as another. */
const MOST_TIMES = 2;

/** Reads a document. */
export function factsOf(text: string): Facts {
  const document = JSON.parse(text) as Document;
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  return {
    openapi: document.openapi,
    operations: operations.length,
    answered: operations.filter(({ responses }) => isAnswered(responses)).length,
    filled: operations.filter(({ requestBody }) => hasSchema(requestBody)).length,
    schemas: Object.keys(document.components.schemas ?? {}),
    length: JSON.stringify(document).length,
  };
}

/** Whether a success has a schema. */
function isAnswered(responses: Operation["responses"]): boolean {
  return Object.entries(responses).some(([status, one]) => /^2/.test(status) && hasSchema(one));
}

/** Whether content has a schema that says something. */
function hasSchema(content: Content | undefined): boolean {
  const { schema = {} } = content?.content?.["application/json"] ?? {};
  return Object.keys(schema).length > 0;
}

/** Checks a document. @throws {Error} If it lacks something, or has what it should not have. */
export function checkDocument(facts: Facts, { routes, names }: Expected): void {
  const typed = names.length > 0;
  equal("operations", facts.operations, routes);
  equal("answers with a schema", facts.answered, typed ? routes : 0);
  equal("bodies with a schema", facts.filled, typed ? routes * FILLED : 0);
  const missing = names.filter((name) => !facts.schemas.includes(name));
  if (missing.length > 0) {
    throw new Error(`Cannot compare documents: one lacks the schemas ${missing.join(", ")}`);
  }
}

function equal(what: string, found: number, wanted: number): void {
  if (found === wanted) return;
  throw new Error(`Cannot compare documents: one has ${found} ${what} instead of ${wanted}`);
}

/** Checks that documents describe about as much. @throws {Error} If they do not. */
export function checkSchemas(all: readonly Facts[]): void {
  const counts = all.map(({ schemas }) => schemas.length);
  if (Math.max(...counts) <= MOST_TIMES * Math.min(...counts)) return;
  throw new Error(`Cannot compare documents: they have ${counts.join(", ")} schemas`);
}

/** What two documents of one application do not have in common, in words. */
export function differences(ours: Facts, peer: Facts): string {
  return [
    `Ours is OpenAPI ${ours.openapi}, tsoa's ${peer.openapi}.`,
    `Only ours has ${onlyIn(ours, peer)};`,
    `only tsoa's has ${onlyIn(peer, ours)}; X is any resource.`,
  ].join(" ");
}

/** Schemas that only one document has, those of all resources named once. */
function onlyIn({ schemas }: Facts, other: Facts): string {
  const own = schemas.filter((name) => !other.schemas.includes(name));
  const kinds = new Set(own.map((name) => name.replace(RESOURCE_REGEXP, "X")));
  return `${own.length} (${[...kinds].map((kind) => `\`${kind}\``).join(", ")})`;
}

/** A resource, with the number of its module. */
const RESOURCE_REGEXP = new RegExp(`(?:${KINDS.map(({ name }) => name).join("|")})\\d+`, "g");
