/**
 * Almost valid tokens: mutations of valid ones, the same in every run.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../../auth/_base64url.ts";
import type { Bytes } from "../../../auth/_bytes.ts";
import { ALGORITHMS, encoded } from "./_jws.ts";

/** Random integers from 0 up to a limit, exclusive. */
export type Random = (below: number) => number;

/** A mutation of a token; other tokens provide parts. */
type Change = (token: string, others: readonly string[], random: Random) => string;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Characters that some decoders skip, stop at, or confuse with others. */
const STRANGE =
  "=+/. \t\r\n\0\"'%,;:&\\~\u007f\u00a0\u0130\u0131\u017f\u200b\u2028\u212a\ufeff\ud800\uffff";
/** Letters of other scripts that look like ASCII letters. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...{ A: "\u0410", B: "\u0412", C: "\u0421", E: "\u0415", H: "\u041d", I: "\u0406", K: "\u212a" },
  ...{ M: "\u041c", O: "\u041e", P: "\u0420", T: "\u0422", X: "\u0425", a: "\u0430", c: "\u0441" },
  ...{ e: "\u0435", i: "\u0456", j: "\u0458", o: "\u043e", p: "\u0440", s: "\u017f", x: "\u0445" },
  ...{ y: "\u0443", "-": "\u2010", _: "\uff3f", ".": "\uff0e", "0": "\u043e", "1": "\uff11" },
};

/** All mutations. */
const CHANGES: readonly Change[] = [
  // Characters of the token
  (token, _, random) => put(token, random(token.length), (code) => code ^ (1 << random(8))),
  (token, _, random) => put(token, random(token.length), () => ALPHABET.charCodeAt(random(64))),
  (token, _, random) => put(token, random(token.length), () => random(0x300)),
  (token, _, random) => put(token, random(token.length), () => strange(random)),
  (token, _, random) => splice(token, random(token.length), 1, ""),
  (token, _, random) => splice(token, random(token.length + 1), 0, ALPHABET[random(64)] ?? ""),
  (token, _, random) =>
    splice(token, random(token.length + 1), 0, String.fromCharCode(strange(random))),
  (token, _, random) => transposed(token, random(token.length - 1)),
  (token, _, random) => recased(token, random(token.length)),
  (token, _, random) => lookAlike(token, random(token.length)),
  // Its length
  (token, _, random) => token.slice(0, random(token.length)),
  (token, _, random) => token.slice(1 + random(token.length)),
  (token, _, random) => token.slice(0, -1 - random(4)),
  (token, _, random) =>
    token + Array.from({ length: 1 + random(8) }, () => ALPHABET[random(64)]).join(""),
  (token, _, random) => token + String.fromCharCode(strange(random)),
  (token, _, random) => splice(token, random(token.length), 1 + random(40), ""),
  // Its parts
  (token, others, random) => exchanged(token, pick(others, random), random(3)),
  (token, others, random) =>
    [token, pick(others, random), pick(others, random)].map((each, i) => each.split(".")[i]).join(
      ".",
    ),
  (token, _, random) => permuted(token, random),
  (token, others, random) => `${token}.${pick(others, random).split(".")[random(3)]}`,
  // Encoding of the parts
  (token, _, random) =>
    inPart(token, random(3), (part) => part.replaceAll("-", "+").replaceAll("_", "/")),
  (token, _, random) => inPart(token, random(3), (part) => `${part}${"=".repeat(1 + random(3))}`),
  (token, _, random) => inPart(token, random(3), (part) => strayBits(part, random)),
  (token, _, random) => inPart(token, random(3), (part) => encoded(part)),
  (token, _, random) => inPart(token, random(3), (part) => part.replace(/.{1,64}/g, "$&\n")),
  (token, _, random) => inPart(token, random(3), (part) => hexOf(part)),
  (token, _, random) => inPart(token, random(3), encodeURIComponent),
  (token, _, random) => inPart(token, random(3), (part) => ` ${part}`),
  // Contents of the parts
  (token, _, random) => inBytes(token, random(3), (bytes) => flipped(bytes, random)),
  (token, _, random) => inBytes(token, 2, (bytes) => flipped(bytes, random)),
  (token, _, random) =>
    inBytes(token, 2, (bytes) => bytes.slice(random(2), bytes.length - random(3))),
  (token, _, random) => inBytes(token, 2, (bytes) => shuffled(bytes, random)),
  (token, _, random) => inBytes(token, 1, (bytes) => new Uint8Array([...bytes, random(256)])),
  (token, _, random) => inHeader(token, (header) => ({ ...header, alg: pick(ALGORITHMS, random) })),
  (token, _, random) =>
    inHeader(token, (header) => ({ ...header, alg: recased(String(header.alg), random(5)) })),
  (token, _, random) => inHeader(token, (header) => ({ ...header, ...pick(MEMBERS, random) })),
  (token) => inHeader(token, (header) => Object.fromEntries(Object.entries(header).reverse())),
  (token, _, random) => inPart(token, random(2), (part) => encoded(` ${textOf(part)}`)),
  (token, _, random) =>
    inPart(token, 0, (part) => encoded(textOf(part).replace("{", `{${pick(DOUBLES, random)},`))),
  (token, _, random) =>
    inPart(token, 1, (part) => encoded(textOf(part).replace(/\d/, `${random(10)}`))),
];

/** Members that a header must not have, or not with this value. */
const MEMBERS: readonly Readonly<Record<string, unknown>>[] = [
  ...[{ alg: "none" }, { alg: "" }, { alg: null }, { alg: ["HS256"] }, { crit: [] }, {
    crit: ["b64"],
    b64: false,
  }],
  ...[{ b64: true }, { kid: "other" }, { kid: 7 }, { typ: "at+jwt" }, { typ: {} }, {
    jwk: { kty: "oct", k: "AA" },
  }],
  ...[
    { jku: "https://a.example" },
    { x5c: [] },
    { cty: "JWT" },
    { zip: "DEF" },
    { enc: "A128GCM" },
    { alg: undefined },
  ],
];

const DOUBLES: readonly string[] = [
  '"alg":"none"',
  '"alg":"HS256"',
  '"\\u0061lg":"none"',
  '"kid":"x"',
  '"__proto__":{}',
];

/** A mutated token; every fourth is mutated twice. */
export function mutant(token: string, others: readonly string[], random: Random): string {
  const once = pick(CHANGES, random)(token, others, random);
  if (random(4) !== 0 || once.length < 4) return once;
  return pick(CHANGES.slice(0, 16), random)(once, others, random);
}

function pick<T>(list: readonly T[], random: Random): T {
  const item = list[random(list.length)];
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

function strange(random: Random): number {
  return STRANGE.charCodeAt(random(STRANGE.length));
}

function splice(text: string, at: number, count: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + count);
}

function put(text: string, at: number, change: (code: number) => number): string {
  return splice(text, at, 1, String.fromCharCode(change(text.charCodeAt(at))));
}

function transposed(text: string, at: number): string {
  return splice(text, at, 2, `${text[at + 1] ?? ""}${text[at] ?? ""}`);
}

function recased(text: string, at: number): string {
  const letter = text[at] ?? "";
  return splice(
    text,
    at,
    1,
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** The next character, from a position on, that has a look-alike. */
function lookAlike(text: string, from: number): string {
  for (let i = from; i < text.length; i++) {
    const other = LOOK_ALIKES[text[i] ?? ""];
    if (other !== undefined) return splice(text, i, 1, other);
  }
  return `${text}\u043e`;
}

function exchanged(token: string, other: string, index: number): string {
  return inPart(token, index, () => other.split(".")[index] ?? "");
}

function permuted(token: string, random: Random): string {
  const parts = token.split(".");
  return [parts.splice(random(3), 1)[0], parts.splice(random(2), 1)[0], ...parts].join(".");
}

function inPart(token: string, index: number, change: (part: string) => string): string {
  return token.split(".").map((part, i) => i === index ? change(part) : part).join(".");
}

function inBytes(token: string, index: number, change: (bytes: Bytes) => Bytes): string {
  return inPart(token, index, (part) => encodeBase64Url(change(decodeBase64Url(part))));
}

function inHeader(token: string, change: (header: Record<string, unknown>) => object): string {
  return inPart(token, 0, (part) => encoded(change(JSON.parse(textOf(part)))));
}

function textOf(part: string): string {
  return new TextDecoder().decode(decodeBase64Url(part));
}

function hexOf(part: string): string {
  return Array.from(decodeBase64Url(part), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function strayBits(part: string, random: Random): string {
  if (part.length % 4 === 0) return `${part}${ALPHABET[random(64)]}B`;
  const last = ALPHABET.indexOf(part.at(-1) ?? "A");
  return part.slice(0, -1) +
    (ALPHABET[last | (part.length % 4 === 2 ? 1 + random(15) : 1 + random(3))] ?? "B");
}

function flipped(bytes: Bytes, random: Random): Bytes {
  const copy = bytes.slice();
  const at = random(copy.length || 1);
  return copy.length === 0 ? new Uint8Array(1) : copy.with(at, (copy[at] ?? 0) ^ (1 << random(8)));
}

function shuffled(bytes: Bytes, random: Random): Bytes {
  const half = bytes.length >> 1;
  const [first, second] = [bytes.slice(0, half), bytes.slice(half)];
  const orders = [
    [...second, ...first],
    [...first, ...first],
    [...bytes].reverse(),
    bytes.map(() => 0),
  ];
  return Uint8Array.from(orders[random(4)] ?? []);
}
