/**
 * The catalogue "JWT and JWS": headers, algorithms and encodings. Signatures are valid unless a row says
 * otherwise; rows are only added.
 */

import { assertEquals, assertRejects } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import { utf8 } from "../../auth/_bytes.ts";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { exportJwk, importJwk } from "../../auth/jwt/jwk.ts";
import { verifyJws } from "../../auth/jwt/jws.ts";
import { verifyJwt } from "../../auth/jwt/jwt.ts";
import type { Jwk, VerificationKeys, VerifyJwsOptions } from "../../auth/jwt/types.ts";
import {
  encoded,
  forge,
  KEYS,
  OCT,
  OKP,
  P256,
  P384,
  reasonOf,
  RSA,
  sealed,
  signature,
  verifying,
} from "../auth/jwt/_jws.ts";

const HS: VerifyJwsOptions = { algorithms: ["HS256"], keys: OCT };

/** The reason why a token is rejected. */
function reason(token: unknown, options: VerifyJwsOptions = HS): Promise<string | undefined> {
  return reasonOf(() => verifyJws(token as string, options));
}

/** A header that claims more than it should. Only alg, typ, kid and crit are read. */
const h = (members: object) => ({ alg: "HS256", ...members });

const HEADERS: readonly (readonly [
  source: string,
  attack: string,
  header: unknown,
  refusal: string,
])[] = [
  ["ATTACKS", "none", { alg: "none" }, "alg_not_allowed"],
  ["neighbour", "None", { alg: "None" }, "alg_not_allowed"],
  ["ATTACKS", "nOnE", { alg: "nOnE" }, "alg_not_allowed"],
  ["neighbour", "NONE", { alg: "NONE" }, "alg_not_allowed"],
  ["neighbour", "none with a NUL at the end", { alg: "none\0" }, "alg_not_allowed"],
  ["neighbour", "an empty alg", { alg: "" }, "alg_not_allowed"],
  ["neighbour", "an alg in lower case", { alg: "hs256" }, "alg_not_allowed"],
  ["neighbour", "an alg with a space", { alg: "HS256 " }, "alg_not_allowed"],
  ["neighbour", "an alg in full-width letters", { alg: "ＨＳ２５６" }, "alg_not_allowed"],
  ["neighbour", "an alg named like an object's member", { alg: "constructor" }, "alg_not_allowed"],
  [
    "GHSA-3vhc-576x-3qv4",
    "the alg of the signature, but not allowed",
    { alg: "HS512" },
    "alg_not_allowed",
  ],
  ["RFC 7515 §4.1.1", "no alg", {}, "token_malformed"],
  ["neighbour", "alg as a number", { alg: 256 }, "token_malformed"],
  ["neighbour", "alg as an array", { alg: ["HS256"] }, "token_malformed"],
  ["neighbour", "alg as an object", { alg: { toString: "HS256" } }, "token_malformed"],
  ["neighbour", "alg null", { alg: null }, "token_malformed"],
  ["neighbour", "Alg", { Alg: "HS256" }, "token_malformed"],
  ["ATTACKS", "two algs", '{"alg":"none","alg":"HS256"}', "token_malformed"],
  ["neighbour", "two algs, one escaped", '{"\\u0061lg":"none","alg":"HS256"}', "token_malformed"],
  [
    "RFC 7515 §4",
    "a duplicate name in a nested object",
    '{"alg":"HS256","jwk":{"kty":"oct","kty":"EC"}}',
    "token_malformed",
  ],
  ["neighbour", "__proto__", '{"__proto__":{"alg":"HS256"}}', "token_malformed"],
  [
    "neighbour",
    "__proto__ and alg",
    '{"alg":"HS256","__proto__":{"crit":[]}}',
    "token_malformed",
  ],
  ["ATTACKS", "crit with an unknown extension", h({ crit: ["exp"], exp: 1 }), "crit_unsupported"],
  ["ATTACKS", "empty crit", h({ crit: [] }), "crit_unsupported"],
  [
    "ATTACKS",
    "crit with a duplicate name",
    h({ crit: ["exp", "exp"], exp: 1 }),
    "crit_unsupported",
  ],
  ["ATTACKS", "crit that names an absent member", h({ crit: ["exp"] }), "crit_unsupported"],
  ["RFC 7515 §4.1.11", "crit that names alg", h({ crit: ["alg"] }), "crit_unsupported"],
  ["RFC 7515 §4.1.11", "crit as a string", h({ crit: "exp", exp: 1 }), "crit_unsupported"],
  ["RFC 7515 §4.1.11", "crit as an object", h({ crit: { length: 0 } }), "crit_unsupported"],
  ["RFC 7515 §4.1.11", "crit null", h({ crit: null }), "crit_unsupported"],
  ["ATTACKS", "b64 false", h({ b64: false, crit: ["b64"] }), "crit_unsupported"],
  ["RFC 7797 §6", "b64 false without crit", h({ b64: false }), "crit_unsupported"],
  ["RFC 7797 §6", "b64 true", h({ b64: true }), "crit_unsupported"],
  ["ATTACKS", "kid as a number", h({ kid: 0 }), "token_malformed"],
  ["neighbour", "kid as an object", h({ kid: { toString: 1 } }), "token_malformed"],
  ["neighbour", "kid as an array", h({ kid: ["a"] }), "token_malformed"],
  ["neighbour", "kid null", h({ kid: null }), "token_malformed"],
  ["ATTACKS", "kid of 10 kB", h({ kid: "a".repeat(10_000) }), "token_malformed"],
  ["neighbour", "typ as a number", h({ typ: 1 }), "token_malformed"],
  ["neighbour", "typ null", h({ typ: null }), "token_malformed"],
  ["neighbour", "a header that is an array", [{ alg: "HS256" }], "token_malformed"],
  ["neighbour", "a header that is null", "null", "token_malformed"],
  ["neighbour", "a header that is a string", '"HS256"', "token_malformed"],
  ["neighbour", "a header that is not JSON", "alg=HS256", "token_malformed"],
  ["neighbour", "an empty header", "", "token_malformed"],
  ["neighbour", "a byte order mark", '\ufeff{"alg":"HS256"}', "token_malformed"],
  ["neighbour", "a NUL after the header", '{"alg":"HS256"}\0', "token_malformed"],
  ["neighbour", "two headers", '{"alg":"HS256"}{"alg":"HS256"}', "token_malformed"],
  [
    "neighbour",
    "a header in Latin-1",
    new Uint8Array([...utf8('{"alg":"HS256","a":"'), 0xe9, 0x22, 0x7d]),
    "token_malformed",
  ],
];

for (const [source, attack, header, refusal] of HEADERS) {
  Deno.test(`[${source}] header: ${attack} → ${refusal}`, async () => {
    assertEquals(await reason(await forge({ header })), refusal);
    const unsigned = `${encoded(header)}.${encoded("{}")}.`;
    assertEquals(await reason(unsigned), refusal);
  });
}

/** Unknown members, which are ignored. */
const IGNORED: readonly (readonly [source: string, what: string, members: object])[] = [
  ["RFC 7515 §4", "a lone surrogate", { x: "\ud800" }],
  ["RFC 7515 §4", "a deeply nested value", {
    x: JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`),
  }],
  ["RFC 7515 §4", "names of object members", { constructor: 1, toString: 2, valueOf: 3, then: 4 }],
  ["RFC 7515 §4", "zip, which only JWE defines", { zip: "DEF" }],
];

for (const [source, what, members] of IGNORED) {
  Deno.test(`[${source}] header: ${what} → ignored`, async () => {
    assertEquals(await reason(await forge({ header: h(members) })), "accepted");
  });
}

Deno.test("[ATTACKS] header: jwk, jku, x5u, x5c, x5t of the token → ignored, nothing fetched", async () => {
  const own: Jwk = { kty: "oct", k: encodeBase64Url(new Uint8Array(64).fill(7)) };
  const url = "http://127.0.0.1:9/";
  for (
    const members of [{ jwk: own }, { jku: url }, { x5u: url }, { x5c: ["MII"] }, { x5t: "a" }]
  ) {
    const token = await forge({ header: h(members), key: own });
    assertEquals(await reason(token), "signature_invalid");
    assertEquals(await reason(await forge({ header: h(members) })), "accepted");
  }
});

/** Invalid base64url: RFC 7515 §2, RFC 4648 §3.5. */
const ENCODINGS: readonly (readonly [
  source: string,
  attack: string,
  change: (part: string) => string,
])[] = [
  ["ATTACKS", "a space before", (part) => ` ${part}`],
  ["ATTACKS", "a space after", (part) => `${part} `],
  ["ATTACKS", "a space within", (part) => `${part.slice(0, 4)} ${part.slice(4)}`],
  ["ATTACKS", "a line break", (part) => `${part}\n`],
  ["ATTACKS", "CRLF within", (part) => `${part.slice(0, 4)}\r\n${part.slice(4)}`],
  ["ATTACKS", "a tab", (part) => `${part}\t`],
  ["neighbour", "a no-break space", (part) => `${part}\u00a0`],
  ["neighbour", "a byte order mark", (part) => `\ufeff${part}`],
  ["neighbour", "a NUL", (part) => `${part}\0`],
  ["ATTACKS", "padding", (part) => `${part}${"=".repeat(-part.length & 3) || "="}`],
  ["neighbour", "percent-encoded padding", (part) => `${part}%3D`],
  ["ATTACKS", "base64 instead of base64url", (part) => `${part.slice(0, -4)}+/+/`],
  ["ATTACKS", "non-zero unused bits", (part) => strayBits(part)],
  [
    "neighbour",
    "an additional character",
    (part) => `${part}${"A".repeat((part.length & 3) === 0 ? 1 : 5 - (part.length & 3))}`,
  ],
  ["neighbour", "a non-ASCII letter", (part) => part.replace(/[A-Za-z]/, "\u0410")],
  [
    "neighbour",
    "a full-width letter",
    (part) => part.replace(/[A-Z]/, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  ],
  ["neighbour", "a lone surrogate", (part) => `${part}\ud800`],
  ["neighbour", "quotes", (part) => `"${part}"`],
];

/** Sets an unused bit of the last character; adds two characters if there are no unused bits. */
function strayBits(part: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  if (part.length % 4 === 0) return `${part}AB`;
  return part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) ?? "") + 1];
}

for (const [source, attack, change] of ENCODINGS) {
  Deno.test(`[${source}] base64url: ${attack} in each part, signed or not → rejected`, async () => {
    const [header = "", payload = "", mac = ""] = (await forge({ payload: '{"a":"bcd"}' })).split(
      ".",
    );
    const changed = [[change(header), payload], [header, change(payload)]];
    assertEquals(await reason(`${header}.${payload}.${change(mac)}`), "token_malformed");
    for (const parts of changed) {
      const input = parts.join(".");
      const kept = await reason(`${input}.${mac}`);
      assertEquals(kept === "token_malformed" || kept === "signature_invalid", true, kept);
      assertEquals(await reason(await sealed(input, "HS256", OCT)), "token_malformed");
    }
  });
}

Deno.test("[ATTACKS] token: any other number of parts, JSON, an empty signature → rejected", async () => {
  const token = await forge({});
  const [header = "", payload = "", mac = ""] = token.split(".");
  const json = { protected: header, payload, signature: mac };
  const general = { payload, signatures: [{ protected: header, signature: mac }] };
  const wrong: unknown[] = [
    ...["", ".", "..", "...", header, `${header}.`, `${header}.${payload}`, `.${payload}.${mac}`],
    ...[`${token}.`, `.${token}`, `${token}.${mac}`, `${token}..`, `${header}..${payload}.${mac}`],
    ...[
      `${header}.${payload}..`,
      `Bearer ${token}`,
      `${token},${token}`,
      `${token}~`,
      `"${token}"`,
    ],
    ...[JSON.stringify(json), JSON.stringify(general), json, general, [token], utf8(token), null],
    ...[undefined, 5, true, { toString: () => token }, new String(token)],
  ];
  for (const each of wrong) assertEquals(await reason(each), "token_malformed", String(each));
  assertEquals(await reason(`${header}..${mac}`), "signature_invalid"); // detached, RFC 7515 appendix F
  assertEquals(await reason(`${header}.${payload}.`), "signature_invalid");
});

Deno.test("[ATTACKS, CVE-2022-21449] signature: r or s of 0 or n, DER, a byte too many or too few → rejected", async () => {
  const rows = [
    ["ES256", "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"],
    ["ES384", `${"f".repeat(48)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`],
    [
      "ES512",
      `01${"f".repeat(64)}fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409`,
    ],
  ] as const;
  for (const [alg, order] of rows) {
    const n = Uint8Array.from(order.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    const zero = new Uint8Array(n.length);
    const one = zero.with(-1, 1);
    const options = { algorithms: [alg], keys: verifying(KEYS[alg]) };
    const input = `${encoded({ alg })}.${encoded("{}")}`;
    const right = await signature(utf8(input), alg, KEYS[alg]);
    const r = right.slice(0, n.length);
    const s = right.slice(n.length);
    const pairs = [zero, one, n, r, s].flatMap((a) =>
      [zero, one, n, r, s].map((b) => [...a, ...b])
    );
    const wrong = pairs.filter((pair) => pair.join() !== right.join());
    const der = [0x30, 2 * n.length + 4, 2, n.length, ...r, 2, n.length, ...s];
    const sizes = [
      right.slice(1),
      right.slice(0, -1),
      [0, ...right],
      [...right, 0],
      [],
      right.slice(2),
    ];
    for (const bytes of [...wrong, der, ...sizes, [...right, ...right]]) {
      const token = `${input}.${encodeBase64Url(Uint8Array.from(bytes))}`;
      assertEquals(await reason(token, options), "signature_invalid");
    }
    assertEquals(await reason(`${input}.${encodeBase64Url(right)}`, options), "accepted");
  }
});

Deno.test("[ATTACKS] token: 5 MB, or a byte too many → rejected before it is decoded", async () => {
  const parts = (x: number, n: number) => ({
    header: h({ x: "x".repeat(x) }),
    payload: "a".repeat(n),
  });
  const exact = async (bytes: number) => {
    for (let x = 0; x < 4; x++) {
      const { header } = parts(x, 0);
      const left = bytes - encoded(header).length - 43 - 2; // an HMAC is 43 characters, and there are two dots
      const token = await forge(parts(x, Math.floor(left * 3 / 4)));
      if (token.length === bytes) return token;
    }
    throw new Error("no token has this length");
  };
  assertEquals(await reason(await exact(16_384)), "accepted");
  assertEquals(await reason(await exact(16_385)), "token_too_large");
  assertEquals(await reason("a".repeat(5_000_000)), "token_too_large");
  assertEquals(await reason(".".repeat(5_000_000)), "token_too_large");
  assertEquals(
    await reason(await forge({ header: h({ x: "x".repeat(16_384) }) })),
    "token_too_large",
  );
  assertEquals(await reason(".".repeat(16_384)), "token_malformed");
});

/** The reason why a token is rejected. */
function reasonKeys(token: string, options: VerifyJwsOptions): Promise<string | undefined> {
  return reasonOf(() => verifyJws(token, options));
}

Deno.test("[ATTACKS, CVE-2015-9235] key: HMAC with a public key as the secret, in any form → rejected", async () => {
  for (const [alg, jwk] of [["RS256", RSA], ["ES256", P256], ["EdDSA", OKP]] as const) {
    const publicKey = await importJwk(verifying(jwk), { alg, extractable: true });
    const der = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
    const base64 = btoa(String.fromCharCode(...der));
    const pem = `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;
    const jwkText = JSON.stringify(await exportJwk(publicKey));
    for (const secret of [der, utf8(pem), utf8(pem.trim()), utf8(jwkText), utf8(base64)]) {
      const k = encodeBase64Url(secret);
      for (const hs of ["HS256", "HS384", "HS512"] as const) {
        if (secret.length < Number(hs.slice(2)) / 8) continue;
        const token = await forge({ alg: hs, key: { kty: "oct", k } });
        const algorithms: JwaAlgorithm[] = [hs, alg];
        const expected = { jwk: "key_mismatch", set: "key_unknown", both: "key_ambiguous" };
        assertEquals(await reasonKeys(token, { algorithms, keys: publicKey }), expected.jwk);
        assertEquals(await reasonKeys(token, { algorithms, keys: verifying(jwk) }), expected.jwk);
        assertEquals(
          await reasonKeys(token, { algorithms, keys: { keys: [verifying(jwk)] } }),
          expected.set,
        );
        const mixed = { keys: [verifying(jwk), OCT] };
        assertEquals(await reasonKeys(token, { algorithms, keys: mixed }), expected.both);
        assertEquals(
          await reasonKeys(token, { algorithms: [alg], keys: publicKey }),
          "alg_not_allowed",
        );
      }
    }
  }
});

const ALL: JwaAlgorithm[] = ["HS256", "RS256", "PS256", "ES256", "ES384", "EdDSA", "RS512"];

/** The algorithm of signature and header, and the key for verification. */
const OTHER_KEYS: readonly (readonly [
  source: string,
  attack: string,
  alg: JwaAlgorithm,
  jwk: Jwk,
])[] = [
  ["CVE-2015-9235", "a secret for an ECDSA signature", "ES256", OCT],
  ["CVE-2015-9235", "a secret for RSA", "RS256", OCT],
  ["ATTACKS", "P-384 for ES256", "ES256", P384],
  ["ATTACKS", "P-256 for ES384", "ES384", P256],
  ["neighbour", "RSA for ES256", "ES256", RSA],
  ["neighbour", "Ed25519 for ES256", "ES256", OKP],
  ["neighbour", "P-256 for EdDSA", "EdDSA", P256],
  ["RFC 7517 §4.4", "a PS256 key for RS256", "RS256", { ...RSA, alg: "PS256" }],
  ["RFC 7517 §4.4", "an RS512 key for RS256", "RS256", { ...RSA, alg: "RS512" }],
  ["RFC 7517 §4.4", "an RSA-OAEP key for RS256", "RS256", { ...RSA, alg: "RSA-OAEP" }],
  ["ATTACKS", "a secret that may only sign", "HS256", { ...OCT, key_ops: ["sign"] }],
  ["ATTACKS", "a key for encryption", "ES256", { ...P256, use: "enc" }],
  ["neighbour", "a key for key derivation", "ES256", { ...P256, key_ops: ["deriveBits"] }],
  ["neighbour", "a key without operations", "ES256", { ...P256, key_ops: [] }],
  ["neighbour", "a key whose key_ops is a string", "ES256", {
    ...P256,
    key_ops: "verify" as unknown as string[],
  }],
];

for (const [source, attack, alg, jwk] of OTHER_KEYS) {
  Deno.test(`[${source}] key: ${attack} → key_mismatch`, async () => {
    const token = await forge({ alg });
    const keys = jwk.kty === "oct" ? jwk : { ...verifying(jwk), ...pickOps(jwk) };
    assertEquals(await reasonKeys(token, { algorithms: ALL, keys }), "key_mismatch");
  });
}

function pickOps({ key_ops }: Jwk): Partial<Jwk> {
  return key_ops === undefined ? {} : { key_ops };
}

Deno.test("[ATTACKS] key: a CryptoKey of another algorithm, hash, curve or use, or a weak one → key_mismatch", async () => {
  const rows: readonly (readonly [JwaAlgorithm, JwaAlgorithm])[] = [
    ...[["RS256", "PS256"], ["PS256", "RS256"], ["RS256", "RS512"], ["RS512", "RS256"]] as const,
    ...[["ES256", "ES384"], ["ES384", "ES256"], ["HS256", "HS512"], ["EdDSA", "ES256"]] as const,
    ...[["HS256", "RS256"], ["RS256", "HS256"], ["ES256", "EdDSA"]] as const,
  ];
  for (const [alg, of] of rows) {
    const keys = await importJwk(verifying(KEYS[of]), { alg: of, usage: "verify" });
    const algorithms: JwaAlgorithm[] = [alg, of];
    const token = await forge({ alg });
    assertEquals(await reasonKeys(token, { algorithms, keys }), "key_mismatch", `${alg} ${of}`);
  }
  for (const alg of ["RS256", "PS256", "ES256", "EdDSA"] as const) {
    const keys = await importJwk(KEYS[alg], { alg, usage: "sign" });
    assertEquals(
      await reasonKeys(await forge({ alg }), { algorithms: [alg], keys }),
      "key_mismatch",
    );
  }
  const { subtle } = crypto;
  const params = { name: "HMAC", hash: "SHA-256" };
  const secret = decodeBase64Url(OCT.k ?? "");
  const signOnly = await subtle.importKey("raw", secret, params, false, ["sign"]);
  const short = await subtle.importKey("raw", secret.slice(0, 31), params, false, ["verify"]);
  const weak = await subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 1_024,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    false,
    ["sign", "verify"],
  );
  assertEquals(await reasonKeys(await forge({}), { ...HS, keys: signOnly }), "key_mismatch");
  assertEquals(await reasonKeys(await forge({}), { ...HS, keys: short }), "key_mismatch");
  const rs = { algorithms: ["RS256"] as const, keys: weak.publicKey };
  assertEquals(await reasonKeys(await forge({ alg: "RS256" }), rs), "key_mismatch");
});

Deno.test("[ATTACKS] key: a point off its curve that the runtime imports → signature_invalid", async () => {
  // Deno imports this point, which is not on the curve, and throws when verifying
  const params = { name: "ECDSA", namedCurve: "P-256" };
  const { kty, crv = "", x = "" } = P256;
  const jwk = { kty, crv, x, y: x };
  const imported = crypto.subtle.importKey("jwk", jwk, params, false, ["verify"]);
  const keys = await imported.catch(() => undefined);
  if (keys === undefined) return; // the runtime rejects it on import
  const token = await forge({ alg: "ES256" });
  assertEquals(await reasonKeys(token, { algorithms: ["ES256"], keys }), "signature_invalid");
});

Deno.test("[neighbour] key: strings and bytes of any content → TypeError", async () => {
  const secret = decodeBase64Url(OCT.k ?? "");
  const token = await forge({});
  const wrong = [
    "secret",
    OCT.k,
    secret,
    secret.buffer,
    [OCT],
    [secret],
    new Map(),
    Symbol(),
    5,
    true,
  ];
  for (const keys of wrong) {
    const options = { algorithms: ["HS256"] as const, keys: keys as unknown as VerificationKeys };
    await assertRejects(() => verifyJws(token, options), TypeError, "Cannot verify token: ");
  }
});

/** Options that let the token choose the algorithm. */
const OPEN: readonly (readonly [source: string, what: string, options: object])[] = [
  ["ATTACKS", "no allowlist", {}],
  ["GHSA-qwph-4952-7xr6", "an allowlist that is undefined", { algorithms: undefined }],
  ["GHSA-qwph-4952-7xr6", "an allowlist that contains none", { algorithms: ["HS256", "none"] }],
  ["GHSA-f67f-6cw9-8mq4", "an algorithm instead of an array", { algorithms: "HS256" }],
  ["neighbour", "the option of another library", { alg: "HS256" }],
  ["neighbour", "null", { algorithms: null }],
  ["neighbour", "an empty array", { algorithms: [] }],
  ["neighbour", "a set", { algorithms: new Set(["HS256"]) }],
  ["neighbour", "a wildcard", { algorithms: ["*"] }],
];

for (const [source, what, algorithms] of OPEN) {
  Deno.test(`[${source}] options: ${what} → TypeError for every token`, async () => {
    const options = { keys: OCT, ...algorithms } as unknown as VerifyJwsOptions;
    const unsigned = `${encoded({ alg: "none" })}.${encoded({ sub: "u1" })}.`;
    for (const token of [await forge({}), unsigned, ""]) {
      for (const verify of [verifyJws, verifyJwt]) {
        await assertRejects(() => verify(token, options), TypeError, "Cannot verify token: ");
      }
    }
  });
}
