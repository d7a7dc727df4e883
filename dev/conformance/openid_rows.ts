/**
 * Modules of the conformance suite of the OpenID Foundation, as rows of `docs/conformance.md`.
 *
 * @module
 */

import type { Section } from "./types.ts";

const ABOUT =
  "Names are those of the suite. Every request has PKCE, which the suite sends in one " +
  "module only: the server demands it.";

/** Modules of the suite. */
export const OPENID: readonly Section[] = [
  {
    title: "OpenID Provider: Basic and Config",
    about: ABOUT,
    rows: [
      ["oidcc-server", "The code flow", "Code and tokens; ID token with all claims; no-store"],
      ["oidcc-response-type-missing", "No `response_type`", "`invalid_request`"],
      ["oidcc-idtoken-signature", "No algorithm is asked for", "RS256, `kid` is in the JWKS"],
      [
        "oidcc-idtoken-unsigned",
        "Registration with `id_token_signed_response_alg: none`",
        "The server's algorithm is used",
      ],
      ["oidcc-userinfo-get", "UserInfo by GET", "The same `sub`"],
      ["oidcc-userinfo-post-header", "UserInfo by POST, token in the header", "The same `sub`"],
      ["oidcc-userinfo-post-body", "UserInfo by POST, token in the body", "Refused"],
      [
        "oidcc-ensure-request-without-nonce-succeeds-for-code-flow",
        "No `nonce`",
        "No `nonce` in the ID token",
      ],
      ["oidcc-scope-profile", "Scope `profile`", "Its claims in UserInfo"],
      ["oidcc-scope-email", "Scope `email`", "`email`, and `email_verified` as a boolean"],
      ["oidcc-scope-address", "Scope `address`", "No error"],
      ["oidcc-scope-phone", "Scope `phone`", "No error"],
      ["oidcc-scope-all", "All four scopes", "No error"],
      ["oidcc-alternate-happy-flow", "Parameters in another order", "The same result"],
      ["oidcc-display-page", "`display=page`", "No error"],
      ["oidcc-display-popup", "`display=popup`", "No error"],
      ["oidcc-prompt-login", "`prompt=login`", "A sign-in, and a later `auth_time`"],
      ["oidcc-prompt-none-not-logged-in", "`prompt=none`, signed out", "`login_required`"],
      ["oidcc-prompt-none-logged-in", "`prompt=none`, signed in", "No page, same `auth_time`"],
      ["oidcc-max-age-1", "`max_age=1`", "A sign-in, and `auth_time` in the ID token"],
      ["oidcc-max-age-10000", "`max_age=10000`", "No page, `auth_time` in the ID token"],
      [
        "oidcc-ensure-request-with-unknown-parameter-succeeds",
        "An unknown parameter",
        "It is ignored",
      ],
      ["oidcc-id-token-hint", "`id_token_hint`", "No page; `login_required` for another user"],
      ["oidcc-login-hint", "`login_hint`", "The sign-in page gets it"],
      ["oidcc-ui-locales", "`ui_locales`", "No error"],
      ["oidcc-claims-locales", "`claims_locales`", "No error"],
      ["oidcc-ensure-request-with-acr-values-succeeds", "`acr_values`", "No error"],
      ["oidcc-codereuse", "A code twice", "`invalid_grant`"],
      [
        "oidcc-codereuse-30seconds",
        "A code again after 30 seconds",
        "`invalid_grant`, and its tokens end",
      ],
      [
        "oidcc-ensure-registered-redirect-uri",
        "A redirect URI that is not registered",
        "A page, no redirect",
      ],
      ["oidcc-ensure-post-request-succeeds", "The request by POST", "As by GET"],
      ["oidcc-server-client-secret-post", "`client_secret_post`", "Tokens"],
      [
        "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
        "`request_uri` of a client",
        "`request_uri_not_supported`, nothing is fetched",
      ],
      [
        "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
        "`request`",
        "`request_not_supported`",
      ],
      ["oidcc-claims-essential", "`claims` with an essential one", "No error"],
      [
        "oidcc-ensure-request-object-with-redirect-uri",
        "A redirect URI in `request`",
        "`request_not_supported`",
      ],
      ["oidcc-refresh-token", "A refresh", "New tokens; `invalid_grant` for another client"],
      ["oidcc-ensure-request-with-valid-pkce-succeeds", "PKCE, S256", "Tokens"],
      [
        "oidcc-discovery-endpoint-verification",
        "The metadata",
        "All required members; the issuer is exact",
      ],
    ],
  },
  {
    title: "Relying Party: Basic and Config",
    about: "Names are those of the suite.",
    rows: [
      ["oidcc-client-test", "An honest provider", "The user is signed in"],
      ["oidcc-client-test-invalid-iss", "`iss` of another issuer", "Refused"],
      ["oidcc-client-test-missing-sub", "No `sub`", "Refused"],
      ["oidcc-client-test-invalid-aud", "`aud` of another client", "Refused"],
      ["oidcc-client-test-missing-iat", "No `iat`", "Refused"],
      ["oidcc-client-test-kid-absent-single-jwks", "No `kid`, one key", "Accepted"],
      ["oidcc-client-test-kid-absent-multiple-jwks", "No `kid`, two keys fit", "Refused"],
      ["oidcc-client-test-idtoken-sig-rs256", "RS256", "Accepted"],
      ["oidcc-client-test-idtoken-sig-none", "`alg: none`", "Refused"],
      ["oidcc-client-test-invalid-sig-rs256", "A wrong signature", "Refused"],
      ["oidcc-client-test-userinfo-bearer-header", "UserInfo", "The token is in the header"],
      [
        "oidcc-client-test-userinfo-bearer-body",
        "UserInfo with the token in the body",
        "Not built: RFC 6750 §2.2 advises against it",
        "absent",
      ],
      ["oidcc-client-test-userinfo-invalid-sub", "UserInfo of another `sub`", "Refused"],
      ["oidcc-client-test-nonce-invalid", "Another `nonce`", "Refused"],
      ["oidcc-client-test-scope-userinfo-claims", "Claims in UserInfo", "They are in the profile"],
      ["oidcc-client-test-client-secret-basic", "`client_secret_basic`", "Both are form-encoded"],
      ["oidcc-client-test-discovery-openid-config", "Discovery", "Its endpoints are used"],
      ["oidcc-client-test-discovery-jwks-uri-keys", "`jwks_uri`", "Its keys are used"],
      ["oidcc-client-test-discovery-issuer-mismatch", "Metadata of another issuer", "Refused"],
      [
        "oidcc-client-test-signing-key-rotation-just-before-signing",
        "A key that is published after the start",
        "Accepted",
      ],
      ["oidcc-client-test-signing-key-rotation", "The next sign-in by a new key", "Accepted"],
    ],
  },
  {
    title: "OpenID Provider: logout",
    about: "Names are those of the suite.",
    rows: [
      [
        "oidcc-rp-initiated-logout-discovery-endpoint-verification",
        "The metadata",
        "`end_session_endpoint`",
      ],
      [
        "oidcc-rp-initiated-logout",
        "Hint, registered URI and `state`",
        "Back with `state`; `prompt=none` is `login_required`",
      ],
      [
        "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
        "A URI that is not registered",
        "A page, no redirect",
      ],
      [
        "oidcc-rp-initiated-logout-modified-id-token-hint",
        "A hint with `alg: none`",
        "A page, no redirect",
      ],
      ["oidcc-rp-initiated-logout-no-id-token-hint", "A URI without a hint", "A page that asks"],
      ["oidcc-rp-initiated-logout-no-params", "No parameters", "A page that asks"],
      [
        "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
        "A hint only",
        "A page: signed out",
      ],
      ["oidcc-rp-initiated-logout-no-state", "No `state`", "Back without `state`"],
      ["oidcc-rp-initiated-logout-only-state", "`state` only", "A page that asks"],
      [
        "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
        "A registered URI with a query added",
        "A page, no redirect",
      ],
      [
        "oidcc-rp-initiated-logout-bad-id-token-hint",
        "A hint that another key signed",
        "A page, no redirect",
      ],
      [
        "oidcc-backchannel-logout-discovery-endpoint-verification",
        "The metadata",
        "`backchannel_logout_supported`, `backchannel_logout_session_supported`",
      ],
      [
        "oidcc-backchannel-rp-initiated-logout",
        "A logout",
        "A signed logout token with all claims and no `nonce`",
      ],
    ],
  },
];
