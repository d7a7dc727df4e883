/**
 * Changes ceremonies of passkeys at random: members of JSON.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { Bytes } from "../../auth/_bytes.ts";
import type { CeremonyResponse } from "../vectors/_webauthn.ts";

/** A random integer from 0 to the limit, without it. */
export type RandomNumbers = (limit: number) => number;

/** Changes a response; others are there to take members from. */
export type Mutator = (
  response: CeremonyResponse,
  random: RandomNumbers,
  others: readonly CeremonyResponse[],
) => unknown;

type Members = Record<string, unknown>;

const VALUES: readonly unknown[] = [
  ...[
    "",
    "null",
    "webauthn.get",
    "webauthn.create",
    "https://evil.example",
    "AAAA",
    "\u0000",
    "==",
  ],
  ...[null, true, false, 0, -1, 1e300, [], {}, [[]], { a: {} }],
];

const NAMES: readonly string[] = [
  ...["type", "challenge", "origin", "crossOrigin", "topOrigin", "tokenBinding", "x", "__proto__"],
];

/** Members of the client data, and how it is written. */
export function mutateClientData(response: CeremonyResponse, random: RandomNumbers): unknown {
  const name = pick(NAMES, random);
  return withBytes(response, "clientDataJSON", (bytes) => {
    const text = new TextDecoder().decode(bytes);
    const data: Members = JSON.parse(text);
    const value = JSON.stringify(pick(VALUES, random));
    switch (random(6)) {
      case 0:
        delete data[name];
        return utf8(JSON.stringify(data));
      case 1:
        return utf8(text.replace("{", `{"${name}":${value},`)); // twice, if it is there
      case 2:
        return utf8(JSON.stringify(data, null, 1));
      case 3:
        return utf8(`\ufeff${text}`);
      case 4:
        return utf8(
          text.replace(/[a-z]/, (character) => `\\u00${character.charCodeAt(0).toString(16)}`),
        );
    }
    return utf8(JSON.stringify({ ...data, [name]: JSON.parse(value) }));
  });
}

/** Members of the response itself. */
export function mutateJson(response: CeremonyResponse, random: RandomNumbers): unknown {
  const inner = random(2) === 0;
  const target: Members = inner ? { ...response.response } : { ...response };
  const name = pick([...Object.keys(target), "x"], random);
  const text = target[name];
  switch (random(4)) {
    case 0:
      delete target[name];
      break;
    case 1:
      target[`${name}x`] = text;
      break;
    case 2:
      target[name] = typeof text === "string" ? respelled(text, random) : pick(VALUES, random);
      break;
    default:
      target[name] = pick(VALUES, random);
  }
  return inner ? { ...response, response: target } : target;
}

/** Other spellings of base64url, and another character. */
function respelled(text: string, random: RandomNumbers): string {
  const at = random(text.length + 1);
  const forms = [`${text}=`, `${text}==`, `${text}\n`, text.replaceAll("-", "+"), `${text}A`];
  forms.push(text.slice(0, at) + String.fromCharCode(random(128)) + text.slice(at + 1));
  return pick(forms, random);
}

/** One member of another ceremony. */
export function takeFromOther(
  response: CeremonyResponse,
  random: RandomNumbers,
  others: readonly CeremonyResponse[],
): unknown {
  const other = pick(others, random);
  const name = pick(Object.keys(other.response), random);
  const { id } = random(2) === 0 ? other : response;
  return {
    ...{ ...response, id, rawId: id },
    response: { ...response.response, [name]: other.response[name] },
  };
}

/** Whether a member can be decoded. */
export function isBase64Url(value: unknown): value is string {
  try {
    return typeof value === "string" && decodeBase64Url(value).length >= 0;
  } catch {
    return false;
  }
}

/** Changes the bytes of a member. */
export function withBytes(
  response: CeremonyResponse,
  name: string,
  edit: (bytes: Bytes) => Bytes,
): CeremonyResponse {
  const bytes = decodeBase64Url(String(response.response[name]));
  const changed = encodeBase64Url(edit(bytes));
  return { ...response, response: { ...response.response, [name]: changed } };
}

/** One of several. */
export function pick<Item>(items: readonly Item[], random: RandomNumbers): Item {
  return items[random(items.length)] as Item;
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}
