/** OpenID Connect: the ID tokens of Core, appendix A, and the certification's modules for relying parties. */

import { assert, assertEquals } from "@std/assert";
import type { Jwk, JwtClaims } from "../../auth/mod.ts";
import { type IdTokenExpectations, verifyIdToken } from "../../auth/oauth/_id_token.ts";
import { endpointsOf } from "../auth/oauth/_fake_provider.ts";
import { oidcProvider } from "../../auth/oauth/mod.ts";
import { refusal } from "../auth/_refusal.ts";
import { testVectors } from "./_vectors.ts";

interface IdTokenCase {
  readonly id: string;
  readonly key: Jwk;
  readonly idToken: string;
  readonly claims: JwtClaims;
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly accessToken?: string;
  readonly validAt: number;
  readonly expiredAt: number;
}

testVectors<IdTokenCase>({
  file: "oidc/core-appendix-a.json",
  async run(test) {
    const { id, claims, nonce, accessToken, validAt, expiredAt } = test;
    const verify = (
      more: IdTokenExpectations = {},
      changes: Partial<IdTokenCase> = {},
      now = validAt,
    ) =>
      verifyCase(
        { ...test, ...changes },
        { nonce, accessToken, startedAt: validAt - 60, ...more },
        now,
      );

    assertEquals({ ...(await verify()).claims }, claims, id);
    const reasonOf = async (work: () => Promise<unknown>) => (await refusal(work)).reason;
    const refused = "id_token_refused";
    assertEquals(await reasonOf(() => verify({}, {}, expiredAt)), refused, id);
    assertEquals(await reasonOf(() => verify({}, { clientId: "other" })), refused, id);
    assertEquals(
      await reasonOf(() => verify({}, { issuer: "https://a.example" })),
      "iss_mismatch",
      id,
    );
    assertEquals(await reasonOf(() => verify({ nonce: "other" })), "nonce_mismatch", id);
    if (accessToken !== undefined) {
      const other = () => verify({ accessToken: `${accessToken}x` });
      assertEquals(await reasonOf(other), "at_hash_mismatch", id);
    }
  },
});

/** The issuers of 2014 are http, which no client accepts: so the step is called and not the client. */
function verifyCase(
  { key, idToken, issuer, clientId }: IdTokenCase,
  expected: IdTokenExpectations,
  now: number,
) {
  const preset = oidcProvider({
    issuer: "https://id.example",
    clientId,
    clientSecret: "s",
    name: "fake",
  });
  const provider = { ...preset, idTokenAlgorithms: ["RS256"] as const };
  const metadata = { ...endpointsOf(issuer) } as unknown as Parameters<
    typeof verifyIdToken
  >[1]["metadata"];
  const server = { metadata, keys: () => key };
  return verifyIdToken({ provider, clockTolerance: 0, now: () => now }, server, idToken, expected);
}

const CALLBACK = "auth/oauth/callback_test.ts";
const CLIENT = "auth/oauth/client_test.ts";
const METADATA = "auth/oauth/server_metadata_test.ts";

/** Where a test of ours does what a module does: its file, and words of its name or row. Names without their prefix. */
const MODULES: Readonly<Record<string, readonly [file: string, words: string]>> = {
  "": [CALLBACK, "callback() returns who signed in, the tokens, and where to go"],
  "client-secret-basic": ["auth/oauth/client_authentication_test.ts", "client_secret_basic"],
  "discovery-issuer-mismatch": [METADATA, "another issuer"],
  "discovery-jwks-uri-keys": [METADATA, "keeps the resolver of keys"],
  "discovery-openid-config": [METADATA, "serverSource() fetches the metadata of"],
  "idtoken-sig-es256": [CALLBACK, "accepts an ID token signed by"],
  "idtoken-sig-none": [CALLBACK, "alg none"],
  "idtoken-sig-rs256": [CALLBACK, "accepts an ID token signed by"],
  "invalid-aud": [CALLBACK, "another client's audience"],
  "invalid-iss": [CALLBACK, "another issuer"],
  "invalid-sig-es256": [CALLBACK, "a changed signature"],
  "invalid-sig-rs256": [CALLBACK, "a changed signature"],
  "kid-absent-multiple-jwks": [
    "auth/jwt/remote_jwks_test.ts",
    "returns all keys for a token without kid, and one must match",
  ],
  "kid-absent-single-jwks": [CALLBACK, "accepts an ID token without kid if one key fits"],
  "missing-aud": [CALLBACK, "no audience"],
  "missing-iat": [CALLBACK, "no iat"],
  "missing-iss": [CALLBACK, "no issuer"],
  "missing-sub": [CALLBACK, "no sub"],
  "nonce-invalid": [CALLBACK, "another nonce"],
  "refresh-token": [CLIENT, "refresh() exchanges a refresh token"],
  "refresh-token-invalid-issuer": [CLIENT, "refresh() verifies a new ID token"],
  "refresh-token-invalid-sub": [CLIENT, "which must be of the same user"],
  "scope-userinfo-claims": ["auth/oauth/userinfo_test.ts", "fetchUserinfo()"],
  "signing-key-rotation": [CALLBACK, "a key that was published after the start"],
  "signing-key-rotation-just-before-signing": [
    CALLBACK,
    "a key that was published after the start",
  ],
  "userinfo-bearer-header": ["auth/oauth/userinfo_test.ts", "in the header field only"],
  "userinfo-invalid-sub": [CALLBACK, "UserInfo of another subject"],
};

interface Module {
  readonly id: string;
  readonly profile: string;
  readonly name: string;
}

testVectors<Module>({
  file: "oidc/conformance-modules.json",
  casesOf: ({ cases }: { readonly cases: readonly Module[] }) =>
    cases.map((module) => ({ ...module, id: `${module.profile}/${module.name}` })),
  skip({ profile, name }) {
    if (!profile.startsWith("rp-")) return "of a server";
    return Object.hasOwn(MODULES, moduleOf(name)) ? undefined : "without a row here";
  },
  async run({ id, name }) {
    const [file, words] = MODULES[moduleOf(name)] ?? ["", ""];
    const text = await Deno.readTextFile(new URL(`../${file}`, import.meta.url));
    assert(text.includes(words), `${id}: ${file} has no test "${words}"`);
  },
});

function moduleOf(name: string): string {
  return name.replace(/^oidcc-client-test-?/, "");
}
