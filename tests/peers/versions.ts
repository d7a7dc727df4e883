/**
 * The one place that pins what `deno task test:peers` downloads.
 *
 * These packages are large, and Deno fetches everything its lock file names: so nothing imports
 * them by a literal specifier, and they are locked in `tests/peers/deno.lock` instead of the
 * project's own lock file.
 *
 * @module
 */

/** The rules behind `redocly lint`; the command-line package adds telemetry and nothing needed here. */
export const REDOCLY = "npm:@redocly/openapi-core@2.64.0";

/** A JSON Schema validator that knows `$dynamicRef`, with the schemas of OpenAPI 3.1. */
export const HYPERJUMP_OPENAPI = "npm:@hyperjump/json-schema@1.18.0/openapi-3-1";

/** A JSON Schema validator, in the edition for 2020-12, and its formats. */
export const AJV = "npm:ajv@8.20.0/dist/2020.js";
export const AJV_FORMATS = "npm:ajv-formats@3.0.1";

/** Makes TypeScript types of a document; it takes the compiler from TypeScript 5. */
export const OPENAPI_TYPESCRIPT = "npm:openapi-typescript@7.13.0";

/** A client that takes its types from `openapi-typescript`. */
export const OPENAPI_FETCH = "npm:openapi-fetch@0.17.0";

/** A schema library with Standard JSON Schema built in. */
export const ARKTYPE = "npm:arktype@2.2.9";

/** Standard JSON Schema for Valibot. */
export const VALIBOT_TO_JSON_SCHEMA = "npm:@valibot/to-json-schema@1.8.0";

/** Signs and verifies tokens; the version that the runtimes are tested beside. */
export { JOSE } from "../runtimes/versions.ts";

/** Verifies ceremonies of passkeys on servers. */
export const SIMPLEWEBAUTHN_SERVER = "npm:@simplewebauthn/server@14.0.3";

/** Begins ceremonies of passkeys in browsers. */
export const SIMPLEWEBAUTHN_BROWSER = "npm:@simplewebauthn/browser@14.0.0";

/** An OpenID provider. */
export const OIDC_PROVIDER = "npm:oidc-provider@9.13.3";

/** Relying parties. */
export const OPENID_CLIENT = "npm:openid-client@6.8.9";
export const OAUTH4WEBAPI = "npm:oauth4webapi@3.8.8";

/** Clients of the Model Context Protocol, of the first generation and of the second. */
export const MCP_SDK = "npm:@modelcontextprotocol/sdk@1.32.2";
export const MCP_CLIENT = "npm:@modelcontextprotocol/client@2.4.0";

/** GraphQL.js, in the versions that are in use. */
export const GRAPHQL_VERSIONS: readonly string[] = ["16.15.0", "17.1.0"];

/** What `npm install` puts beside them: servers, and libraries that build, change or execute schemas. */
export const GRAPHQL_PACKAGES: Readonly<Record<string, string>> = {
  "@apollo/server": "5.5.1",
  "@graphql-tools/schema": "10.0.31",
  "@graphql-tools/utils": "11.0.0",
  "@graphql-yoga/plugin-defer-stream": "3.24.1",
  "@pothos/core": "4.15.1",
  "dataloader": "2.2.3",
  "esbuild": "0.28.2",
  "fastify": "5.12.8",
  "graphql-jit": "0.8.9",
  "graphql-ws": "6.4.2",
  "graphql-yoga": "5.24.1",
  "mercurius": "16.10.1",
  "nexus": "1.3.0",
  "ws": "8.18.0",
};

/** OpenTelemetry's API, its W3C propagator, and its SDK. */
export const OPEN_TELEMETRY = {
  api: "npm:@opentelemetry/api@1.9.0",
  core: "npm:@opentelemetry/core@2.12.1",
  sdk: "npm:@opentelemetry/sdk-trace-base@2.12.1",
} as const;
