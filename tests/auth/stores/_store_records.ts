/**
 * Records as stores keep them, of a user `u1`.
 *
 * @module
 */

import type {
  ApiKey,
  Credential,
  NewUser,
  RefreshFamily,
  Session,
} from "../../../auth/stores/types.ts";

/** When they were created. */
export const START: number = 1_700_000_000;
/** When those expire that do. */
export const END: number = START + 600;

export const USER: NewUser = {
  sub: "u1",
  identifier: "ada",
  securityStamp: "stamp",
  createdAt: START,
};

export const SESSION: Session = {
  id: "s1",
  sub: "u1",
  tokenHash: "hash",
  securityStamp: "stamp",
  createdAt: START,
  activeAt: START,
  expiresAt: END,
  authTime: START,
  amr: ["pwd"],
};

export const CREDENTIAL: Credential = {
  id: "c1",
  sub: "u1",
  rpId: "example.com",
  userHandle: "handle",
  publicKey: "key",
  signCount: 1,
  backupEligible: false,
  backedUp: false,
  userVerified: true,
  discoverable: true,
  aaguid: "00000000-0000-0000-0000-000000000000",
  fmt: "none",
  lastUsedAt: START,
  createdAt: START,
};

export const FAMILY: RefreshFamily = {
  id: "f1",
  sub: "u1",
  securityStamp: "stamp",
  currentHash: "hash",
  generation: 0,
  revoked: false,
  createdAt: START,
  expiresAt: START + 60,
  familyExpiresAt: END,
  authTime: START,
  amr: ["pwd"],
};

export const API_KEY: ApiKey = {
  id: "k1",
  sub: "u1",
  keyHash: "hash",
  scope: [],
  createdAt: START,
};
