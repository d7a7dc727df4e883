/**
 * What OpenAPI documents say of the routes of authentication.
 *
 * @module
 */

import type { EndpointMetadata, SchemaObject } from "../../router/openapi_types.ts";

/** Metadata of each route. */
export type RouteDocs = Readonly<
  Record<"register" | "login" | "logout" | "refresh" | "session" | "csrf", EndpointMetadata>
>;

const TAGS = ["Authentication"];
const TEXT = { type: "string" };
const TIME = { type: "number", description: "Seconds since the Unix epoch" };
const TEXTS = { type: "array", items: TEXT };

const PRINCIPAL = object({
  sub: { ...TEXT, description: "Stable subject id" },
  method: { ...TEXT, description: "How the subject proved its identity on this request" },
  amr: { ...TEXTS, description: "Authentication methods, RFC 8176" },
  acr: { ...TEXT, description: "Authentication context class" },
  authTime: TIME,
  scope: { ...TEXTS, description: "Granted scopes" },
  sessionId: { ...TEXT, description: "The session's public identifier" },
}, ["sub", "method", "authTime"]);

const SESSION = object({
  id: { ...TEXT, description: "Public identifier" },
  sub: TEXT,
  createdAt: TIME,
  activeAt: TIME,
  expiresAt: TIME,
  persistent: { type: "boolean", description: "Whether it outlives the browser's window" },
  authTime: TIME,
  amr: TEXTS,
  acr: TEXT,
  userAgent: TEXT,
}, ["id", "sub", "createdAt", "activeAt", "expiresAt", "authTime", "amr"]);

const USER = object({
  sub: TEXT,
  identifier: { ...TEXT, description: "What the user signs in by" },
}, ["sub", "identifier"]);

const SIGNED_IN = {
  principal: PRINCIPAL,
  session: SESSION,
  user: USER,
  csrfToken: { ...TEXT, description: "The token that requests of this session carry from now on" },
};

const TOKENS = {
  accessToken: { ...TEXT, description: "For `Authorization: Bearer`, RFC 6750" },
  tokenType: { type: "string", const: "Bearer" },
  expiresIn: { type: "number", description: "Seconds until the access token ends" },
  refreshToken: { ...TEXT, description: "For the next access token, once" },
  scope: { ...TEXTS, description: "Granted scopes" },
};

const TOKEN_NAMES = ["accessToken", "tokenType", "expiresIn", "refreshToken"];

const CREDENTIALS = {
  identifier: { ...TEXT, description: "An e-mail address or a name", maxLength: 254 },
  password: { ...TEXT, format: "password" },
};

const CHALLENGE = { "WWW-Authenticate": { description: "The ways to say who asks" } };
const RETRY = { "Retry-After": { description: "Seconds until another attempt is allowed" } };
const FORGED = { 403: { description: "The request is forged, or has no valid CSRF token" } };
const THROTTLED = { 429: { description: "Too many attempts", headers: RETRY } };
const BUSY = {
  503: { description: "Too many passwords are being hashed, or no key signs", headers: RETRY },
};
const NO_JSON = { 400: { description: "The body is no JSON" } };

/** What documents have to know. */
export interface RouteDocsOptions {
  /** The header field that carries the CSRF token. */
  readonly header: string;
  /** Whether sign-ins hand out tokens, or tokens alone. */
  readonly tokens: boolean | "only";
}

/** Writes the metadata. */
export function routeDocs({ header, tokens }: RouteDocsOptions): RouteDocs {
  const forPrograms = tokens === "only";
  const signedIn = signedInSchema(tokens);
  const begun = forPrograms ? "The tokens" : "The session";
  const as = forPrograms ? ", as a program" : "";
  const refreshToken = { ...TEXT, description: "The refresh token" };
  const forged = forPrograms ? {} : FORGED;
  const remember = { type: "boolean", description: "Keep signed in", default: false };
  const token = forPrograms ? {} : {
    parameters: [{
      name: header,
      in: "header",
      required: true,
      description: "The token that the route `csrf`, beside this one, gives",
      schema: TEXT,
    }],
  } as const;
  return {
    register: {
      tags: TAGS,
      summary: `Create an account and sign in${as}`,
      ...token,
      requestBody: body(object(CREDENTIALS, ["identifier", "password"])),
      responses: {
        201: content(`${begun} of the new account`, signedIn),
        400: { description: "The body is no JSON, or the identifier no e-mail address or name" },
        ...forged,
        409: { description: "Another account has the identifier" },
        422: {
          description: "The password is too weak, as `violations` says, or the body no object",
        },
        ...THROTTLED,
        ...BUSY,
      },
    },
    login: {
      tags: TAGS,
      summary: `Sign in${as}`,
      ...token,
      requestBody: body(object(
        { ...CREDENTIALS, ...(forPrograms ? {} : { remember }) },
        ["identifier", "password"],
      )),
      responses: {
        200: content(begun, signedIn),
        400: { description: "The body is no JSON, or the identifier no e-mail address or name" },
        401: { description: "No such account, or a wrong password", headers: CHALLENGE },
        ...forged,
        422: { description: "The body is no object, or `remember` no boolean" },
        ...THROTTLED,
        ...BUSY,
      },
    },
    logout: {
      tags: TAGS,
      summary: `Sign out${as}`,
      ...token,
      requestBody: {
        ...body(tokens ? object({ refreshToken }, []) : { type: "object" }),
        required: false,
      },
      responses: {
        204: { description: "Nobody is signed in any more" },
        ...(tokens === false ? {} : NO_JSON),
        ...forged,
      },
    },
    refresh: {
      tags: TAGS,
      summary: "Exchange a refresh token for the next ones",
      requestBody: body(object({ refreshToken }, ["refreshToken"])),
      responses: {
        200: content("The next tokens", object(TOKENS, TOKEN_NAMES)),
        ...NO_JSON,
        401: { description: "The refresh token is good for nothing, whatever the reason" },
      },
    },
    session: {
      tags: TAGS,
      summary: "Who is signed in",
      responses: {
        200: content(
          "The principal, and the session behind it",
          object(
            { principal: PRINCIPAL, ...(forPrograms ? {} : { session: SESSION, user: USER }) },
            ["principal"],
          ),
        ),
        401: { description: "Nobody is", headers: CHALLENGE },
      },
    },
    csrf: {
      tags: TAGS,
      summary: "A token against forged requests",
      responses: {
        200: content(
          "The token, bound to the session",
          object({
            csrfToken: TEXT,
            header: { ...TEXT, description: "The header field that carries it" },
          }, ["csrfToken", "header"]),
        ),
        403: { description: "The session's cookie is there twice" },
      },
    },
  };
}

function signedInSchema(tokens: boolean | "only"): SchemaObject {
  const beside = tokens === "only" ? { user: USER } : SIGNED_IN;
  const issued = tokens === false ? [] : TOKEN_NAMES;
  return object(
    { ...beside, ...(tokens === false ? {} : TOKENS) },
    [...Object.keys(beside), ...issued],
  );
}

function object(
  properties: Readonly<Record<string, SchemaObject>>,
  required: readonly string[],
): SchemaObject {
  return { type: "object", properties, required };
}

function body(schema: SchemaObject) {
  return { required: true, content: { "application/json": { schema } } };
}

function content(description: string, schema: SchemaObject) {
  return { description, content: { "application/json": { schema } } };
}
