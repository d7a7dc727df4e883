/**
 * Schemas of the routes of passkeys, WebAuthn Level 3 §5.1. Calls are marked as pure, see `_route_schemas.ts`.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import { object, STRING } from "./_route_schemas.ts";

const BOOLEAN: SchemaObject = { type: "boolean" };
const STRINGS: SchemaObject = { type: "array", items: STRING };
const TIME: SchemaObject = { type: "number", description: "Seconds since the Unix epoch" };
const BYTES: SchemaObject = { type: "string", description: "base64url without padding" };
const KIND: SchemaObject = { type: "string", const: "public-key" };
const TIMEOUT: SchemaObject = { type: "number", description: "Lifetime in milliseconds" };
const VERIFICATION: SchemaObject = { type: "string", enum: ["required", "preferred"] };

const DESCRIPTORS: SchemaObject = {
  type: "array",
  items: /* @__PURE__ */ object({ type: KIND, id: BYTES, transports: STRINGS }, ["type", "id"]),
};

/** `PublicKeyCredentialCreationOptionsJSON`, §5.1.8. */
export const CREATION_OPTIONS: SchemaObject = /* @__PURE__ */ complete({
  rp: /* @__PURE__ */ complete({ id: STRING, name: STRING }),
  user: /* @__PURE__ */ complete({ id: BYTES, name: STRING, displayName: STRING }),
  challenge: BYTES,
  pubKeyCredParams: {
    type: "array",
    items: /* @__PURE__ */ complete({
      type: KIND,
      alg: { type: "number", description: "COSE algorithm" },
    }),
  },
  timeout: TIMEOUT,
  excludeCredentials: DESCRIPTORS,
  authenticatorSelection: /* @__PURE__ */ complete({
    residentKey: { type: "string", enum: ["required", "preferred", "discouraged"] },
    requireResidentKey: BOOLEAN,
    userVerification: VERIFICATION,
  }),
  hints: STRINGS,
  attestation: { type: "string", enum: ["none", "direct", "enterprise"] },
  extensions: /* @__PURE__ */ complete({ credProps: BOOLEAN }),
});

/** `PublicKeyCredentialRequestOptionsJSON`, §5.1.9. */
export const REQUEST_OPTIONS: SchemaObject = /* @__PURE__ */ complete({
  challenge: BYTES,
  timeout: TIMEOUT,
  rpId: STRING,
  allowCredentials: DESCRIPTORS,
  userVerification: VERIFICATION,
  hints: STRINGS,
});

export const PASSKEY_NAME: SchemaObject = {
  type: "string",
  description: "Name of the passkey, without control characters",
  maxLength: 64,
};

/** `RegistrationResponseJSON`, and the name of the passkey. */
export const REGISTRATION_RESPONSE: SchemaObject = /* @__PURE__ */ responseWith(
  /* @__PURE__ */ object({
    clientDataJSON: BYTES,
    attestationObject: BYTES,
    transports: STRINGS,
  }, ["clientDataJSON", "attestationObject"]),
  { name: PASSKEY_NAME },
);

/** `AuthenticationResponseJSON`, and whether the session is persistent. */
export const AUTHENTICATION_RESPONSE: SchemaObject = /* @__PURE__ */ responseWith(
  /* @__PURE__ */ object({
    clientDataJSON: BYTES,
    authenticatorData: BYTES,
    signature: BYTES,
    userHandle: BYTES,
  }, ["clientDataJSON", "authenticatorData", "signature"]),
  { remember: { type: "boolean", description: "Keep signed in", default: false } },
);

/** A passkey, as its user sees it. */
export const PASSKEY: SchemaObject = /* @__PURE__ */ object({
  id: { type: "string", description: "Credential id, base64url" },
  name: PASSKEY_NAME,
  createdAt: TIME,
  lastUsedAt: TIME,
  transports: STRINGS,
  backupEligible: { type: "boolean", description: "Whether it may be copied to other devices" },
  backedUp: { type: "boolean", description: "Whether it has been copied" },
  userVerified: { type: "boolean", description: "Whether the user has been verified" },
  discoverable: { type: "boolean", description: "Whether it signs in without an identifier" },
  aaguid: { type: "string", description: "Identifies the make of the authenticator" },
}, ["id", "createdAt", "backupEligible", "backedUp", "userVerified", "aaguid"]);

/** A user's passkeys, and arguments for the browser's functions that are told about them, §5.1.10. */
export const PASSKEYS: SchemaObject = /* @__PURE__ */ complete({
  credentials: { type: "array", items: PASSKEY },
  signals: /* @__PURE__ */ complete({
    allAcceptedCredentials: /* @__PURE__ */ complete({
      rpId: STRING,
      userId: BYTES,
      allAcceptedCredentialIds: STRINGS,
    }),
    currentUserDetails: /* @__PURE__ */ complete({
      rpId: STRING,
      userId: BYTES,
      name: STRING,
      displayName: STRING,
    }),
  }),
});

/** The response of an authenticator, with members that are ours. */
function responseWith(
  response: SchemaObject,
  own: Readonly<Record<string, SchemaObject>>,
): SchemaObject {
  return object({
    id: BYTES,
    rawId: BYTES,
    type: KIND,
    authenticatorAttachment: STRING,
    clientExtensionResults: { type: "object", description: "Outputs of extensions" },
    response,
    ...own,
  }, ["id", "rawId", "type", "response"]);
}

/** Schema of an object all of whose members are required. */
function complete(properties: Readonly<Record<string, SchemaObject>>): SchemaObject {
  return object(properties, Object.keys(properties));
}
