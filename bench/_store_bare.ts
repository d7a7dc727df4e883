/**
 * What a service does for a request, by hand: the digests, the statements, and JSON, but no check of anything.
 *
 * @module
 */

import type { BareClient, BareFamily, Owned } from "./_store_types.ts";

const ENCODER = new TextEncoder();

/** Seconds that a refresh token is good for, as by default. */
const LIFETIME = 1_209_600;

/** The session that a token stands for, and its user. */
export async function bareVerify(bare: BareClient, token: string): Promise<unknown> {
  const { value: session } = await bare.read<Owned>("sessions", await digest(token));
  const { value: user } = await bare.read<Owned>("users", session.sub);
  return { session, user };
}

/** How a family is rotated. */
export interface BareRotation {
  readonly token: string;
  readonly at: number;
  /**
   * How often the family is read, beside its user: as often as our stores read it. With `"shortest"` it is read once, its
   * user not at all, and written by the shortest statement.
   */
  readonly reads: number | "shortest";
}

/** Exchanges a refresh token for the next one. */
export async function bareRotate(
  bare: BareClient,
  { token, at, reads }: BareRotation,
): Promise<string> {
  const [id = "", secret = ""] = token.split(".");
  const read = () => bare.read<BareFamily>("refresh_families", id);
  let family = await read();
  if (reads !== "shortest") await bare.read<Owned>("users", family.value.sub);
  const [fromHash, fresh] = [await digest(secret), randomText(32)];
  const toHash = await digest(fresh);
  if (reads !== "shortest") { for (let i = 1; i < reads; i++) family = await read(); }
  const { value, version } = family;
  const { currentHash } = value as BareFamily & { readonly currentHash: string };
  if (currentHash !== fromHash) throw new Error("Cannot rotate: the token is not the current one");
  const next = {
    ...value,
    currentHash: toHash,
    generation: value.generation + 1,
    expiresAt: Math.min(at + LIFETIME, value.familyExpiresAt),
  };
  const swap = { id, from: version, to: randomText(16), next };
  const done = reads === "shortest" ? await bare.swapShortest(swap) : await bare.swap(swap);
  if (!done) throw new Error("Cannot rotate: somebody else was first");
  return `${id}.${fresh}`;
}

async function digest(text: string): Promise<string> {
  return encode(new Uint8Array(await crypto.subtle.digest("SHA-256", ENCODER.encode(text))));
}

function randomText(bytes: number): string {
  return encode(crypto.getRandomValues(new Uint8Array(bytes)));
}

function encode(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
