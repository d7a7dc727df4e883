/**
 * Nonces that a server provides for DPoP proofs, RFC 9449 §8 and §9: a proof that was made in advance is not accepted. Nothing is
 * stored, so that processes need to have only the keys in common.
 *
 * @module
 */

import { decodeMac, encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import type { DerivedKeys } from "../derived_keys.ts";

/** Nonces of a server. */
export interface DpopNonces {
  /** The nonce for the next proof. */
  issue(): Promise<string>;
  /** Whether a nonce is valid, and still the one that `issue()` returns. */
  check(nonce: unknown): Promise<"current" | "valid" | "invalid">;
}

/** What nonces are made of. */
export interface DpopNonceOptions {
  readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  /** The server: nonces of another one with the same keys are not valid. */
  readonly issuer: string;
  readonly now: () => number;
}

/**
 * Seconds after which there is another nonce. One is valid for as long again, and as early if the clock of the process that issued it
 * is ahead.
 */
const STEP = 40;

const NONCE_REGEXP = /^(\d+)\.([\w-]+)$/;

/** Creates the nonces of a server. */
export function dpopNonces({ keys, issuer, now }: DpopNonceOptions): DpopNonces {
  const currentStep = () => Math.floor(now() / STEP);
  const messageOf = (step: number) => joinFields([issuer, `${step}`]);
  return {
    async issue() {
      const step = currentStep();
      return `${step}.${encodeBase64Url(await keys.sign("dpop", messageOf(step)))}`;
    },
    async check(nonce) {
      const [, digits = "", mac = ""] = NONCE_REGEXP.exec(typeof nonce === "string" ? nonce : "") ??
        [];
      const [step, current] = [Number(digits), currentStep()];
      if (Math.abs(step - current) > 1) return "invalid";
      const isOurs = await keys.verify("dpop", messageOf(step), decodeMac(mac));
      if (!isOurs) return "invalid";
      return step === current ? "current" : "valid";
    },
  };
}
