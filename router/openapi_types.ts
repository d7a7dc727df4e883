/**
 * The objects of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), as far as routes and documents here are made of
 * them. Names are the specification's.
 *
 * @module
 */

import type { StandardSchemaV1 } from "./schema.ts";

/** A Schema Object, §4.8.24: JSON Schema 2020-12. */
export interface SchemaObject {
  /** A keyword. */
  readonly [keyword: string]: unknown;
}

/** A Reference Object, §4.8.23. */
export interface ReferenceObject {
  /** Where the object is. */
  readonly $ref: string;
  /** Overrides the summary there. */
  readonly summary?: string;
  /** Overrides the description there. */
  readonly description?: string;
}

/** A Media Type Object, §4.8.14. */
export interface MediaTypeObject<Schema = SchemaObject> {
  /** Schema of the content. */
  readonly schema?: Schema;
  /** An example of the content. */
  readonly example?: unknown;
  /** Examples of the content, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** How the parts of a form are encoded, by name. */
  readonly encoding?: Readonly<Record<string, unknown>>;
}

/** A Parameter Object, §4.8.12. */
export interface ParameterObject<Schema = SchemaObject> {
  /** Name of the parameter. */
  readonly name: string;
  /** Where it stands. */
  readonly in: "path" | "query" | "header" | "cookie";
  /** What it is for. */
  readonly description?: string;
  /** Whether it must be there; always true in a path. */
  readonly required?: boolean;
  /** Whether it should no longer be used. */
  readonly deprecated?: boolean;
  /** Schema of its value. */
  readonly schema?: Schema;
  /** Media type of its value, in place of a schema. */
  readonly content?: Readonly<Record<string, MediaTypeObject<Schema>>>;
  /** How its value is written. */
  readonly style?: string;
  /** Whether lists and objects are written as several parameters. */
  readonly explode?: boolean;
  /** An example of its value. */
  readonly example?: unknown;
  /** Examples of its value, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** A Request Body Object, §4.8.13. */
export interface RequestBodyObject<Schema = SchemaObject> {
  /** What the body is for. */
  readonly description?: string;
  /** The body by media type. */
  readonly content: Readonly<Record<string, MediaTypeObject<Schema>>>;
  /** Whether it must be there. */
  readonly required?: boolean;
}

/** A Response Object, §4.8.17. */
export interface ResponseObject<Schema = SchemaObject> {
  /** What the response means. */
  readonly description: string;
  /** Header fields, by name. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The body by media type. */
  readonly content?: Readonly<Record<string, MediaTypeObject<Schema>>>;
  /** What can be done next, by name. */
  readonly links?: Readonly<Record<string, unknown>>;
}

/** A Security Requirement Object, §4.8.30: the schemes that are needed together, with their scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** A Security Scheme Object, §4.8.27. */
export interface SecurityScheme {
  /** Kind of the scheme. */
  readonly type: "apiKey" | "http" | "mutualTLS" | "oauth2" | "openIdConnect";
  /** What it is. */
  readonly description?: string;
  /** `apiKey`: name of the header field, cookie or query parameter. */
  readonly name?: string;
  /** `apiKey`: where the key stands. */
  readonly in?: "query" | "header" | "cookie";
  /** `http`: name of the authentication scheme, RFC 9110 §16.4.1. */
  readonly scheme?: string;
  /** `http`: what a bearer token is. */
  readonly bearerFormat?: string;
  /** `oauth2`: its flows, §4.8.28. */
  readonly flows?: Readonly<Record<string, unknown>>;
  /** `openIdConnect`: URL of the provider's configuration. */
  readonly openIdConnectUrl?: string;
}

/** A Tag Object, §4.8.22. */
export interface TagObject {
  /** Name of the tag. */
  readonly name: string;
  /** What its operations have in common. */
  readonly description?: string;
  /** Where more is said. */
  readonly externalDocs?: ExternalDocumentation;
}

/** An External Documentation Object, §4.8.11. */
export interface ExternalDocumentation {
  /** Where it is. */
  readonly url: string;
  /** What it says. */
  readonly description?: string;
}

/** A Server Object, §4.8.5. */
export interface ServerObject {
  /** Where paths start. */
  readonly url: string;
  /** What the server is. */
  readonly description?: string;
  /** Values of the URL's variables, by name. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** An Operation Object, §4.8.10. */
export interface OperationObject {
  /** Groups that the operation belongs to. */
  readonly tags?: readonly string[];
  /** What it does, in a few words. */
  readonly summary: string;
  /** What it does. */
  readonly description?: string;
  /** Where more is said. */
  readonly externalDocs?: ExternalDocumentation;
  /** Name of the operation, unique in the document. */
  readonly operationId: string;
  /** Its parameters. */
  readonly parameters?: readonly (ParameterObject | ReferenceObject)[];
  /** Its body. */
  readonly requestBody?: RequestBodyObject | ReferenceObject;
  /** Its responses, by status. */
  readonly responses: Readonly<Record<string, ResponseObject | ReferenceObject>>;
  /** Whether it should no longer be used. */
  readonly deprecated?: boolean;
  /** Alternatives of what it asks for; none means that it is public. */
  readonly security?: readonly SecurityRequirement[];
}

/** A Components Object, §4.8.7. */
export interface ComponentsObject {
  /** Schemas, by name. */
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** Responses, by name. */
  readonly responses?: Readonly<Record<string, ResponseObject>>;
  /** Security schemes, by name. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
}

/** The parts of an Info Object, §4.8.2, and of the document around it, that the application says itself. */
export interface OpenApiInfo {
  /** Title of the API. */
  readonly title: string;
  /** Version of the API, which is not OpenAPI's. */
  readonly version: string;
  /** What the API is, in a few words. */
  readonly summary?: string;
  /** What the API is. CommonMark. */
  readonly description?: string;
  /** URL of the terms of service. */
  readonly termsOfService?: string;
  /** Whom to ask. */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** Licence of the API. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  /** Where the API is. @default the server that the document came from */
  readonly servers?: readonly ServerObject[];
  /** What tags mean, in the order to show them. */
  readonly tags?: readonly TagObject[];
  /** Where more is said. */
  readonly externalDocs?: ExternalDocumentation;
  /** Schemas that hand-written descriptions refer to, by name: `#/components/schemas/<name>`. */
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** Security schemes, by name. `session`, `bearer` and `apiKey` need not be declared. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** What an operation asks for where neither its guard nor its metadata says. Made by `secured()`. */
  readonly security?: readonly SecurityRequirement[];
}

/** An OpenAPI Object, §4.8.1. */
export interface OpenApiDocument {
  /** Version of OpenAPI. */
  readonly openapi: string;
  /** The Info Object, §4.8.2. */
  readonly info: Omit<
    OpenApiInfo,
    "servers" | "tags" | "externalDocs" | "schemas" | "securitySchemes" | "security"
  >;
  /** Where the API is. */
  readonly servers: readonly ServerObject[];
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  /** What is referred to. */
  readonly components: ComponentsObject;
  /** What an operation asks for that does not say. */
  readonly security?: readonly SecurityRequirement[];
  /** What tags mean. */
  readonly tags?: readonly TagObject[];
  /** Where more is said. */
  readonly externalDocs?: ExternalDocumentation;
}

/**
 * What a route says of itself by hand. It is merged into what follows from the code, and wins. Schemas are JSON Schema,
 * or validators that give it.
 */
export interface EndpointMetadata<Schema = SchemaObject | StandardSchemaV1> {
  /** What the operation does, in a few words. @default the name of the method, or the route */
  readonly summary?: string;
  /** What the operation does. CommonMark. */
  readonly description?: string;
  /** Name of the operation. @default `Class_method`, or made of method and path */
  readonly operationId?: string;
  /** Groups that the operation belongs to. @default the class's name without "Controller" */
  readonly tags?: readonly string[];
  /** Whether the operation should no longer be used. */
  readonly deprecated?: boolean;
  /** Where more is said. */
  readonly externalDocs?: ExternalDocumentation;
  /** Parameters; one that follows from the code is completed by the one of its name. */
  readonly parameters?: readonly ParameterObject<Schema>[];
  /** Body; a media type without a schema gets the one of `schema.body`. */
  readonly requestBody?: Partial<RequestBodyObject<Schema>>;
  /**
   * Responses by status. A success without content gets that of `schema.response`, an error without content that of a
   * problem; write `content: {}` for none. A missing description is the status's phrase.
   */
  readonly responses?: Readonly<Record<string, Partial<ResponseObject<Schema>>>>;
  /** What the operation asks for: `secured()` or `publicEndpoint`. It documents and guards nothing. */
  readonly security?: readonly SecurityRequirement[];
  /** An extension, §4.9. */
  readonly [extension: `x-${string}`]: unknown;
}
