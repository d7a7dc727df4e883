/**
 * Attacks on relying parties and authorization servers, as rows of `docs/conformance.md`.
 *
 * @module
 */

import type { Section } from "./types.ts";

/** Attacks, from advisories and standards. */
export const ATTACKS: readonly Section[] = [
  {
    title: "Attacks on the authorization server",
    about: "From advisories on other servers, and from the standards.",
    rows: [
      ["AS1", "34 forms of a redirect URI that is almost the registered one", "A page"],
      ["AS2", "Loopback URIs with another path or host", "Refused"],
      ["AS3", "Redirect URIs with `javascript:`, a fragment, user info, `http`", "Refused"],
      ["AS4", "Errors before the client is valid", "A page, no redirect"],
      ["AS5", "Other response modes, `form_post` to a script", "Refused"],
      ["AS6", "No challenge, `plain`, malformed challenges", "`invalid_request`"],
      ["AS7", "No verifier, or a malformed one", "`invalid_grant`"],
      ["AS8", "A public client with an invented secret", "`invalid_client`"],
      ["AS9", "A code 20 times at once, in four processes", "One succeeds"],
      ["AS10", "A code again, long after", "`invalid_grant`, the tokens end"],
      ["AS11", "A forged code with a real id", "`invalid_grant`, the grant stays"],
      ["AS12", "A code by another client or with another redirect URI", "`invalid_grant`"],
      ["AS13", "More APIs than were granted", "`invalid_target`, the code can still be used"],
      ["AS14", "A refresh without the client's secret", "`invalid_client`, the grant stays"],
      ["AS15", "A refresh token 20 times at once", "One succeeds, the grant ends"],
      ["AS16", "A refresh for more, or by another kind of token", "Refused"],
      ["AS17", "A refresh of a user or client that is gone", "`invalid_grant`"],
      ["AS18", "Credentials by another method, malformed, or twice", "`invalid_client`"],
      [
        "AS19",
        "A client assertion again, for another audience, by another key",
        "`invalid_client`",
      ],
      ["AS20", "Malformed token requests", "4xx"],
      ["AS21", "Another client's token", "The response tells nothing"],
      ["AS22", "Revocation of foreign and unknown tokens", "The same response"],
      ["AS23", "Introspection by an API that a token is not for", "Inactive"],
      ["AS24", "UserInfo with tokens of other kinds", "Refused"],
      ["AS25", "Malformed `Authorization`", "401"],
      ["AS26", "A consent form of another browser, site or request", "403, no code"],
      ["AS27", "A consent page in a frame, hostile names", "Impossible; shown without effect"],
      ["AS28", "A cancelled `prompt=login`", "The user must still sign in"],
      ["AS29", "`prompt=none` without session or consent", "An error, no page"],
      ["AS30", "Values of `max_age`", "As OpenID Connect says"],
      ["AS31", "A program that claims to be a native client", "The user is always asked"],
      ["AS32", "`request_uri` of an internal address", "Nothing is fetched"],
      ["AS33", "A pushed request twice, late, by another client", "Refused"],
      ["AS34", "A plain request of a client that must push", "`invalid_request`"],
      ["AS35", "Guessed user codes, fast polls, foreign approvals", "Refused"],
      ["AS36", "Registrations with privileges, and thousands of them", "Refused, bounded"],
      ["AS37", "Hostile client documents", "Refused"],
      ["AS38", "Client documents of internal addresses", "Nothing is fetched"],
      ["AS39", "A DPoP proof again, for another request, by another key", "Refused"],
      ["AS40", "A logout by another site, redirects that are not registered", "The user is asked"],
      ["AS41", "307 after the sign-in form", "303"],
      ["AS42", "`Host` in the metadata", "Made of the issuer"],
      ["AS43", "Metadata that promise what is not there", "Made of the same tables"],
      ["AS44", "CORS where a session is used", "None"],
      ["AS45", "Unknown, malformed and very many scopes", "Refused"],
      ["AS46", "A client that changes during a flow", "Checked again"],
      ["AS47", "Two servers on one store", "Each knows its own records only"],
      ["AS48", "An ID token as access token", "Refused"],
      ["AS49", "10⁵ anonymous requests", "Memory is bounded"],
      ["AS50", "A token of a withdrawn grant", "Refused at once"],
    ],
  },
];
