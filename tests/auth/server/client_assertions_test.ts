/**
 * Client assertions. Sources: RFC 7521 §4.2, RFC 7523 §2.2 and §3, draft-ietf-oauth-rfc7523bis, OpenID Connect Core §9, the attacks
 * AS19, and CVE-2020-15222: an identifier that was claimed after it was compared.
 */

import { assertEquals, assertRejects } from "@std/assert";
import { inMemoryAuthStores, publicJwk } from "../../../auth/mod.ts";
import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { digestText } from "../../../auth/_kdf.ts";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import {
  authenticateClient,
  type ClientRefusal,
} from "../../../auth/server/clients/authentication.ts";
import {
  ASSERTION_TYPE,
  type AssertionChanges,
  assertionFields,
  assertionsOf,
  ID,
  KEY,
  keyOf,
  NOW,
  OTHER_KEY,
  RECORD,
  setup,
  signAssertion,
} from "./_assertions.ts";
import { testClients } from "./_clients.ts";
import { basic, ISSUER } from "./_site.ts";

/** Assertions that authenticate. */
const ACCEPTED: readonly (readonly [
  why: string,
  changes: AssertionChanges,
  fields?: Record<string, string>,
])[] = [
  ["of a minute", {}],
  ["with client_id beside it, RFC 7521 §4.2", {}, { client_id: ID }],
  ["of the type JWT", { header: { typ: "JWT" } }],
  ["of its own type, rfc7523bis §4", { header: { typ: "client-authentication+jwt" } }],
  ["of its own type in full", { header: { typ: "application/Client-Authentication+JWT" } }],
  ["without a type", { header: { typ: undefined } }],
  ["without iat", { claims: { iat: undefined } }],
  ["of five minutes", { claims: { exp: NOW + 300 } }],
  ["of a clock that is 30 seconds ahead", { claims: { iat: NOW + 30, exp: NOW + 330 } }],
  ["of a clock that is 29 seconds behind", { claims: { iat: NOW - 89, exp: NOW - 29 } }],
  ["with times that are fractions", { claims: { iat: NOW - 0.5, exp: NOW + 59.5 } }],
  ["with nbf", { claims: { nbf: NOW } }],
  ["with other claims", { claims: { scope: "x", events: {} } }],
  ["with an empty secret beside it, RFC 6749 §2.3.1", {}, { client_secret: "" }],
];

for (const [why, changes, fields = {}] of ACCEPTED) {
  Deno.test(`authenticateClient() accepts an assertion ${why}`, async () => {
    const authenticate = setup();
    const assertion = await signAssertion(ID, NOW, changes);
    assertEquals(await authenticate({ ...assertionFields(assertion), ...fields }), ID);
  });
}

for (
  const alg of [
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
  ] as const
) {
  Deno.test(`authenticateClient() accepts an assertion of ${alg}, BCP-2.5`, async () => {
    const key = await keyOf(alg);
    const authenticate = setup({ client: { jwks: { keys: [publicJwk(key), publicJwk(KEY)] } } });
    const assertion = await signAssertion(ID, NOW, { key, alg, header: { kid: key.kid } });
    assertEquals(await authenticate(assertionFields(assertion)), ID);
  });
}

Deno.test("authenticateClient() accepts an assertion without kid by the only key of its algorithm", async () => {
  const rsa = await keyOf("PS256");
  const authenticate = setup({ client: { jwks: { keys: [publicJwk(rsa), publicJwk(KEY)] } } });
  const assertion = await signAssertion(ID, NOW, { header: { kid: undefined } });
  assertEquals(await authenticate(assertionFields(assertion)), ID);
});

type Refused = readonly [why: string, changes: AssertionChanges, reason?: ClientRefusal];

/** Assertions that do not, AS19. */
const REFUSED: readonly Refused[] = [
  ["for the token endpoint, 7523bis", { claims: { aud: `${ISSUER}/oauth/token` } }],
  ["for the endpoint below the issuer", { claims: { aud: `${ISSUER}/oauth/par` } }],
  ["for another issuer", { claims: { aud: "https://evil.example" } }],
  ["for the issuer with a slash", { claims: { aud: `${ISSUER}/` } }],
  ["for the issuer in upper case", { claims: { aud: ISSUER.toUpperCase() } }],
  ["for a list with the issuer alone", { claims: { aud: [ISSUER] } }],
  ["for the issuer and the token endpoint", { claims: { aud: [ISSUER, `${ISSUER}/oauth/token`] } }],
  ["for the issuer and another one", { claims: { aud: [ISSUER, "https://evil.example"] } }],
  ["for an empty list", { claims: { aud: [] } }],
  ["for nobody", { claims: { aud: undefined } }],
  ["for null", { claims: { aud: null } }],
  ["without exp", { claims: { exp: undefined, iat: undefined } }],
  ["with exp as text", { claims: { exp: `${NOW + 60}` } }],
  ["with exp as null", { claims: { exp: null } }],
  ["of a year", { claims: { exp: NOW + 31_536_000 } }],
  ["of a year without iat", { claims: { exp: NOW + 31_536_000, iat: undefined } }],
  ["of a year in its last minute", { claims: { iat: NOW - 31_536_000 + 60 } }],
  ["of five minutes and a second", { claims: { exp: NOW + 301 } }],
  ["that expires in 331 seconds, without iat", { claims: { exp: NOW + 331, iat: undefined } }],
  ["that never expires", { claims: { exp: 1e308, iat: 1e308 } }],
  ["that has expired", { claims: { iat: NOW - 90, exp: NOW - 30 } }],
  ["that was issued in the future", { claims: { iat: NOW + 31, exp: NOW + 90 } }],
  ["with iat as text", { claims: { iat: `${NOW}` } }],
  ["that is not valid yet", { claims: { nbf: NOW + 31 } }],
  ["with nbf as text", { claims: { nbf: `${NOW}` } }],
  ["without jti", { claims: { jti: undefined } }],
  ["with an empty jti", { claims: { jti: "" } }],
  ["with jti as a number", { claims: { jti: 7 } }],
  ["with jti as null", { claims: { jti: null } }],
  ["whose sub differs from iss", { claims: { iss: "other" } }],
  ["without iss", { claims: { iss: undefined } }],
  ["with an iss of the server", { claims: { iss: ISSUER } }],
  ["with a list as iss", { claims: { iss: [ID] } }],
  ["of another client's key", { key: OTHER_KEY }],
  ["of another client's key with the client's kid", { key: OTHER_KEY, header: { kid: KEY.kid } }],
  ["of an unknown kid", { header: { kid: "x" } }],
  ["of a key in its header", {
    key: OTHER_KEY,
    header: { jwk: publicJwk(OTHER_KEY), kid: KEY.kid },
  }],
  ["of a key at an address in its header", {
    key: OTHER_KEY,
    header: { jku: "https://evil.example/jwks.json", kid: KEY.kid },
  }],
  ["of the type of an access token", { header: { typ: "at+jwt" } }],
  ["of the type of a DPoP proof", { header: { typ: "dpop+jwt" } }],
  ["of the type of a logout token", { header: { typ: "logout+jwt" } }],
  ["of the type of a request object", { header: { typ: "oauth-authz-req+jwt" } }],
  ["of a type that ends alike", { header: { typ: "x-client-authentication+jwt" } }],
  ["without sub", { claims: { sub: undefined } }, "credentials_malformed"],
  ["with an empty sub", { claims: { sub: "" } }, "credentials_malformed"],
  ["with sub as a number", { claims: { sub: 7 } }, "credentials_malformed"],
  ["of an unknown client", { claims: { iss: "x", sub: "x" } }, "client_unknown"],
  ["of a client in another case", { claims: { iss: "Reports", sub: "Reports" } }, "client_unknown"],
  ["of a client id with NUL", { claims: { iss: "r\0", sub: "r\0" } }, "client_unknown"],
  ["of a public client", { claims: { iss: "public", sub: "public" } }, "method_mismatch"],
  ["of a disabled client", { claims: { iss: "disabled", sub: "disabled" } }, "client_disabled"],
];

for (const [why, changes, reason = "assertion_refused"] of REFUSED) {
  Deno.test(`authenticateClient() refuses an assertion ${why}: ${reason}, AS19`, async () => {
    const claimed: string[] = [];
    const states = {
      claim: (key: string) => Promise.resolve((claimed.push(key), "claimed") as "claimed"),
    };
    const authenticate = setup({ states });
    const assertion = await signAssertion(ID, NOW, changes);
    assertEquals(await authenticate(assertionFields(assertion)), reason);
    assertEquals(claimed, []);
  });
}

/** Assertions that no signer of ours makes: the parts, and what is signed by what. */
const FORGED: readonly (readonly [why: string, forge: () => Promise<string>, reason?: string])[] = [
  ["of the algorithm none", () => forged({ alg: "none" }, ""), "assertion_refused"],
  ["of the algorithm nOnE", () => forged({ alg: "nOnE" }, ""), "assertion_refused"],
  ["of none with a signature", () => forged({ alg: "none" }, "AAAA"), "assertion_refused"],
  ["of HS256 by the public key as a secret", () => hmac(JSON.stringify(publicJwk(KEY)))],
  ["of HS256 by the client's id", () => hmac(ID)],
  [
    "with an extension that is critical",
    () => forged({ alg: "ES256", crit: ["b64"], b64: false }, "AAAA"),
  ],
  ["with an empty signature", async () => (await signAssertion(ID, NOW)).replace(/[^.]*$/, "")],
  ["with another payload", async () => {
    const [header, , signature] = (await signAssertion(ID, NOW)).split(".");
    const [, payload] = (await signAssertion(ID, NOW)).split(".");
    return `${header}.${payload}.${signature}`;
  }],
  ["with a member twice", async () => {
    const [header, payload = "", signature] = (await signAssertion(ID, NOW)).split(".");
    const twice = `{"sub":"${ID}",${
      atob(payload.replaceAll("-", "+").replaceAll("_", "/")).slice(1)
    }`;
    return `${header}.${encode(twice)}.${signature}`;
  }, "credentials_malformed"],
  ["with four parts", async () => `${await signAssertion(ID, NOW)}.x`],
  ["with padding", async () => `${await signAssertion(ID, NOW)}=`],
  ["that is no JWT", () => Promise.resolve("a.b.c"), "credentials_malformed"],
  ["that is %%%", () => Promise.resolve("%%%"), "credentials_malformed"],
  ["that is a JSON array", () => Promise.resolve(`e30.${encode("[]")}.x`), "credentials_malformed"],
];

async function forged(header: object, signature: string): Promise<string> {
  const [, payload] = (await signAssertion(ID, NOW)).split(".");
  return `${encode(JSON.stringify(header))}.${payload}.${signature}`;
}

async function hmac(secret: string): Promise<string> {
  const k = encodeBase64Url(new TextEncoder().encode(secret.padEnd(32)));
  return await signAssertion(ID, NOW, { key: { kty: "oct", k }, alg: "HS256" as JwaAlgorithm });
}

function encode(text: string): string {
  return encodeBase64Url(new TextEncoder().encode(text));
}

for (const [why, forge, reason = "assertion_refused"] of FORGED) {
  Deno.test(`authenticateClient() refuses an assertion ${why}: ${reason}, AS19`, async () => {
    assertEquals(await setup()(assertionFields(await forge())), reason);
  });
}

/** Requests with more or less than one assertion, AS8 and AS18. */
const REQUESTS: readonly (readonly [
  why: string,
  form: (fields: Record<string, string>) => Record<string, string>,
  reason: ClientRefusal,
  authorization?: string,
])[] = [
  ["another client_id", (fields) => ({ ...fields, client_id: "other" }), "credentials_repeated"],
  ["a secret too", (fields) => ({ ...fields, client_secret: "x" }), "credentials_repeated"],
  ["Basic too", (fields) => fields, "credentials_repeated", basic(ID, "x").Authorization],
  ["Bearer too", (fields) => fields, "credentials_repeated", "Bearer x"],
  [
    "no assertion type",
    ({ client_assertion: one = "" }) => ({ client_assertion: one }),
    "credentials_malformed",
  ],
  [
    "the assertion type of SAML",
    (fields) => ({ ...fields, client_assertion_type: ASSERTION_TYPE.replace("jwt", "saml2") }),
    "credentials_malformed",
  ],
  [
    "the assertion type in upper case",
    (fields) => ({ ...fields, client_assertion_type: ASSERTION_TYPE.toUpperCase() }),
    "credentials_malformed",
  ],
  [
    "the assertion type of a grant",
    (fields) => ({
      ...fields,
      client_assertion_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    }),
    "credentials_malformed",
  ],
  [
    "the assertion type alone",
    () => ({ client_id: "public", client_assertion_type: ASSERTION_TYPE }),
    "credentials_malformed",
  ],
  [
    "the assertion as a secret",
    ({ client_assertion: one = "" }) => ({ client_id: ID, client_secret: one }),
    "method_mismatch",
  ],
  ["no assertion", () => ({ client_id: ID }), "method_mismatch"],
  [
    "a secret, and the assertion type",
    () => ({ client_id: ID, client_secret: "x", client_assertion_type: ASSERTION_TYPE }),
    "credentials_repeated",
  ],
  [
    "a secret, and an assertion without its type",
    ({ client_assertion: one = "" }) => ({
      client_id: ID,
      client_secret: "x",
      client_assertion: one,
    }),
    "credentials_repeated",
  ],
];

for (const [why, form, reason, authorization] of REQUESTS) {
  Deno.test(`authenticateClient() refuses a request with ${why}: ${reason}`, async () => {
    const fields = assertionFields(await signAssertion(ID, NOW));
    assertEquals(await setup()(form(fields), authorization), reason);
  });
}

Deno.test("authenticateClient() refuses an assertion where the server keeps no identifiers", async () => {
  const stored = testClients(RECORD);
  const form = new Map(Object.entries(assertionFields(await signAssertion(ID, NOW))));
  for (const more of [[], [["client_id", ID]]] as const) {
    const outcome = await authenticateClient({ clients: stored }, {
      authorization: null,
      form: new Map([...form, ...more]),
    });
    assertEquals(outcome.kind === "refused" && outcome.reason, "credentials_malformed");
  }
});

Deno.test("authenticateClient() refuses an assertion whose sub is not the id of the client that was found, RFC 7523 §3", async () => {
  const { refusalOf } = assertionsOf();
  for (const [sub, reason] of [["Reports", "assertion_refused"], [ID, undefined]] as const) {
    const assertion = await signAssertion(ID, NOW, { claims: { sub } });
    assertEquals(await refusalOf(assertion, RECORD), reason);
  }
});

Deno.test("authenticateClient() uses an assertion once, AS19, CVE-2020-15222", async () => {
  const authenticate = setup();
  const fields = assertionFields(await signAssertion(ID, NOW));
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => authenticate(fields)));
  assertEquals(outcomes.filter((one) => one === ID).length, 1);
  assertEquals(new Set(outcomes), new Set([ID, "assertion_reused"]));
});

Deno.test("authenticateClient() takes a jti for one of its client and issuer, until the assertion expires", async () => {
  const clock = { now: NOW };
  const now = () => clock.now;
  const { states } = inMemoryAuthStores({ now });
  const claims: (readonly [string, number])[] = [];
  const authenticate = setup({
    now,
    states: {
      claim: (key, expiresAt) => (claims.push([key, expiresAt]), states.claim(key, expiresAt)),
    },
  });
  const send = async (clientId: string, jti: string, changes: AssertionChanges = {}) =>
    await authenticate(assertionFields(
      await signAssertion(clientId, clock.now, { ...changes, claims: { jti, ...changes.claims } }),
    ));
  assertEquals(await send(ID, "1", { claims: { exp: NOW + 59.5 } }), ID);
  assertEquals(await send("other", "1", { key: OTHER_KEY }), "other"); // no client takes another's
  assertEquals(await send(ID, "1"), "assertion_reused"); // another assertion, the same identifier
  assertEquals(claims, [
    [`client-assertion:${await digestText(JSON.stringify([ISSUER, ID, "1"]))}`, NOW + 90],
    [`client-assertion:${await digestText(JSON.stringify([ISSUER, "other", "1"]))}`, NOW + 90],
    [`client-assertion:${await digestText(JSON.stringify([ISSUER, ID, "1"]))}`, NOW + 90],
  ]);
  clock.now += 89;
  assertEquals(await send(ID, "1"), "assertion_reused");
  clock.now += 1;
  assertEquals(await send(ID, "1"), ID);
});

Deno.test("authenticateClient() lets nobody pass while identifiers cannot be kept", async () => {
  const authenticate = setup({ states: { claim: () => Promise.reject(new Error("down")) } });
  const fields = assertionFields(await signAssertion(ID, NOW));
  await assertRejects(() => authenticate(fields), Error, "down");
  for (const answer of [undefined, null, true, "", "Claimed"]) {
    const states = { claim: () => Promise.resolve(answer as "claimed") };
    assertEquals(await setup({ states })(fields), "assertion_reused");
  }
});

Deno.test("authenticateClient() verifies one signature for every assertion, whether or not the client exists", async () => {
  const { generateKey, verify } = crypto.subtle;
  const rows: readonly (readonly [string, AssertionChanges])[] = [
    [ID, {}],
    [ID, { key: OTHER_KEY, header: { kid: KEY.kid } }],
    [ID, { header: { kid: "x" } }],
    ["unknown", {}],
    ["unknown", { header: { kid: "x" } }],
    ["public", {}],
    ["disabled", {}],
    ["a".repeat(201), {}],
  ];
  for (const alg of ["ES256", "RS256", "EdDSA"] as const) {
    const key = alg === "ES256" ? KEY : await keyOf(alg);
    const counts: number[] = [];
    for (const [clientId, changes] of rows) {
      const authenticate = setup({ client: { jwks: { keys: [publicJwk(key)] } } });
      const kid = { kid: key.kid, ...changes.header };
      const signer = changes.key !== undefined && alg === "ES256" ? changes.key : key;
      const assertion = await signAssertion(clientId, NOW, { key: signer, alg, header: kid });
      await authenticate(assertionFields(assertion)); // creates the decoy
      const again = await signAssertion(clientId, NOW, { key: signer, alg, header: kid });
      let count = 0;
      crypto.subtle.verify = (...args: Parameters<typeof verify>) => (
        count++, verify.apply(crypto.subtle, args)
      );
      Object.assign(crypto.subtle, {
        generateKey: () => Promise.reject(new Error("takes longer")),
      });
      try {
        await authenticate(assertionFields(again));
      } finally {
        Object.assign(crypto.subtle, { generateKey, verify });
      }
      counts.push(count);
    }
    assertEquals(counts, rows.map(() => 1), alg);
  }
});
