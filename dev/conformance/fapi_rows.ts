/**
 * Demands of the FAPI 2.0 Security Profile on authorization servers, as rows of `docs/conformance.md`.
 *
 * @module
 */

import type { Section } from "./types.ts";

/** Demands of the profile, by section and number. */
export const FAPI: readonly Section[] = [
  {
    title: "FAPI 2.0 Security Profile",
    about: 'The server with `profile: "fapi2"`. The numbers are the section and its item.',
    rows: [
      ["FAPI2-5.2.1", "An issuer without TLS", "Refused at the start"],
      ["FAPI2-5.3.2.1-1", "The metadata", "They say what the profile demands"],
      ["FAPI2-5.3.2.1-2", "The password grant", "`unsupported_grant_type`"],
      ["FAPI2-5.3.2.1-3", "Public clients", "Refused"],
      ["FAPI2-5.3.2.1-4", "A request without a key for its tokens", "Refused"],
      ["FAPI2-5.3.2.1-5", "Access tokens", "Bound to a key by DPoP"],
      ["FAPI2-5.3.2.1-6", "Client secrets", "Refused: `private_key_jwt` only"],
      ["FAPI2-5.3.2.1-7", "Redirects to others", "Never"],
      ["FAPI2-5.3.2.1-8", "`aud` of a client assertion", "The issuer, as a string"],
      ["FAPI2-5.3.2.1-9", "Refreshes", "The refresh token stays the same"],
      ["FAPI2-5.3.2.1-10", "A proof without a nonce, with `nonceKeys`", "Refused, with a nonce"],
      ["FAPI2-5.3.2.1-11", "Codes", "They live for 60 seconds at most"],
      ["FAPI2-5.3.2.1-12", "A code of another key", "Refused"],
      ["FAPI2-5.3.2.1-13", "JWTs of the next 10 seconds", "Accepted; of more than 60 refused"],
      ["FAPI2-5.3.2.1-14", "Access tokens", "With the scopes that were asked for and granted"],
      ["FAPI2-5.3.2.2-1", "Another response type than `code`", "Refused"],
      ["FAPI2-5.3.2.2-2", "Authorization requests", "Pushed, RFC 9126"],
      ["FAPI2-5.3.2.2-3", "A request that was not pushed", "Refused"],
      ["FAPI2-5.3.2.2-4", "A push without authentication", "Refused"],
      ["FAPI2-5.3.2.2-5", "A request without PKCE, S256", "Refused"],
      ["FAPI2-5.3.2.2-6", "A push without a redirect URI", "Refused"],
      ["FAPI2-5.3.2.2-7", "The response", "It has `iss`"],
      ["FAPI2-5.3.2.2-8", "A redirect URI of `http`", "Refused"],
      ["FAPI2-5.3.2.2-9", "A code twice", "Refused, its tokens end"],
      ["FAPI2-5.3.2.2-10", "The redirect of the response", "Not 307"],
      ["FAPI2-5.3.2.2-11", "The redirect of a request with credentials", "303"],
      ["FAPI2-5.3.2.2-12", "`expires_in` of a push", "Less than 600 seconds"],
      ["FAPI2-5.3.2.2-13", "The consent page", "It shows the client and the scopes"],
      ["FAPI2-5.3.2.2-14", "A nonce of 64 characters", "It comes back"],
      ["FAPI2-5.4.1-1", "Algorithms, also of the server's keys", "PS256, ES256, Ed25519"],
      ["FAPI2-5.4.1-2", "An RSA key of less than 2048 bits", "Refused"],
      ["FAPI2-5.4.1-3", "A key of a curve of less than 224 bits", "Refused"],
      ["FAPI2-5.4.1-4", "References, codes and refresh tokens", "256 random bits"],
    ],
  },
];
