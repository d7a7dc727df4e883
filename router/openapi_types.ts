/**
 * The objects of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), as far as they are
 * used here. Names are the specification's.
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
  /** URI of the object. */
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
  /** Location. */
  readonly in: "path" | "query" | "header" | "cookie";
  /** Description. CommonMark. */
  readonly description?: string;
  /** Whether it is required; always true in a path. */
  readonly required?: boolean;
  /** Whether it is deprecated. */
  readonly deprecated?: boolean;
  /** Schema of its value. */
  readonly schema?: Schema;
  /** Media type of its value, instead of a schema. */
  readonly content?: Readonly<Record<string, MediaTypeObject<Schema>>>;
  /** Serialization style. */
  readonly style?: string;
  /** Whether arrays and objects become several parameters. */
  readonly explode?: boolean;
  /** An example of its value. */
  readonly example?: unknown;
  /** Examples of its value, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** A Request Body Object, §4.8.13. */
export interface RequestBodyObject<Schema = SchemaObject> {
  /** Description. CommonMark. */
  readonly description?: string;
  /** The body by media type. */
  readonly content: Readonly<Record<string, MediaTypeObject<Schema>>>;
  /** Whether it is required. */
  readonly required?: boolean;
}

/** A Response Object, §4.8.17. */
export interface ResponseObject<Schema = SchemaObject> {
  /** Description. CommonMark. */
  readonly description: string;
  /** Header fields, by name. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The body by media type. */
  readonly content?: Readonly<Record<string, MediaTypeObject<Schema>>>;
  /** Links, by name. */
  readonly links?: Readonly<Record<string, unknown>>;
}

/** A Security Requirement Object, §4.8.30: the schemes that are required together, with their scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** A Security Scheme Object, §4.8.27. */
export interface SecurityScheme {
  /** Kind of the scheme. */
  readonly type: "apiKey" | "http" | "mutualTLS" | "oauth2" | "openIdConnect";
  /** Description. CommonMark. */
  readonly description?: string;
  /** `apiKey`: name of the header field, cookie or query parameter. */
  readonly name?: string;
  /** `apiKey`: location of the key. */
  readonly in?: "query" | "header" | "cookie";
  /** `http`: name of the authentication scheme, RFC 9110 §16.4.1. */
  readonly scheme?: string;
  /** `http`: format of a bearer token. */
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
  /** Description. CommonMark. */
  readonly description?: string;
  /** External documentation. */
  readonly externalDocs?: ExternalDocumentation;
}

/** An External Documentation Object, §4.8.11. */
export interface ExternalDocumentation {
  /** URL. */
  readonly url: string;
  /** Description. CommonMark. */
  readonly description?: string;
}

/** A Server Object, §4.8.5. */
export interface ServerObject {
  /** URL that paths are relative to. */
  readonly url: string;
  /** Description. CommonMark. */
  readonly description?: string;
  /** Values of the URL's variables, by name. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** An Operation Object, §4.8.10. */
export interface OperationObject {
  /** Groups that the operation belongs to. */
  readonly tags?: readonly string[];
  /** Summary. */
  readonly summary: string;
  /** Description. CommonMark. */
  readonly description?: string;
  /** External documentation. */
  readonly externalDocs?: ExternalDocumentation;
  /** Name of the operation, unique in the document. */
  readonly operationId: string;
  /** Its parameters. */
  readonly parameters?: readonly (ParameterObject | ReferenceObject)[];
  /** Its body. */
  readonly requestBody?: RequestBodyObject | ReferenceObject;
  /** Its responses, by status. */
  readonly responses: Readonly<Record<string, ResponseObject | ReferenceObject>>;
  /** Whether it is deprecated. */
  readonly deprecated?: boolean;
  /** Alternative security requirements; an empty array means public. */
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

/** The parts of an Info Object, §4.8.2, and of the OpenAPI Object, that the application provides. */
export interface OpenApiInfo {
  /** Title of the API. */
  readonly title: string;
  /** Version of the API. */
  readonly version: string;
  /** Summary. */
  readonly summary?: string;
  /** Description. CommonMark. */
  readonly description?: string;
  /** URL of the terms of service. */
  readonly termsOfService?: string;
  /** Contact. */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** Licence of the API. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  /** Servers. @default the server that the document came from */
  readonly servers?: readonly ServerObject[];
  /** Tags, in display order. */
  readonly tags?: readonly TagObject[];
  /** External documentation. */
  readonly externalDocs?: ExternalDocumentation;
  /** Schemas that metadata refers to, by name: `#/components/schemas/<name>`. */
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** Security schemes, by name. `session`, `bearer` and `apiKey` need not be declared. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Security of operations for which neither guard nor metadata specifies it. Created by `secured()`. */
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
  /** Servers. */
  readonly servers: readonly ServerObject[];
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  /** Reusable objects. */
  readonly components: ComponentsObject;
  /** Default security requirements. */
  readonly security?: readonly SecurityRequirement[];
  /** Tags. */
  readonly tags?: readonly TagObject[];
  /** External documentation. */
  readonly externalDocs?: ExternalDocumentation;
}

/**
 * Metadata of a route. It is merged into what is derived from the code, and wins. Schemas are JSON Schema, or validators
 * that can be converted.
 */
export interface EndpointMetadata<Schema = SchemaObject | StandardSchemaV1> {
  /** Summary. @default the name of the method, or the route */
  readonly summary?: string;
  /** Description. CommonMark. */
  readonly description?: string;
  /** Name of the operation. @default `Class_method`, or derived from method and path */
  readonly operationId?: string;
  /** Groups that the operation belongs to. @default the class's name without "Controller" */
  readonly tags?: readonly string[];
  /** Whether the operation is deprecated. */
  readonly deprecated?: boolean;
  /** External documentation. */
  readonly externalDocs?: ExternalDocumentation;
  /** Parameters, merged by name into those derived from the code. */
  readonly parameters?: readonly ParameterObject<Schema>[];
  /** Body; a media type without a schema gets the one of `schema.body`. */
  readonly requestBody?: Partial<RequestBodyObject<Schema>>;
  /**
   * Responses by status. A success without content gets that of `schema.response`, an error without content that of a
   * problem; `content: {}` means none. A missing description defaults to the status phrase.
   */
  readonly responses?: Readonly<Record<string, Partial<ResponseObject<Schema>>>>;
  /** Security of the operation: `secured()` or `publicEndpoint`. It only documents and does not guard. */
  readonly security?: readonly SecurityRequirement[];
  /** An extension, §4.9. */
  readonly [extension: `x-${string}`]: unknown;
}
