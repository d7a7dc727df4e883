/**
 * Schemas of the routes of passkeys, WebAuthn Level 3 §5.1. Calls are marked as pure, see `_route_schemas.ts`.
 *
 * @module
 */

import type { SchemaObject } from "../../../router/openapi_types.ts";
import { object, STRING, STRINGS, TIME } from "./schemas.ts";

/** What browsers take and return: the standard describes it, and their own functions read and write it. */
export const CREATION_OPTIONS: SchemaObject = {
  type: "object",
  description: "PublicKeyCredentialCreationOptionsJSON, WebAuthn Level 3 §5.1.8",
  additionalProperties: true,
};
export const REQUEST_OPTIONS: SchemaObject = {
  type: "object",
  description: "PublicKeyCredentialRequestOptionsJSON, WebAuthn Level 3 §5.1.9",
  additionalProperties: true,
};

export const PASSKEY_NAME: SchemaObject = {
  type: "string",
  description: "Name of the passkey, without control characters",
  maxLength: 64,
};

/** With the name of the passkey. */
export const REGISTRATION_RESPONSE: SchemaObject = {
  type: "object",
  description: "RegistrationResponseJSON, WebAuthn Level 3 §5.1",
  properties: { name: PASSKEY_NAME },
  additionalProperties: true,
};

/** With whether the session is persistent. */
export const AUTHENTICATION_RESPONSE: SchemaObject = {
  type: "object",
  description: "AuthenticationResponseJSON, WebAuthn Level 3 §5.1",
  properties: { remember: { type: "boolean", description: "Keep signed in", default: false } },
  additionalProperties: true,
};

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
      userId: STRING,
      allAcceptedCredentialIds: STRINGS,
    }),
    currentUserDetails: /* @__PURE__ */ complete({
      rpId: STRING,
      userId: STRING,
      name: STRING,
      displayName: STRING,
    }),
  }),
});

/** Schema of an object all of whose members are required. */
function complete(properties: Readonly<Record<string, SchemaObject>>): SchemaObject {
  return object(properties, Object.keys(properties));
}
