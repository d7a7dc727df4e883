/**
 * Sign in with Apple.
 *
 * @module
 */

import { importPem } from "../../jwt/pem.ts";
import { signJwt } from "../../jwt/jwt.ts";
import type { Jwk } from "../../jwt/types.ts";
import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkPreset, cleanProfile, openIdProvider } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode apple}. */
export interface AppleOptions extends Omit<PresetOptions, "clientSecret"> {
  /** Team id, 10 characters. */
  readonly teamId: string;
  /** Id of the private key, 10 characters. */
  readonly keyId: string;
  /** The private key: the text of the `.p8` file, or a JWK of P-256. */
  readonly privateKey: string | Jwk;
}

const ISSUER = "https://appleid.apple.com";

/** Apple accepts up to six months; each request has a secret of its own. */
const SECRET_LIFETIME = 300;

/**
 * Sign in with Apple on the web. Register a Services ID (the client id) and a key at developer.apple.com, Certificates,
 * Identifiers & Profiles; redirect URIs are https to a domain, not localhost and not an IP address.
 *
 * The response is a form that Apple's page posts, so the cookie of the sign-in is `SameSite=None`. The client secret is signed for
 * each request. The subject is `sub`; Apple verifies all e-mail addresses, of which many are relay addresses. The name comes at
 * the first consent only and unsigned, so it is for display only.
 * Not confirmed: that subjects are per team, and the longest lifetime of a secret.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function apple(options: AppleOptions): OAuthProvider {
  checkPreset("apple", options, {
    required: ["clientId", "teamId", "keyId"],
    others: ["privateKey"],
  });
  const { clientId, teamId, keyId, privateKey } = options;
  if (!isPrivateKey(privateKey)) {
    throw new TypeError(
      'Cannot create provider apple: privateKey must be a JWK of P-256, or PEM with its line breaks: "-----BEGIN PRIVATE KEY-----"',
    );
  }
  return openIdProvider({
    name: "apple",
    options,
    defaultScope: ["name", "email"], // the ID token also comes without openid
    authentication: {
      method: "signed_client_secret",
      secret: async (now) => {
        const key = typeof privateKey === "string"
          ? await importPem(privateKey, { alg: "ES256" })
          : privateKey;
        return await signJwt({ iss: teamId, sub: clientId, aud: ISSUER }, {
          algorithms: ["ES256"],
          key,
          header: { kid: keyId, typ: undefined },
          expiresIn: SECRET_LIFETIME,
          now: () => now,
        });
      },
    },
    server: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/auth/authorize`,
      token_endpoint: `${ISSUER}/auth/token`,
      jwks_uri: `${ISSUER}/auth/keys`,
      revocation_endpoint: `${ISSUER}/auth/revoke`,
    },
    responseMode: "form_post",
    profile: readProfile,
  });
}

/** The key itself is checked when it signs; this finds a missing variable, and line breaks that were escaped in one. */
function isPrivateKey(key: unknown): boolean {
  if (typeof key === "string") return /^\s*-----BEGIN PRIVATE KEY-----\s/.test(key);
  if (typeof key !== "object" || key === null) return false;
  const { crv, d } = key as Partial<Jwk>;
  return crv === "P-256" && typeof d === "string";
}

/** Apple documents that `email_verified` is a boolean or a string. */
function readProfile({ claims, unsigned }: OAuthFindings): OAuthProfile {
  const { sub, email, email_verified } = claims;
  const emailVerified = email_verified === true || email_verified === "true";
  return cleanProfile({ subject: sub, email, emailVerified, name: nameOf(unsigned) });
}

function nameOf(user: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const name = user?.["name"];
  if (typeof name !== "object" || name === null) return undefined;
  const { firstName, lastName } = name as Readonly<Record<string, unknown>>;
  return [firstName, lastName].filter((part) => typeof part === "string").join(" ");
}
