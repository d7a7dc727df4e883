/**
 * What verifying a DPoP proof (ES256) costs, beside the primitives that it cannot do without: `deno task bench:dpop`.
 * `--rounds=51` is the default.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { decodeBase64Url } from "../auth/_base64url.ts";
import { utf8 } from "../auth/_bytes.ts";
import { digestText, sha256 } from "../auth/_kdf.ts";
import { proofVerifier } from "../auth/dpop/proof.ts";
import { generateJwk, jwkThumbprint, publicJwk } from "../auth/jwt/jwk.ts";
import { signJws } from "../auth/jwt/jws.ts";
import { measure } from "./_measure.ts";
import { numberOption, table } from "./_table.ts";

const URL = "https://api.example/notes";
const TOKEN = "x".repeat(900); // about as long as an access token
const IAT = 1_800_000_000;
const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Prints a Markdown table. */
async function main(): Promise<void> {
  const rounds = numberOption("rounds", 51);
  const key = await generateJwk("ES256");
  const { kid: _, alg: __, ...jwk } = publicJwk(key);
  const claims = { jti: "proof-1", htm: "GET", htu: URL, iat: IAT, ath: await digestText(TOKEN) };
  const header = { typ: "dpop+jwt", jwk };
  const proof = await signJws(JSON.stringify(claims), { algorithms: ["ES256"], key, header });
  const [first = "", second = "", third = ""] = proof.split(".");
  const [data, signature] = [utf8(`${first}.${second}`), decodeBase64Url(third)];
  const query = {
    proof,
    method: "GET",
    url: URL,
    token: { value: TOKEN, jkt: await jwkThumbprint(jwk) },
  };
  const verifyProof = proofVerifier({
    states: { claim: () => Promise.resolve("claimed") },
    nonceKeys: undefined,
    issuer: "https://api.example",
    now: () => IAT,
  });
  const importKey = () =>
    crypto.subtle.importKey("jwk", { ...jwk, key_ops: ["verify"] }, ES256, false, ["verify"]);
  const imported = await importKey();
  const [thumbprint, token, jti] = [JSON.stringify(jwk), TOKEN, `${query.token.jkt} proof-1`]
    .map(utf8);
  const verify = async (key: CryptoKey) => await crypto.subtle.verify(ES256, key, signature, data);
  const contestants = [
    { name: "verify", run: () => verify(imported) },
    {
      name: "import, verify, digests",
      async run() {
        const isValid = await verify(await importKey());
        for (const bytes of [thumbprint, token, jti]) await sha256(bytes ?? utf8(""));
        return isValid;
      },
    },
    { name: "gatehouse", run: async () => (await verifyProof(query)).kind === "verified" },
  ];
  for (const { name, run } of contestants) {
    if (!await run()) throw new Error(`${name} does not accept the proof`);
  }
  const results = await measure(contestants, () => undefined, { rounds, runs: 100 });
  console.log(table(
    ["", "µs", "÷ import, verify, digests"],
    results.map(({ name, ns, over }) => [
      name,
      (ns / 1_000).toFixed(1),
      over("import, verify, digests").toFixed(2),
    ]),
  ));
}

if (import.meta.main) await main();
