/**
 * Mutants of what stands beside `paths`: schemas, references, security, the document as a whole.
 *
 * @module
 */

import { add, all, type Mutant, remove, set } from "./edit.ts";

const CREATED = ["paths", "/notes", "post", "responses", "201", "content", "application/json"];
const GET = ["paths", "/notes/{id}", "get"];
const FILE = ["paths", "/notes/{id}/files/{name}", "put"];
const NOTE = ["components", "schemas", "Note"];
const PROPERTIES = [...NOTE, "properties"];
const TEXT = [...PROPERTIES, "text"];
const PATTERN = [...FILE, "parameters", 2, "schema", "pattern"];
const REPLY = [...PROPERTIES, "replies", "items"];
const REGION = ["servers", 1, "variables", "region"];

/** Schemas. */
const SCHEMAS: readonly Mutant[] = [
  [
    "a schema has OpenAPI 3.0's nullable",
    "redocly struct, own nullable",
    add([...TEXT, "nullable"], true),
  ],
  [
    "a schema's type is none",
    "redocly struct, redocly no-invalid-media-type-examples, schema anyOf",
    set([...TEXT, "type"], "strin"),
  ],
  [
    "a pattern is a number",
    "redocly struct, redocly no-invalid-media-type-examples, schema type",
    add([...TEXT, "pattern"], 5),
  ],
  ["a pattern does not compile", "own pattern", set(PATTERN, "(")],
  ["a pattern compiles without Unicode only", "own pattern", set(PATTERN, "^[\\w-.]$")],
  [
    "a pattern of properties does not compile",
    "own pattern",
    add([...PROPERTIES, "extra", "patternProperties"], { "(": {} }),
  ],
  [
    "a limit is negative",
    "redocly struct, redocly no-invalid-media-type-examples, schema minimum",
    set([...TEXT, "maxLength"], -1),
  ],
  [
    "exclusiveMinimum is OpenAPI 3.0's",
    "redocly struct, redocly no-invalid-media-type-examples, schema type",
    add([...TEXT, "exclusiveMinimum"], true),
  ],
  [
    "a schema names another dialect",
    "schema const",
    add(
      [...NOTE, "$schema"],
      "http://json-schema.org/draft-07/schema#",
    ),
  ],
  [
    "required names a property that is missing",
    "redocly no-required-schema-properties-undefined, redocly no-invalid-media-type-examples",
    set([...NOTE, "required", 0], "txet"),
  ],
  [
    "required stands on the property",
    "redocly struct, redocly no-invalid-media-type-examples, schema type",
    add([...TEXT, "required"], true),
  ],
  [
    "an enum has a value twice",
    "redocly no-duplicated-enum-values",
    set([...PROPERTIES, "color", "enum", 1], "red"),
  ],
  [
    "an enum does not fit its type",
    "redocly no-enum-type-mismatch",
    add([...PROPERTIES, "color", "type"], "integer"),
  ],
  [
    "an object has items",
    "redocly no-schema-type-mismatch",
    add([...NOTE, "items"], {}),
  ],
  [
    "a number has two lower limits",
    "redocly no-mixed-number-range-constraints",
    add(["components", "parameters", "Limit", "schema", "exclusiveMinimum"], 0),
  ],
  [
    "an alternative has one member",
    "redocly no-illogical-composition-keywords",
    remove([...PROPERTIES, "pinned", "anyOf", 1]),
  ],
  [
    "items is a list of schemas",
    "redocly struct, redocly no-invalid-media-type-examples, schema type",
    set(REPLY, [{}]),
  ],
  [
    "an example in a schema does not fit it",
    "redocly no-invalid-schema-examples",
    add([...TEXT, "examples"], [1]),
  ],
];

/** References and what they lead to; security; the document as a whole. */
const DOCUMENTS: readonly Mutant[] = [
  [
    "a reference leads nowhere",
    "redocly no-unresolved-refs, own ref-resolves",
    set(
      [...REPLY, "$ref"],
      "#/components/schemas/Nota",
    ),
  ],
  [
    "a schema refers to itself as it would alone",
    "redocly struct, own ref-resolves",
    set([...REPLY, "$ref"], "#"),
  ],
  [
    "a reference leads to what is no schema",
    "redocly struct, own ref-resolves",
    set([...REPLY, "$ref"], "#/components/responses/BadRequest"),
  ],
  [
    "a reference leads to definitions that were left in the schema",
    "redocly no-unresolved-refs, redocly no-unused-components, own ref-resolves",
    all(
      set([...REPLY, "$ref"], "#/$defs/Note"),
      add([...NOTE, "$defs"], { Note: { type: "null" } }),
    ),
  ],
  [
    "a reference leads into OpenAPI 2's definitions",
    "redocly no-unresolved-refs, own ref-resolves",
    set(
      [...CREATED, "schema", "$ref"],
      "#/definitions/Note",
    ),
  ],
  [
    "a reference leads to another server",
    "redocly no-unresolved-refs, redocly no-invalid-media-type-examples, own ref-resolves",
    set(
      [...REPLY, "$ref"],
      "https://notes.test/note.json",
    ),
  ],
  [
    "a component is not used",
    "redocly no-unused-components",
    add(["components", "schemas", "Spare"], { type: "string" }),
  ],
  [
    "a component's name cannot be referred to",
    "redocly spec-components-invalid-map-name, schema pattern",
    all(
      add(["components", "schemas", "Note<string>"], { type: "string" }),
      add([...PROPERTIES, "generic"], { $ref: "#/components/schemas/Note<string>" }),
    ),
  ],
  [
    "an operation asks for an undeclared scheme",
    "redocly security-defined, own security-declared",
    add([...GET, "security"], [{ oauth: [] }]),
  ],
  [
    "the document asks for an undeclared scheme",
    "redocly security-defined, own security-declared",
    set(["security", 0], { oauth: [] }),
  ],
  ["no one says what an operation asks for", "redocly security-defined", remove(["security"])],
  [
    "a scheme is not complete",
    "redocly struct, schema required, schema unevaluatedProperties",
    remove(["components", "securitySchemes", "session", "name"]),
  ],
  [
    "a scheme is not used",
    "redocly no-unused-components",
    add(["components", "securitySchemes", "key"], {
      type: "http",
      scheme: "basic",
    }),
  ],
  ["the API has no version", "redocly struct, schema required", remove(["info", "version"])],
  ["the API has no title", "redocly struct, schema required", remove(["info", "title"])],
  ["the API's version is a number", "redocly struct, schema type", set(["info", "version"], 1)],
  [
    "the API's licence is a name alone",
    "redocly info-license-strict",
    remove(["info", "license", "identifier"]),
  ],
  [
    "a description runs a script",
    "redocly no-unsafe-markdown",
    add(["info", "description"], "Hello <script>alert(1)</script>"),
  ],
  ["the API has no licence", "redocly info-license", remove(["info", "license"])],
  [
    "the document is of OpenAPI 3.0",
    "redocly struct, redocly info-license-strict, redocly spec-ref-siblings, schema pattern",
    set(["openapi"], "3.0.3"),
  ],
  ["the document says no version", "redocly throws, schema required", remove(["openapi"])],
  ["the document has no servers", "redocly no-empty-servers", remove(["servers"])],
  [
    "a server's variable has no value to choose",
    "redocly no-server-variables-empty-enum, schema minItems",
    set([...REGION, "enum"], []),
  ],
  [
    "a server's variable is not declared",
    "redocly no-undefined-server-variable",
    remove(REGION),
  ],
  [
    "a server is this machine",
    "redocly no-server-example.com",
    set(["servers", 0, "url"], "http://localhost:8000"),
  ],
  ["a tag has no description", "redocly tag-description", remove(["tags", 0, "description"])],
  [
    "a tag is declared twice",
    "redocly no-duplicated-tag-names",
    add(["tags", 1], { name: "Notes", description: "Again" }),
  ],
  [
    "the document has a field of its own",
    "redocly struct, schema unevaluatedProperties",
    add(["generator"], "gatehouse"),
  ],
];

/** The mutants. */
export const COMPONENT_MUTANTS: readonly Mutant[] = [...SCHEMAS, ...DOCUMENTS];
