/** PEM: keys written by openssl (RFC 7468, RFC 5958, RFC 8410), and the messages of rejections. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { utf8 } from "../../../auth/_bytes.ts";
import { type JwaAlgorithm, verifySignature } from "../../../auth/jwt/jwa.ts";
import { exportJwk, importJwk } from "../../../auth/jwt/jwk.ts";
import { signJws, verifyJws } from "../../../auth/jwt/jws.ts";
import { importPem, type ImportPemOptions } from "../../../auth/jwt/pem.ts";
import { ALGORITHMS, KEYS, P256, signature, verifying } from "./_jws.ts";

/** The output of `openssl ecparam -name prime256v1 -genkey`, `openssl ec -pubout` and `openssl pkcs8 -topk8`. */
const EC_PUBLIC = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESgKjU6H4k5ykVPBP0XSyiKYi+5MX
FvPLOVtjXZIMb6OesS3hB07OCSZl5eH/K/5GjVfwNKfq+1yzg2Ag02OILw==
-----END PUBLIC KEY-----
`;
const EC_PRIVATE = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5W+YqRaEXXc9j9Xu
GTyXRc0KEg58XZICr8HnTY0Sy+qhRANCAARKAqNTofiTnKRU8E/RdLKIpiL7kxcW
88s5W2Ndkgxvo56xLeEHTs4JJmXl4f8r/kaNV/A0p+r7XLODYCDTY4gv
-----END PRIVATE KEY-----
`;
const ES256 = { alg: "ES256" } as const;

Deno.test("importPem() accepts the key pair of RFC 8410 §10.1 and §10.3", async () => {
  const publicKey = await importPem(
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n" +
      "-----END PUBLIC KEY-----\n",
    { alg: "Ed25519", extractable: true },
  );
  const key = await importPem(
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n" +
      "-----END PRIVATE KEY-----\n",
    { alg: "Ed25519", extractable: true },
  );
  assertEquals((await exportJwk(key)).x, (await exportJwk(publicKey)).x);
  const token = await signJws("p", { algorithms: ["Ed25519"], key });
  await verifyJws(token, { algorithms: ["Ed25519"], keys: publicKey });
});

Deno.test("importPem() accepts the output of openssl for P-256", async () => {
  const [keys, key] = [await importPem(EC_PUBLIC, ES256), await importPem(EC_PRIVATE, ES256)];
  assertEquals([keys.type, keys.usages, keys.extractable], ["public", ["verify"], false]);
  assertEquals([key.type, key.usages, key.extractable], ["private", ["sign"], false]);
  const token = await signJws("p", { algorithms: ["ES256"], key });
  await verifyJws(token, { algorithms: ["ES256"], keys });
});

/** A key as PEM. */
function pemOf(label: string, der: ArrayBuffer | Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(der)));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

for (const alg of ALGORITHMS) {
  if (KEYS[alg].kty === "oct") continue;
  Deno.test(`importPem() accepts private and public keys for ${alg}, with extractable as given`, async () => {
    const halves = [
      ["PUBLIC KEY", "spki", verifying(KEYS[alg])],
      ["PRIVATE KEY", "pkcs8", KEYS[alg]],
    ] as const;
    for (const [label, format, jwk] of halves) {
      const made = await importJwk(jwk, { alg, extractable: true });
      const pem = pemOf(label, await crypto.subtle.exportKey(format, made));
      const open = await importPem(pem, { alg, extractable: true });
      assertEquals(await exportJwk(open), await exportJwk(made));
      const closed = await importPem(pem, { alg });
      assertEquals([closed.extractable, closed.usages], [false, made.usages]);
    }
    const key = await importJwk(verifying(KEYS[alg]), { alg, extractable: true });
    const pem = pemOf("PUBLIC KEY", await crypto.subtle.exportKey("spki", key));
    const data = utf8("data");
    const signed = { signature: await signature(data, alg, KEYS[alg]), data };
    assertEquals(await verifySignature(alg, await importPem(pem, { alg }), signed), true);
  });
}

/** [why, PEM] Valid input: RFC 7468 §2 allows any line breaks. */
const TAKEN: readonly (readonly [string, string])[] = [
  ["with CRLF", EC_PUBLIC.replaceAll("\n", "\r\n")],
  ["with CR", EC_PUBLIC.replaceAll("\n", "\r")],
  ["without a last line break", EC_PUBLIC.trimEnd()],
  ["with blank lines around it", `\n\n  ${EC_PUBLIC}\n\n`],
  ["indented, as in a template", EC_PUBLIC.replaceAll("\n", "\n    ")],
  ["on one line", EC_PUBLIC.replace(/\n(?!-)/g, "").replace("-----MFk", "-----\nMFk")],
];

for (const [why, pem] of TAKEN) {
  Deno.test(`importPem() accepts a key ${why}`, async () => {
    assertEquals((await importPem(pem, ES256)).type, "public");
  });
}

const BODY = EC_PUBLIC.split("\n").slice(1, -2).join("\n");
const wrap = (label: string, body = BODY) =>
  `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const change = (from: string | RegExp, to: string) => EC_PUBLIC.replace(from, to);

/** [why, text] Invalid PEM, or PEM without exactly one key. */
const MALFORMED: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["bytes", utf8(EC_PUBLIC)],
  ["an empty string", ""],
  ["base64 alone", BODY],
  ["text before it", `# key\n${EC_PUBLIC}`],
  ["text after it", `${EC_PUBLIC}# key`],
  ["two keys", EC_PUBLIC + EC_PUBLIC],
  ["a private key after the public one", EC_PUBLIC + EC_PRIVATE],
  ["different labels", change("END PUBLIC", "END PRIVATE")],
  ["no end line", change(/-----END.*/, "")],
  ["four dashes", change("-----BEGIN", "----BEGIN")],
  ["a label in lower case", wrap("public key")],
  ["header lines of RFC 1421", wrap("PUBLIC KEY", `Proc-Type: 4,ENCRYPTED\n\n${BODY}`)],
  ["an empty body", wrap("PUBLIC KEY", "")],
  ["a truncated body", wrap("PUBLIC KEY", BODY.slice(0, 100))],
  [
    "a trailing byte after the key",
    wrap("PUBLIC KEY", btoa(`${atob(BODY.replaceAll("\n", ""))}\0`)),
  ],
  ["base64url", change(/\//g, "_").replace(/\+/g, "-")],
  ["padding between groups", wrap("PUBLIC KEY", `${BODY.slice(0, 40)}=${BODY.slice(40)}`)],
  ["padding in the middle", wrap("PUBLIC KEY", `${BODY.slice(0, 63)}=${BODY.slice(64)}`)],
  ["a byte order mark", `\ufeff\u200b${EC_PUBLIC}`],
  ["input longer than any key", wrap("PUBLIC KEY", "A".repeat(20_000))],
  ["a public key labeled as private", wrap("PRIVATE KEY")],
  ["a private key labeled as public", EC_PRIVATE.replaceAll("PRIVATE", "PUBLIC")],
];

for (const [why, pem] of MALFORMED) {
  Deno.test(`importPem() rejects ${why}, and does not quote it`, async () => {
    const { message } = await assertRejects(() => importPem(pem as string, ES256), TypeError);
    assert(message.startsWith("Cannot import key: "), message);
    assert(!message.includes("MFk"), message);
  });
}

/** [label, the expected part of the message] */
const OTHER_LABELS: readonly (readonly [string, RegExp])[] = [
  ["RSA PRIVATE KEY", /openssl pkcs8 -topk8 -nocrypt/],
  ["EC PRIVATE KEY", /openssl pkcs8 -topk8 -nocrypt/],
  ["ENCRYPTED PRIVATE KEY", /openssl pkcs8/],
  ["RSA PUBLIC KEY", /openssl rsa -RSAPublicKey_in -pubout/],
  ["CERTIFICATE", /openssl x509 -pubkey -noout/],
  ["CERTIFICATE REQUEST", /must be a PUBLIC KEY or a PRIVATE KEY$/],
  ["OPENSSH PRIVATE KEY", /must be a PUBLIC KEY or a PRIVATE KEY/],
];

for (const [label, help] of OTHER_LABELS) {
  Deno.test(`importPem() rejects ${label}, and explains how to convert it if possible`, async () => {
    const { message } = await assertRejects(() => importPem(wrap(label), ES256), TypeError);
    assertEquals([message.startsWith("Cannot import key: "), help.test(message)], [true, true]);
  });
}

/** Keys of other types, or weak ones, by openssl. [why, body of a PUBLIC KEY, algorithm] */
const OTHER_KEYS: readonly (readonly [string, string, JwaAlgorithm])[] = [
  ["P-256 for ES384", BODY, "ES384"],
  ["P-256 for Ed25519", BODY, "Ed25519"],
  ["P-256 for RS256", BODY, "RS256"],
  ["P-256 as a secret", BODY, "HS256"],
  [
    "RSA with 1,024 bits",
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDg8A/arCpIx6RXNMBX+sUke4MV8YJuRW4e4+v5l2aUIB1k2CNTO4S4" +
    "kWBLrEU68a19bobSv/YQqEakFAG40uXdxoWhT7IVxjZ2inF60LmLyFwD8DDNCJdcrtleEQvEI0aCAsvSqp8mmxwW" +
    "4tN4OzyxO0z5O2Xeyz9HQPvMW8Y0RwIDAQAB",
    "RS256",
  ],
  [
    "secp256k1",
    "MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEKWFnCTZTMVcy/eGVgMVpdPrY8nYunpHAEZM3i+/3QR6vUoFk9s2xSborkyya" +
    "KrSnpLhBpz/T/ouOu5ErUAXMBQ==",
    "ES256",
  ],
  ["X25519", "MCowBQYDK2VuAyEAoinJJdu1HFBXffKBxmOixWomksplklnQ6wm/fJj8h08=", "Ed25519"],
];

for (const [why, body, alg] of OTHER_KEYS) {
  Deno.test(`importPem() rejects ${why}`, async () => {
    const run = () => importPem(wrap("PUBLIC KEY", body), { alg });
    await assertRejects(run, TypeError, "Cannot import key: ");
  });
}

Deno.test("importPem() rejects a point that is not on its curve, which Deno imports", async () => {
  const key = await importJwk(verifying(P256), { extractable: true });
  const der = new Uint8Array(await crypto.subtle.exportKey("spki", key));
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
  const run = () => importPem(pemOf("PUBLIC KEY", der), ES256);
  await assertRejects(run, TypeError, "Cannot import key: ");
});

Deno.test("importPem() requires alg", async () => {
  for (const options of [{}, { alg: "none" }, { alg: "RSA" }, { alg: null }]) {
    const run = () => importPem(EC_PUBLIC, options as ImportPemOptions);
    await assertRejects(
      run,
      TypeError,
      "Cannot import key: the option alg must name its algorithm",
    );
  }
});

/** Invalid options for a valid key. */
const WRONG_OPTIONS: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["extractable as a string", { ...ES256, extractable: "false" }, "extractable must be a"],
];
for (const [why, options, message] of WRONG_OPTIONS) {
  Deno.test(`importPem() rejects ${why} in the options`, async () => {
    const run = () => importPem(EC_PUBLIC, options as ImportPemOptions);
    await assertRejects(run, TypeError, `Cannot import key: ${message}`);
  });
}
