/**
 * The configuration of passkeys, checked and with its defaults.
 *
 * @module
 */

import { type Bytes, utf8 } from "../_bytes.ts";
import { checkOptionalFunction, requireSeconds } from "../_options.ts";
import { COSE_ALGORITHMS } from "./_cose.ts";
import type { CoseAlgorithm, WebAuthnConfig } from "./types.ts";

type Complete = {
  readonly [Name in keyof Omit<WebAuthnConfig, "verifyAttestation">]-?: Exclude<
    WebAuthnConfig[Name],
    undefined
  >;
};

/** A configuration in which every option has a value. */
export interface RelyingParty extends Complete {
  readonly verifyAttestation: WebAuthnConfig["verifyAttestation"];
  /** SHA-256 of `rpId`, computed once. */
  rpIdHash(): Promise<Bytes>;
}

const ACTION = "Cannot create passkey service";

/** ES256 is what authenticators have; RS256 is for older ones of Windows. */
const ALGORITHMS: readonly CoseAlgorithm[] = [-8, -7, -257];

/** Labels of related origins that browsers accept, WebAuthn Level 3 §5.11.1. */
const MAX_LABELS = 5;

/**
 * Checks a configuration.
 *
 * @throws {TypeError} If an option is missing or has a wrong shape.
 * @throws {RangeError} If a number is out of bounds, or the related origins have more than five labels.
 */
export function readRelyingParty(config: WebAuthnConfig): RelyingParty {
  const {
    rpId,
    rpName,
    origins,
    topOrigins = [],
    insecureMissingTopOrigin = false,
    userVerification = "required",
    residentKey = "required",
    identified = false,
    algorithms = ALGORITHMS,
    timeout = 300,
    maxAge = 900,
    maxCredentials = 20,
    signUp = false,
    hints = [],
    attestation = "none",
    verifyAttestation,
  } = config;
  if (!isDomain(rpId)) {
    fail("rpId must be a domain in lower case, without scheme, port and path: example.com");
  }
  if (typeof rpName !== "string" || rpName === "") fail("rpName must be a non-empty string");
  if (!isArrayOf(origins, isOrigin) || origins.length === 0) {
    fail(
      "origins must be a non-empty array of origins: https://app.example.com, or http for localhost",
    );
  }
  if (!isArrayOf(topOrigins, isOrigin)) fail("topOrigins must be an array of origins");
  requireBooleans({ insecureMissingTopOrigin, identified, signUp });
  requireOneOf("userVerification", userVerification, ["required", "preferred"]);
  requireOneOf("residentKey", residentKey, ["required", "preferred", "discouraged"]);
  if (residentKey !== "required" && !identified) { // it would count as a way to sign in, and be none
    fail(
      `residentKey: "${residentKey}" needs identified, without which such passkeys cannot sign in`,
    );
  }
  requireOneOf("attestation", attestation, ["none", "direct", "enterprise"]);
  if (!isArrayOf(hints, (hint) => typeof hint === "string")) {
    fail("hints must be an array of strings");
  }
  if (!isArrayOf(algorithms, isAlgorithm) || algorithms.length === 0) {
    fail(`algorithms must be a non-empty array of ${COSE_ALGORITHMS.join(", ")}`);
  }
  requireSeconds(ACTION, { timeout }, { min: 30, max: 3_600 });
  requireSeconds(ACTION, { maxAge });
  if (!Number.isInteger(maxCredentials) || maxCredentials < 1 || maxCredentials > 100) {
    throw new RangeError(`${ACTION}: maxCredentials must be an integer from 1 to 100`);
  }
  checkOptionalFunction(ACTION, "verifyAttestation", verifyAttestation);
  if (attestation !== "none" && verifyAttestation === undefined) {
    fail(
      `attestation: "${attestation}" needs verifyAttestation, which judges what authenticators send`,
    );
  }
  if (new Set(relatedOrigins({ rpId, origins }).map(labelOf)).size > MAX_LABELS) {
    throw new RangeError(
      `${ACTION}: origins of other domains than rpId have more than ${MAX_LABELS} names, which browsers do not accept`,
    );
  }
  let hash: Bytes | undefined; // not a promise: in workerd no request may wait for another's
  return Object.freeze({
    rpIdHash: async () => hash ??= await sha256(rpId),
    ...{ rpId, rpName, origins: [...origins], topOrigins: [...topOrigins] },
    ...{ insecureMissingTopOrigin, userVerification, residentKey, identified },
    ...{ algorithms: [...algorithms], timeout, maxAge, maxCredentials, signUp },
    ...{ hints: [...hints], attestation, verifyAttestation },
  });
}

/** The origins of pages that are neither on `rpId` nor below it. */
export function relatedOrigins(
  { rpId, origins }: Pick<RelyingParty, "rpId" | "origins">,
): readonly string[] {
  return origins.filter((origin) => {
    const { protocol, hostname: host } = new URL(origin);
    return protocol === "https:" && host !== rpId && !host.endsWith(`.${rpId}`);
  });
}

/** SHA-256 of bytes, or of a string in UTF-8. */
export async function sha256(data: string | Bytes): Promise<Bytes> {
  const bytes = typeof data === "string" ? utf8(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const ADDRESS_REGEXP = /^[\d.]+$|:/;

function isDomain(rpId: unknown): boolean {
  if (typeof rpId !== "string" || ADDRESS_REGEXP.test(rpId)) return false;
  if (rpId !== "localhost" && !/^[^.].*\.[^.]+$/.test(rpId)) return false;
  return URL.canParse(`https://${rpId}`) && new URL(`https://${rpId}`).host === rpId;
}

const APP_ORIGIN_REGEXP = /^(?:android:apk-key-hash:|ios:bundle-id:)[\w.-]+$/;

/** Serialized as browsers do; without encryption for the developer's own machine only. */
function isOrigin(origin: unknown): boolean {
  if (typeof origin !== "string") return false;
  if (APP_ORIGIN_REGEXP.test(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { origin: serialized, protocol, hostname } = new URL(origin);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return serialized === origin && (protocol === "https:" || (protocol === "http:" && isLocal));
}

/** The name that was registered: `example` of `app.example.co.uk`. Common second levels stand in for the Public Suffix List. */
function labelOf(origin: string): string | undefined {
  const { hostname } = new URL(origin);
  return hostname.replace(/(?:\.(?:ac|co|com|edu|gov|net|org))?\.[^.]+$/, "").split(".").at(-1);
}

function isAlgorithm(value: unknown): boolean {
  return COSE_ALGORITHMS.some((algorithm) => algorithm === value);
}

function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function requireBooleans(named: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(named)) {
    if (typeof value !== "boolean") fail(`${name} must be a boolean`);
  }
}

function requireOneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (allowed.some((one) => one === value)) return;
  fail(`${name} must be ${allowed.map((one) => `"${one}"`).join(" or ")}`);
}

function fail(problem: string): never {
  throw new TypeError(`${ACTION}: ${problem}`);
}
