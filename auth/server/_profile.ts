/**
 * The profile `fapi2`: FAPI 2.0 Security Profile, Final. One row for each requirement that an option could break; what no option
 * can break holds for every server.
 *
 * @module
 */

import { DPOP_ALGORITHMS } from "../dpop/proof.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import type { ClientAuthenticationMethod, GrantType } from "../stores/server_types.ts";
import type { AuthorizationServerOptions } from "./core/types.ts";

/** What a profile demands that no option says. */
export interface ProfileLimits {
  /** How clients may authenticate. @default in every way */
  readonly allowedMethods?: readonly ClientAuthenticationMethod[];
  /** Algorithms of client assertions. @default all that have a public key */
  readonly assertionAlgorithms?: readonly AsymmetricAlgorithm[];
  /** Whether every token must be bound to a key. */
  readonly isDpopRequired: boolean;
  /** Whether a refresh token stays the same. */
  readonly keepsRefreshTokens: boolean;
}

/** The limits of a server without a profile. */
const UNLIMITED: ProfileLimits = { isDpopRequired: false, keepsRefreshTokens: false };

const FAPI2: ProfileLimits = {
  allowedMethods: ["private_key_jwt"], // §5.3.2.1-3 and 6: confidential clients, without shared secrets
  assertionAlgorithms: DPOP_ALGORITHMS, // §5.4.1-1
  isDpopRequired: true, // §5.3.2.1-4 and 5
  keepsRefreshTokens: true, // §5.3.2.1-9
};

/** Grants that the profile's security was analyzed with, §5.3.2.1 note 2, and those of machines. */
const GRANTS: readonly GrantType[] = ["authorization_code", "refresh_token", "client_credentials"];

/** A requirement: its section, the option that could break it, and what that must be. */
type Requirement = readonly [
  section: string,
  option: string,
  text: string,
  isMet: (options: AuthorizationServerOptions) => boolean,
];

const REQUIREMENTS: readonly Requirement[] = [
  ["5.2.1", "insecureLoopback", "must not be set", ({ insecureLoopback }) => !insecureLoopback],
  ["5.3.2.1-4", "dpop", "must not be false", ({ dpop }) => dpop !== false],
  ["5.3.2.1-6", "states", "is required", ({ states }) => states !== undefined],
  [
    "5.3.2.1-9",
    "refreshReuseSeconds",
    "must not be set: refresh tokens are not rotated",
    ({ refreshReuseSeconds }) => refreshReuseSeconds === undefined,
  ],
  [
    "5.3.2.1-11",
    "lifetimes.code",
    "must be at most 60",
    ({ lifetimes }) => (lifetimes?.code ?? 0) <= 60,
  ],
  [
    "5.3.2.2-3",
    "pushedRequests",
    'must be "required"',
    ({ pushedRequests = "required" }) => pushedRequests === "required",
  ],
  [
    "5.3.2.2-12",
    "lifetimes.pushedRequest",
    "must be less than 600",
    ({ lifetimes }) => (lifetimes?.pushedRequest ?? 0) < 600,
  ],
  [
    "5.3.2.1",
    "grants",
    `must be of ${GRANTS.join(", ")}`,
    ({ grants = [] }) => grants.every((grant) => GRANTS.includes(grant)),
  ],
  [
    "5.4.1-1",
    "keyService",
    `must have no other algorithms than ${DPOP_ALGORITHMS.join(", ")}`,
    ({ keyService: { algorithms } }) => algorithms.every((alg) => DPOP_ALGORITHMS.includes(alg)),
  ],
];

/** Applies the profile to the options. @throws {TypeError} If there is no such profile, or an option contradicts it. */
export function applyProfile(action: string, options: AuthorizationServerOptions): {
  readonly options: AuthorizationServerOptions;
  readonly limits: ProfileLimits;
} {
  const { profile, dpop = true, keyService, idTokenAlgorithm = keyService.algorithms[0] } = options;
  if (profile === undefined) return { options, limits: UNLIMITED };
  if (profile !== "fapi2") throw new TypeError(`${action}: profile must be "fapi2"`);
  const broken = REQUIREMENTS.find(([, , , isMet]) => !isMet(options));
  if (broken !== undefined) {
    const [section, option, text] = broken;
    throw new TypeError(`${action}: ${option} ${text} (FAPI 2.0 Security Profile §${section})`);
  }
  const changed = { ...options, dpop, idTokenAlgorithm, pushedRequests: "required" } as const;
  return { options: changed, limits: FAPI2 };
}
