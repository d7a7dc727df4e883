/**
 * Second factors of users: an authenticator app (TOTP, RFC 6238), and recovery codes.
 *
 * All of a user's second factors are one record, and each step is one compare-and-swap: a code is accepted once.
 *
 * @module
 */

import { equalText } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { randomBytes } from "../_random.ts";
import { warnConsole } from "../_report.ts";
import { AuthError } from "../error.ts";
import type { FactorFailure, FactorKind } from "../events.ts";
import { checkedUserReader, isDisabled } from "../stores/checked.ts";
import { checkedFactors } from "../stores/checked_factors.ts";
import type { PendingTotp, StoredTotp, UserFactors } from "../stores/types.ts";
import type { LoginClient } from "../throttle/throttle_types.ts";
import { encodeBase32 } from "./_base32.ts";
import { type DecryptedSecret, decryptSecret, encryptSecret } from "./_encrypted_secret.ts";
import { type FactorUpdate, updateFactors } from "./_update_factors.ts";
import { digestRecoveryCode, generateRecoveryCodes } from "./recovery_codes.ts";
import { otpauthUri, verifyTotp } from "./totp.ts";
import type {
  FactorProof,
  FactorService,
  FactorServiceOptions,
  VerifiedFactor,
} from "./factor_types.ts";

const ACTION = "Cannot create factor service";

/** RFC 4226 §4 R6: 160 bits. */
const SECRET_BYTES = 20;

/** Seconds within which a new authenticator must be confirmed. */
const PENDING_SECONDS = 600;

const ISSUER_REGEXP = /^[^:\p{Cc}\p{Cs}]{1,100}$/u;

const UNREADABLE =
  "Cannot read the secret of an authenticator: it was changed, or its secret was removed";

/** The user of an attempt. */
interface Attempt {
  readonly sub: string;
  readonly kind: FactorKind;
  readonly address?: string | undefined;
}

/**
 * Creates a service for second factors.
 *
 * Secrets are encrypted by a key of the application's secret. When that is rotated, a user's secret is encrypted by the new one
 * at the next sign-in; users who do not sign in before the old one is removed need a recovery code.
 *
 * @throws {TypeError} If an option is missing or has the wrong type.
 * @throws {RangeError} If `issuer` is invalid.
 *
 * @example
 * ```ts
 * import { deriveKeys, factorService, generateSecret, inMemoryAuthStores, throttleService, totpCode } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const { factors, throttle: store } = inMemoryAuthStores();
 * const keys = deriveKeys(generateSecret());
 * let time = 1_700_000_000;
 * const now = () => time;
 * const throttle = throttleService({ store, keys, now });
 * const service = factorService({ factors, keys, throttle, issuer: "Acme", now });
 *
 * const { secret } = await service.enrolTotp("u1", "ada@example.org"); // shown with the QR code of `uri`
 * const { recoveryCodes } = await service.confirmTotp("u1", await totpCode(secret, time));
 * assertEquals(recoveryCodes.length, 10);
 *
 * time += 30;
 * const client = { address: "192.0.2.1" };
 * const { amr } = await service.verify("u1", { totp: await totpCode(secret, time) }, client);
 * assertEquals(amr, ["otp"]);
 * ```
 */
export function factorService(options: FactorServiceOptions): FactorService {
  checkOptions(options);
  const { keys, throttle, issuer, events, warn = warnConsole } = options;
  const factors = checkedFactors(options.factors);
  const users = options.users && checkedUserReader(options.users);
  const now = createClock(options.now);
  const emit = createEmitter({ events, now, warn });

  /** The response does not depend on the reason. */
  function refused({ sub, kind, address }: Attempt, reason: FactorFailure): AuthError {
    emit("factor.failed", { sub, kind, reason, address });
    return new AuthError("invalid_second_factor", { reason, detail: "The code is not valid" });
  }

  async function requireUser(attempt: Attempt): Promise<void> {
    if (users === undefined) return;
    const user = await users.findBySub(attempt.sub);
    if (user === null || isDisabled(user)) throw refused(attempt, "user_refused");
  }

  async function readSecret(attempt: Attempt, { secret }: PendingTotp): Promise<DecryptedSecret> {
    const decrypted = await decryptSecret(keys, attempt.sub, secret);
    if (decrypted !== undefined) return decrypted;
    warn(UNREADABLE);
    throw refused(attempt, "secret_unreadable");
  }

  /** Finds the step, and encrypts the secret again if an older secret of the application has encrypted it. */
  async function useTotp(attempt: Attempt, found: UserFactors | null, code: unknown) {
    if (!hasTotp(found)) throw refused(attempt, "factor_missing");
    const { secret, text } = await readSecret(attempt, found.totp);
    const step = await verifyTotp(secret, readDigits(code), { at: now() });
    if (step === undefined) throw refused(attempt, "code_wrong");
    if (step <= found.totp.lastStep) throw refused(attempt, "code_reused");
    return { next: { ...found, totp: { ...found.totp, secret: text, lastStep: step } } };
  }

  function useRecoveryCode(attempt: Attempt, found: UserFactors | null, digest?: string) {
    if (!hasTotp(found)) throw refused(attempt, "factor_missing");
    if (digest === undefined) throw refused(attempt, "code_wrong");
    const { recoveryCodes } = found;
    const rest = recoveryCodes.filter((code) => !equalText(code, digest));
    if (rest.length === recoveryCodes.length) throw refused(attempt, "code_wrong");
    return { next: { ...found, recoveryCodes: rest } };
  }

  return Object.freeze({
    async list(sub: string) {
      const found = await factors.find(sub);
      if (!hasTotp(found)) return { totp: undefined, recoveryCodes: 0 };
      const { totp: { confirmedAt }, recoveryCodes } = found;
      return { totp: { confirmedAt }, recoveryCodes: recoveryCodes.length };
    },

    has: async (sub: string) => hasTotp(await factors.find(sub)),

    async enrolTotp(sub: string, account: string) {
      const attempt: Attempt = { sub, kind: "totp" };
      await requireUser(attempt);
      const secret = randomBytes(SECRET_BYTES);
      const uri = otpauthUri({ issuer, account, secret });
      const pending = { secret: await encryptSecret(keys, sub, secret), createdAt: now() };
      await updateFactors(factors, sub, (found) => {
        return { next: { ...found ?? { sub, recoveryCodes: [] }, pending }, result: undefined };
      });
      // A concurrent deletion of the account may have preceded the record: another user may get the same sub later
      if (users !== undefined && await users.findBySub(sub) === null) {
        await factors.delete(sub);
        throw refused(attempt, "user_refused");
      }
      return { secret: encodeBase32(secret), uri };
    },

    async confirmTotp(sub: string, code: string) {
      const attempt: Attempt = { sub, kind: "totp" };
      await requireUser(attempt);
      const digits = readDigits(code);
      const recoveryCodes = await updateFactors(
        factors,
        sub,
        async (found): Promise<FactorUpdate<readonly string[]>> => {
          const { pending } = found ?? {};
          if (found === null || !pending) throw refused(attempt, "factor_missing");
          const [at, { createdAt }] = [now(), pending];
          if (at >= createdAt + PENDING_SECONDS) throw refused(attempt, "enrolment_expired");
          const { secret, text } = await readSecret(attempt, pending);
          const lastStep = await verifyTotp(secret, digits, { at });
          if (lastStep === undefined) throw refused(attempt, "code_wrong");
          const totp = { secret: text, createdAt, confirmedAt: at, lastStep };
          const { recoveryCodes: kept } = found;
          if (hasTotp(found) && kept.length > 0) {
            return { next: { sub, totp, recoveryCodes: kept }, result: [] };
          }
          const { codes, digests } = await createRecoveryCodes(sub);
          return { next: { sub, totp, recoveryCodes: digests }, result: codes };
        },
      );
      emit("factor.added", { sub, kind: "totp" });
      if (recoveryCodes.length > 0) emit("recovery_codes.created", { sub });
      return { recoveryCodes };
    },

    async regenerateRecoveryCodes(sub: string) {
      const attempt: Attempt = { sub, kind: "recovery_code" };
      await requireUser(attempt);
      const { codes, digests } = await createRecoveryCodes(sub);
      await updateFactors(factors, sub, (found) => {
        if (!hasTotp(found)) throw refused(attempt, "factor_missing");
        return { next: { ...found, recoveryCodes: digests }, result: undefined };
      });
      emit("recovery_codes.created", { sub });
      return codes;
    },

    // Counted first: of concurrent guesses only those that the rule allows are compared
    async verify(sub: string, proof: FactorProof, client: LoginClient): Promise<VerifiedFactor> {
      const counted = throttle === "insecureSkip" ? undefined : await throttle.factor(sub, client);
      const { kind, code } = readProof(proof);
      const attempt: Attempt = { sub, kind, address: client.address };
      await requireUser(attempt);
      const digest = kind === "totp" ? undefined : await digestRecoveryCode(sub, code);
      await updateFactors(factors, sub, async (found) => ({
        ...kind === "totp"
          ? await useTotp(attempt, found, code)
          : useRecoveryCode(attempt, found, digest),
        result: undefined,
      }));
      await counted?.succeed();
      emit("factor.used", attempt);
      return { amr: ["otp"] };
    },

    async remove(sub: string) {
      const found = await options.factors.find(sub); // unchecked: an invalid record can be removed, too
      await factors.delete(sub);
      if (found !== null) emit("factor.removed", { sub, kind: "totp" });
      return found !== null;
    },
  });
}

function hasTotp(
  found: UserFactors | null,
): found is UserFactors & { readonly totp: StoredTotp } {
  return Boolean(found?.totp);
}

async function createRecoveryCodes(sub: string): Promise<{
  readonly codes: readonly string[];
  readonly digests: readonly string[];
}> {
  const codes = generateRecoveryCodes();
  const digests = await Promise.all(codes.map((code) => digestRecoveryCode(sub, code)));
  return { codes, digests: digests.flatMap((digest) => digest ?? []) };
}

/** The longest input that is read. */
const MAX_INPUT = 32;

/** Apps show codes in groups. */
function readDigits(code: unknown): string {
  return typeof code === "string" && code.length <= MAX_INPUT ? code.replace(/\s/g, "") : "";
}

/** A proof with both members, or none, is a wrong code of the app: it comes from a client. */
function readProof(proof: FactorProof): { readonly kind: FactorKind; readonly code: unknown } {
  const { totp, recoveryCode }: { totp?: unknown; recoveryCode?: unknown } = proof ?? {};
  if (recoveryCode === undefined) return { kind: "totp", code: totp };
  return totp === undefined
    ? { kind: "recovery_code", code: recoveryCode }
    : { kind: "totp", code: undefined };
}

function checkOptions(options: FactorServiceOptions): void {
  const { factors, keys, throttle, issuer } = options ?? {};
  if (typeof factors?.save !== "function" || typeof keys?.encrypt !== "function") {
    throw new TypeError(`${ACTION}: factors or keys are missing; deriveKeys() creates keys`);
  }
  if (throttle !== "insecureSkip" && typeof throttle?.factor !== "function") {
    throw new TypeError(`${ACTION}: throttle must be a throttle service or "insecureSkip"`);
  }
  if (typeof issuer !== "string") throw new TypeError(`${ACTION}: issuer must be a string`);
  if (!ISSUER_REGEXP.test(issuer)) {
    throw new RangeError(
      `${ACTION}: issuer must be 1 to 100 characters without colons and control characters`,
    );
  }
}
