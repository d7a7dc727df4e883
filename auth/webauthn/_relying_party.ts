/**
 * The configuration of passkeys, checked and with its defaults.
 *
 * @module
 */

import { type Bytes, utf8 } from "../_bytes.ts";
import { sha256 } from "../_kdf.ts";
import { MAX_SECONDS } from "../_options.ts";
import { parseOrigin } from "../_origin.ts";
import { COSE_ALGORITHMS } from "./_cose.ts";
import type { WebAuthnConfig } from "./types.ts";

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

/** What a value of an option must be. */
interface OptionRow {
  readonly isValid: (value: unknown) => boolean;
  /** The requirement, for the message. */
  readonly must: string;
  readonly fallback?: unknown;
  /** @default {TypeError} */
  readonly error?: typeof RangeError;
}

const ACTION = "Cannot create passkey service";

const ORIGINS =
  "scheme, host and port as browsers send them, without final slash; http is for localhost only";

/** One row for each option. */
export const WEBAUTHN_OPTIONS: OptionRows = /* @__PURE__ */ optionRows();

type OptionRows = { readonly [Name in keyof Required<WebAuthnConfig>]: OptionRow };

function optionRows(): OptionRows {
  return {
    rpId: {
      isValid: isDomain,
      must: "a domain in lower case, without scheme, port and path: example.com",
    },
    rpName: {
      isValid: (value) => typeof value === "string" && value !== "",
      must: "a non-empty string",
    },
    origins: {
      isValid: (value) => isArrayOf(isOrigin)(value) && (value as readonly string[]).length > 0,
      must: `a non-empty array, each ${ORIGINS}`,
    },
    topOrigins: { isValid: isArrayOf(isOrigin), must: `an array, each ${ORIGINS}`, fallback: [] },
    insecureMissingTopOrigin: boolean(),
    userVerification: oneOf("required", "preferred"),
    residentKey: oneOf("required", "preferred", "discouraged"),
    identified: boolean(),
    algorithms: {
      isValid: (value) =>
        isArrayOf((item) => COSE_ALGORITHMS.some((one) => one === item))(value) &&
        (value as readonly number[]).length > 0,
      must: `a non-empty array of ${COSE_ALGORITHMS.join(", ")}`,
      fallback: [-8, -7, -257], // ES256 is what most authenticators have, RS256 what older ones of Windows have
    },
    timeout: integer(30, 3_600, 300),
    maxAge: integer(1, MAX_SECONDS, 900),
    maxCredentials: integer(1, 100, 20),
    signUp: boolean(),
    hints: {
      isValid: isArrayOf((item) => typeof item === "string"),
      must: "an array of strings",
      fallback: [],
    },
    attestation: oneOf("none", "direct", "enterprise"),
    verifyAttestation: {
      isValid: (value) => value === undefined || typeof value === "function",
      must: "a function",
    },
  };
}

/** Labels of related origins that browsers accept, WebAuthn Level 3 §5.11.1. */
const MAX_LABELS = 5;

/**
 * Checks a configuration.
 *
 * @throws {TypeError} If an option is missing or has a wrong shape.
 * @throws {RangeError} If a number is out of bounds, or the related origins have more than five labels.
 */
export function readRelyingParty(config: WebAuthnConfig): RelyingParty {
  const read: Record<string, unknown> = {};
  for (
    const [name, { isValid, must, fallback, error = TypeError }] of Object.entries(WEBAUTHN_OPTIONS)
  ) {
    const value = config[name as keyof WebAuthnConfig] ?? fallback;
    if (!isValid(value)) throw new error(`${ACTION}: ${name} must be ${must}`);
    read[name] = Array.isArray(value) ? [...value] : value;
  }
  let hash: Bytes | undefined; // not a promise: in workerd no request may wait for another's
  const rpIdHash = async () => hash ??= await sha256(utf8(config.rpId));
  const rp = Object.freeze({
    ...read as unknown as Complete,
    verifyAttestation: config.verifyAttestation,
    rpIdHash,
  });
  if (rp.residentKey !== "required" && !rp.identified) { // it would count as a way to sign in, and be none
    throw new TypeError(
      `${ACTION}: residentKey: "${rp.residentKey}" needs identified`,
    );
  }
  if (rp.attestation !== "none" && rp.verifyAttestation === undefined) {
    throw new TypeError(
      `${ACTION}: attestation: "${rp.attestation}" needs verifyAttestation`,
    );
  }
  if (new Set(relatedOrigins(rp).map(labelOf)).size > MAX_LABELS) {
    throw new RangeError(
      `${ACTION}: origins of other domains than rpId have more than ${MAX_LABELS} names`,
    );
  }
  return rp;
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

const ADDRESS_REGEXP = /^[\d.]+$|:/;

function isDomain(rpId: unknown): boolean {
  if (typeof rpId !== "string" || ADDRESS_REGEXP.test(rpId)) return false;
  if (rpId !== "localhost" && !/^[^.].*\.[^.]+$/.test(rpId)) return false;
  return URL.canParse(`https://${rpId}`) && new URL(`https://${rpId}`).host === rpId;
}

const APP_ORIGIN_REGEXP = /^(?:android:apk-key-hash:|ios:bundle-id:)[\w.-]+$/;

/** Without encryption for the developer's own machine only. */
function isOrigin(origin: unknown): boolean {
  if (typeof origin !== "string") return false;
  const { protocol, hostname = "" } = parseOrigin(origin) ?? {};
  return protocol === "https:" || APP_ORIGIN_REGEXP.test(origin) ||
    (protocol === "http:" && /^(?:.+\.)?localhost$/.test(hostname));
}

/** The name that was registered: `example` of `app.example.co.uk`. Common second levels stand in for the Public Suffix List. */
function labelOf(origin: string): string | undefined {
  const { hostname } = new URL(origin);
  return hostname.replace(/(?:\.(?:ac|co|com|edu|gov|net|org))?\.[^.]+$/, "").split(".").at(-1);
}

function isArrayOf(isItem: (item: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isItem);
}

function boolean(): OptionRow {
  return { isValid: (value) => typeof value === "boolean", must: "a boolean", fallback: false };
}

/** The first one is the default. */
function oneOf(...values: readonly string[]): OptionRow {
  const must = values.map((value) => `"${value}"`).join(" or ");
  return { isValid: (value) => values.some((one) => one === value), must, fallback: values[0] };
}

function integer(min: number, max: number, fallback: number): OptionRow {
  const isValid = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  return { isValid, must: `an integer from ${min} to ${max}`, fallback, error: RangeError };
}
