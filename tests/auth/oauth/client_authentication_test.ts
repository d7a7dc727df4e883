/** How a client authenticates at the token endpoint. */

import { assert, assertEquals, assertFalse, assertNotEquals, assertThrows } from "@std/assert";
import {
  authenticateClient,
  checkAuthentication,
} from "../../../auth/oauth/_client_authentication.ts";
import type { OAuthClientAuthentication, OAuthProvider } from "../../../auth/oauth/mod.ts";
import {
  type AsymmetricAlgorithm,
  generateJwk,
  type JwaAlgorithm,
  publicJwk,
  verifyJwt,
} from "../../../auth/mod.ts";
import { METADATA, PROVIDER } from "./_requests.ts";
import { NOW } from "./_sign_in.ts";

const now = () => NOW;

function authenticate(
  authentication: OAuthClientAuthentication,
  { clientId = "client", methods }: { clientId?: string; methods?: readonly string[] } = {},
) {
  const metadata = { ...METADATA, token_endpoint_auth_methods_supported: methods };
  return authenticateClient({ clientId, authentication }, metadata, now);
}

/** RFC 6749 §2.3.1 and Appendix B: id and secret are form-encoded before base64. */
const BASIC: readonly (readonly [why: string, id: string, secret: string, pair: string])[] = [
  [
    "RFC 6749 §2.3.1's example",
    "s6BhdRkqt3",
    "7Fjfp0ZBr1KtDRbnfVdmIw",
    "s6BhdRkqt3:7Fjfp0ZBr1KtDRbnfVdmIw",
  ],
  ["Appendix B's characters", "id", " %&+£€", "id:+%25%26%2B%C2%A3%E2%82%AC"],
  ["a colon, which would end the id", "a:b", "c:d", "a%3Ab:c%3Ad"],
  ["characters that stay", "a-b.c_d*e", "~", "a-b.c_d*e:%7E"],
  ["a URL as id", "https://app.example/?a=b", "s", "https%3A%2F%2Fapp.example%2F%3Fa%3Db:s"],
  ["a letter outside the basic plane", "𝄞", "s", "%F0%9D%84%9E:s"],
];
for (const [why, clientId, secret, pair] of BASIC) {
  Deno.test(`authenticateClient() encodes for client_secret_basic: ${why}, oidcc-client-test-client-secret-basic`, async () => {
    const found = await authenticate({ method: "client_secret_basic", secret }, { clientId });
    assertEquals(found, { headers: { Authorization: `Basic ${btoa(pair)}` }, parameters: {} });
  });
}

Deno.test("authenticateClient() sends client_secret_post in the form", async () => {
  const found = await authenticate({ method: "client_secret_post", secret: "s:c%t +é" });
  assertEquals(found, {
    headers: {},
    parameters: { client_id: "client", client_secret: "s:c%t +é" },
  });
});

Deno.test("authenticateClient() sends the id of a public client in the form", async () => {
  assertEquals(await authenticate({ method: "none" }), {
    headers: {},
    parameters: { client_id: "client" },
  });
});

/** Which method `client_secret` becomes, RFC 8414 §2. */
const CHOICES: readonly (readonly [methods: readonly string[] | undefined, isBasic: boolean])[] = [
  [undefined, true],
  [[], true],
  [["client_secret_basic"], true],
  [["client_secret_post", "client_secret_basic"], true],
  [["private_key_jwt"], true],
  [["client_secret_post"], false],
  [["none", "client_secret_post"], false],
];
for (const [methods, isBasic] of CHOICES) {
  const name = isBasic ? "client_secret_basic" : "client_secret_post";
  Deno.test(`authenticateClient() chooses ${name} of ${JSON.stringify(methods)}`, async () => {
    const found = await authenticate({ method: "client_secret", secret: "s" }, {
      ...(methods === undefined ? {} : { methods }),
    });
    assertEquals("Authorization" in found.headers, isBasic);
    assertEquals("client_secret" in found.parameters, !isBasic);
  });
}

Deno.test("authenticateClient() signs a secret for each request", async () => {
  const times: number[] = [];
  const secret = (at: number) => {
    times.push(at);
    return Promise.resolve(`signed ${times.length}`);
  };
  const authentication = { method: "signed_client_secret", secret } as const;
  for (const number of [1, 2]) {
    assertEquals(await authenticate(authentication), {
      headers: {},
      parameters: { client_id: "client", client_secret: `signed ${number}` },
    });
  }
  assertEquals(times, [NOW, NOW]);
});

/** One row for each key type. */
const ALGORITHMS: readonly AsymmetricAlgorithm[] = ["ES256", "RS256", "PS256", "EdDSA"];
for (const alg of ALGORITHMS) {
  Deno.test(`authenticateClient() sends an assertion for private_key_jwt with ${alg}, RFC 7523 §3`, async () => {
    const key = await generateJwk(alg);
    const found = await authenticate({ method: "private_key_jwt", key, alg });
    assertEquals(found.headers, {});
    const { client_assertion: assertion = "", ...parameters } = found.parameters;
    assertEquals(parameters, {
      client_id: "client",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    const { claims, header } = await verifyJwt(assertion, {
      algorithms: [alg],
      keys: publicJwk(key),
      issuer: "client",
      audience: METADATA.issuer,
      now,
    });
    const { jti, ...others } = claims;
    assertEquals(others, {
      iss: "client",
      sub: "client",
      aud: METADATA.issuer,
      iat: NOW,
      exp: NOW + 60,
    });
    assertEquals(header, { alg, typ: "JWT", ...(key.kid === undefined ? {} : { kid: key.kid }) });
    assert(typeof jti === "string" && jti.length >= 16, "jti");
  });
}

Deno.test("authenticateClient() never sends an assertion twice", async () => {
  const key = await generateJwk("ES256");
  const send = () => authenticate({ method: "private_key_jwt", key, alg: "ES256" });
  const jtis = await Promise.all([send(), send()].map(async (sent) => {
    const { client_assertion: assertion = "" } = (await sent).parameters;
    const { claims } = await verifyJwt(assertion, {
      algorithms: ["ES256"],
      keys: publicJwk(key),
      audience: METADATA.issuer,
      now,
    });
    return claims.jti;
  }));
  assertNotEquals(jtis[0], jtis[1]);
});

Deno.test("authenticateClient() takes another audience where the provider demands one", async () => {
  const key = await generateJwk("ES256");
  const audience = METADATA.token_endpoint;
  const { parameters } = await authenticate({
    method: "private_key_jwt",
    key,
    alg: "ES256",
    audience,
  });
  const { claims } = await verifyJwt(parameters["client_assertion"] ?? "", {
    algorithms: ["ES256"],
    keys: publicJwk(key),
    audience,
    now,
  });
  assertEquals(claims.aud, audience);
});

Deno.test("checkAuthentication() accepts every method", async () => {
  const key = await generateJwk("ES256");
  const accepted: readonly OAuthClientAuthentication[] = [
    { method: "none" },
    { method: "client_secret", secret: "s" },
    { method: "client_secret_basic", secret: "s" },
    { method: "client_secret_post", secret: "s" },
    { method: "signed_client_secret", secret: () => Promise.resolve("s") },
    { method: "private_key_jwt", key, alg: "ES256" },
    { method: "private_key_jwt", key: await generateJwk("EdDSA"), alg: "Ed25519" },
  ];
  for (const authentication of accepted) checkAuthentication({ ...PROVIDER, authentication });
});

Deno.test("checkAuthentication() rejects a missing secret, and a key that cannot sign", async () => {
  const key = await generateJwk("ES256");
  const secret = await generateJwk("HS256");
  const rsa = await generateJwk("RS256");
  const method = "private_key_jwt";
  const rejected: readonly (readonly [why: string, authentication: unknown])[] = [
    ["none at all", undefined],
    ["an unknown method", { method: "tls_client_auth" }],
    ["a method of the prototype", { method: "constructor" }],
    ["an empty secret", { method: "client_secret", secret: "" }],
    ["an environment variable that is not set", { method: "client_secret_basic" }],
    ["a secret that is a number", { method: "client_secret_post", secret: 7 }],
    ["a signed secret that is a string", { method: "signed_client_secret", secret: "s3cret" }],
    ["no key", { method, alg: "ES256" }],
    ["a key of null", { method, key: null, alg: "ES256" }],
    ["a key as text", { method, key: JSON.stringify(key), alg: "ES256" }],
    ["a public key", { method, key: publicJwk(key), alg: "ES256" }],
    ["a key of another type", { method, key: rsa, alg: "ES256" }],
    ["a key of another curve", { method, key, alg: "ES384" }],
    ["a shared secret", { method, key: secret, alg: "HS256" satisfies JwaAlgorithm }],
    ["no algorithm", { method, key }],
    ["an algorithm of the prototype", { method, key, alg: "constructor" }],
  ];
  for (const [why, authentication] of rejected) {
    const provider = { ...PROVIDER, authentication } as OAuthProvider;
    const error = assertThrows(() => checkAuthentication(provider), TypeError, undefined, why);
    assertFalse(error.message.includes("s3cret"));
    assertFalse(error.message.includes(key.d ?? "no key"));
  }
});
