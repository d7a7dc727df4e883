/** Which options presets refuse. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { generateJwk, importJwk } from "../../../../auth/jwt/jwk.ts";
import * as presets from "../../../../auth/oauth/mod.ts";
import { APPLE, APPLE_KEY, CLIENT, TENANT } from "./_fixtures.ts";

type Options = Readonly<Record<string, unknown>>;

/** Options with which each preset works. */
const VALID: Readonly<Record<string, Options>> = {
  google: CLIENT,
  microsoft: { ...CLIENT, tenant: TENANT },
  apple: { ...APPLE },
  github: CLIENT,
  gitlab: CLIENT,
  discord: CLIENT,
  facebook: CLIENT,
  linkedin: CLIENT,
  slack: CLIENT,
  twitch: CLIENT,
  oidcProvider: { ...CLIENT, issuer: "https://id.example.com" },
  auth0: { ...CLIENT, domain: "notes.eu.auth0.com" },
  okta: { ...CLIENT, domain: "notes.okta.com" },
  keycloak: { ...CLIENT, url: "https://sso.example.com", realm: "notes" },
  cognito: { ...CLIENT, region: "eu-central-1", userPoolId: "eu-central-1_A" },
};

/** [why, options in place of the valid ones, message] */
const REFUSED_BY_ALL: readonly (readonly [why: string, change: Options, message: string])[] = [
  ["an unknown option", { clientSecrets: "x" }, "unknown option clientSecrets"],
  ["no client id", { clientId: undefined }, "clientId must be a non-empty string"],
  ["an empty client id", { clientId: "" }, "clientId must be a non-empty string"],
  ["a scope that is a string", { scope: "openid email" }, "scope must be an array"],
  ["two scopes in one string", { scope: ["openid email"] }, "scope must be an array"],
  ["a scope with a line break", { scope: ["openid\n"] }, "scope must be an array"],
  ["parameters that are a string", { parameters: "a=b" }, "parameters must be an object"],
  ["parameters that are null", { parameters: null }, "parameters must be an object"],
  ["parameters that are a list", { parameters: [["a", "b"]] }, "parameters must be an object"],
  ["a parameter that is a number", { parameters: { a: 1 } }, "parameters must be strings"],
];

/** Parameters of the request that the client sets. */
const OWN_PARAMETERS = [
  "response_type",
  "response_mode",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "prompt",
  "login_hint",
  "max_age",
  "acr_values",
  "request",
  "request_uri",
];

for (const [name, valid] of Object.entries(VALID)) {
  Deno.test(`${name}() rejects options that no preset has`, () => {
    create(name, valid);
    for (const [why, change, message] of REFUSED_BY_ALL) {
      assertThrows(() => create(name, { ...valid, ...change }), TypeError, message, why);
    }
    for (const own of OWN_PARAMETERS) {
      const change = { parameters: { [own]: "x" } };
      assertThrows(() => create(name, { ...valid, ...change }), TypeError, own);
    }
    for (const options of [undefined, null, "client-1"]) {
      assertThrows(() => create(name, options), TypeError, "options must be an object");
    }
  });
}

Deno.test("Presets reject a secret that is undefined or empty, and do not become public clients", () => {
  for (const [name, valid] of Object.entries(VALID)) {
    if (name === "apple") continue;
    for (const clientSecret of [undefined, "", null, 1]) {
      const error = assertThrows(() => create(name, { ...valid, clientSecret }), TypeError);
      assertEquals(error.message.endsWith("is its environment variable set?"), true, name);
    }
  }
});

Deno.test("Presets whose user comes from an ID token demand the scope openid", () => {
  const demanding = Object.entries(VALID).filter(([name, valid]) => {
    try {
      create(name, { ...valid, scope: ["email"] });
      return false;
    } catch (error) {
      assert(error instanceof TypeError && error.message.endsWith("scope must contain openid"));
      return true;
    }
  }).map(([name]) => name);
  const others = ["apple", "discord", "facebook", "github"];
  assertEquals(
    demanding.sort(),
    Object.keys(VALID).filter((name) => !others.includes(name)).sort(),
  );
});

/** [preset, option, refused values] */
const REFUSED: readonly (readonly [name: string, option: string, values: readonly unknown[]])[] = [
  ["google", "hostedDomain", ["", null, ["corp.example"]]],
  [
    "microsoft",
    "tenant",
    [undefined, "", "contoso.example", TENANT.toUpperCase().replace(/1/g, "A"), `${TENANT}/..`],
  ],
  ["apple", "teamId", [undefined, "", 1]],
  ["apple", "keyId", [undefined, ""]],
  [
    "apple",
    "privateKey",
    [
      undefined,
      "",
      "secret",
      "-----BEGIN PRIVATE KEY-----\\nMIGT\\n-----END PRIVATE KEY-----",
      "-----BEGIN EC PRIVATE KEY-----\nMIGT\n-----END EC PRIVATE KEY-----",
      { ...APPLE_KEY, d: undefined },
      { kty: "RSA" },
    ],
  ],
  ["github", "host", ["git.example.com", "https://git.example.com/", "https://x/y", "ftp://x", ""]],
  ["gitlab", "host", ["gitlab.example.com", "https://gitlab.example.com/gitlab", "https://*.x"]],
  ["facebook", "version", ["26", "v26", "v26.0/../x", "latest", ""]],
  ["slack", "team", ["", 1]],
  ["oidcProvider", "issuer", [undefined, "", 1]],
  ["oidcProvider", "identity", ["userinfo", true]],
  ["oidcProvider", "idTokenAlgorithms", [[], ["none"], ["HS256"], ["RS256", "HS512"], "RS256"]],
  ["oidcProvider", "authentication", [{ method: "none" }]], // beside clientSecret
  ["auth0", "domain", [
    "https://notes.eu.auth0.com",
    "notes.eu.auth0.com/",
    "a.b/c",
    "a b.c",
    "a@b.c",
  ]],
  ["okta", "domain", ["https://notes.okta.com", "notes.okta.com:443", "notes"]],
  ["okta", "authorizationServer", ["", "a/b", "../x", "a?b"]],
  ["keycloak", "realm", [undefined, ""]],
  ["cognito", "region", [undefined, "", "eu.evil.example/", "eu-central-1.evil"]],
  ["cognito", "userPoolId", [undefined, "", "a/b", "a?b"]],
];
for (const [name, option, values] of REFUSED) {
  Deno.test(`${name}() rejects a ${option} of another shape`, () => {
    for (const value of values) {
      const options = { ...VALID[name], [option]: value };
      const error = assertThrows(() => create(name, options), TypeError);
      assert(error.message.startsWith("Cannot create provider "), error.message);
      assertEquals(error.message.includes("secret-1"), false);
    }
  });
}

Deno.test("apple() signs with the text of a .p8 file", async () => {
  const jwk = await generateJwk("ES256");
  const key = await importJwk(jwk, { extractable: true });
  const pem = [
    "-----BEGIN PRIVATE KEY-----",
    btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)))),
    "-----END PRIVATE KEY-----",
  ].join("\n");
  const { authentication } = presets.apple({ ...APPLE, privateKey: pem });
  assert(authentication.method === "signed_client_secret");
  assertEquals((await authentication.secret(1)).split(".").length, 3);
});

Deno.test("apple() rejects a broken key when it signs", async () => {
  const privateKey = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
  const { authentication } = presets.apple({ ...APPLE, privateKey });
  assert(authentication.method === "signed_client_secret");
  await assertRejects(() => authentication.secret(1), TypeError, "Cannot import key");
});

/** Calls a preset as JavaScript can. */
function create(name: string, options: unknown): unknown {
  const preset = (presets as Readonly<Record<string, unknown>>)[name];
  assert(typeof preset === "function");
  return preset(options);
}
