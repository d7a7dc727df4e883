/**
 * Runs a ceremony that is changed in one thing through the passkey service, and the same response through SimpleWebAuthn.
 *
 * @module
 */

import { decodeBase64Url } from "../../auth/_base64url.ts";
import { AuthError } from "../../auth/error.ts";
import type { AuthEvent } from "../../auth/events.ts";
import type { Identifier } from "../../auth/identifier.ts";
import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import type { AuthStores } from "../../auth/stores/types.ts";
import { webAuthnService } from "../../auth/webauthn/service.ts";
import type { WebAuthnService } from "../../auth/webauthn/service_types.ts";
import type { WebAuthnConfig } from "../../auth/webauthn/types.ts";
import {
  type Authenticator,
  createAuthenticator,
  type CreateChange,
  type GetChange,
  type ResponseJson,
} from "../auth/webauthn/_authenticator.ts";
import { ALGORITHMS } from "../auth/webauthn/_authenticator_keys.ts";
import type { Outcome } from "../vectors/_webauthn.ts";
import { accepts, server } from "./_simplewebauthn.ts";

/** What a ceremony begins with. */
interface Setting {
  readonly config?: Partial<WebAuthnConfig>;
  /** Whose passkeys the options of a sign-in name. */
  readonly identifier?: string;
}

/** A row: a ceremony, and what it ends with. */
export interface ChangedCeremony<Change> extends Setting {
  /** What is changed. */
  readonly why: string;
  readonly change?: Change | ((people: People) => Change);
  readonly ends: Outcome;
  /** The step that SimpleWebAuthn leaves out, or leaves to its caller; absent where both agree. */
  readonly differs?: string;
  /** Whether the browser creates the passkey without a dialog. */
  readonly conditional?: boolean;
  /** How the passkey of a sign-in was registered. */
  readonly registered?: CreateChange;
  /** What happens between the options and the response. */
  readonly between?: (people: People, response: ResponseJson) => Promise<unknown> | void;
  /** The browser that sends the response. @default the one that asked for the options */
  readonly browser?: string;
}

/** Two users with their authenticators, which count, and the service. */
export interface People {
  readonly ada: Authenticator;
  readonly eve: Authenticator;
  readonly stores: AuthStores;
  readonly service: WebAuthnService;
  readonly clock: { now: number };
}

/** Both verdicts on one response. */
export interface Verdicts {
  readonly ours: Outcome;
  readonly accepted: boolean;
  readonly peerAccepts: boolean;
}

const RP_ID = "example.com";
const ORIGIN = "https://example.com";
/** What identifies the browser that asks for options. */
export const BROWSER = "a digest of a cookie";
const KEYS = { sign: () => Promise.resolve(new Uint8Array(32)) };

/** Runs a registration. */
export async function runRegistration(row: ChangedCeremony<CreateChange>): Promise<Verdicts> {
  const { people, config, failures } = await setUp(row);
  const { conditional = false } = row;
  const options = await people.service.registrationOptions("ada", {
    browser: BROWSER,
    conditional,
  });
  const response = await people.ada.create(options, changeOf(row, people));
  await row.between?.(people, response);
  const userVerification = conditional ? "preferred" : config.userVerification;
  const peerAccepts = await accepts(() =>
    server.verifyRegistrationResponse({
      ...expected(response, options.challenge, userVerification),
      requireUserPresence: !conditional,
      supportedAlgorithmIDs: config.algorithms,
    })
  );
  const ours = await outcomeOf(
    () =>
      people.service.verifyRegistration(response, { browser: row.browser ?? BROWSER, sub: "ada" }),
    failures,
  );
  return { ours, accepted: ours === "accept", peerAccepts };
}

/** Runs a sign-in. SimpleWebAuthn gets the record of the id in the response, as its documentation says. */
export async function runSignIn(row: ChangedCeremony<GetChange>): Promise<Verdicts> {
  const { people, config, failures } = await setUp(row);
  const { ada, eve, service, stores } = people;
  for (const [sub, authenticator] of [["ada", ada], ["eve", eve]] as const) {
    const options = await service.registrationOptions(sub, { browser: BROWSER });
    const response = await authenticator.create(options, { counter: 5, ...row.registered });
    await service.verifyRegistration(response, { browser: BROWSER, sub });
  }
  const { identifier } = row;
  const options = await service.authenticationOptions({ browser: BROWSER, identifier });
  // Decoys do not matter to the authenticator, which finds its own
  const response = await ada.get(options, changeOf(row, people));
  await row.between?.(people, response);
  const record = await stores.credentials.find(String(response.id));
  const peerAccepts = record !== null && await accepts(() =>
    server.verifyAuthenticationResponse({
      ...expected(response, options.challenge, config.userVerification),
      ...(config.topOrigins.length === 0 ? {} : { expectedTopOrigin: config.topOrigins }),
      credential: {
        id: record.id,
        publicKey: decodeBase64Url(record.publicKey),
        counter: record.signCount,
      },
    })
  );
  const ours = await outcomeOf(
    () => service.verifyAuthentication(response, { browser: row.browser ?? BROWSER }),
    failures,
  );
  return { ours, accepted: ours === "accept", peerAccepts };
}

function changeOf<Change>(
  { change }: ChangedCeremony<Change>,
  people: People,
): Change | undefined {
  return typeof change === "function" ? (change as (people: People) => Change)(people) : change;
}

async function setUp({ config: changes = {}, identifier }: Setting) {
  const clock = { now: 1_700_000_000 };
  const now = () => clock.now;
  const stores = inMemoryAuthStores({ now });
  for (const sub of ["ada", "eve"]) {
    const user = { sub, identifier: sub as Identifier, securityStamp: sub, createdAt: clock.now };
    await stores.users.create(user);
  }
  const { algorithms = ALGORITHMS, userVerification = "required", topOrigins = [] } = changes;
  const config = { ...changes, algorithms, userVerification, topOrigins };
  const failures: AuthEvent[] = [];
  const { users, credentials, states } = stores;
  const service = webAuthnService({
    ...{ rpId: RP_ID, rpName: "Example", origins: [ORIGIN], identified: identifier !== undefined },
    ...config,
    ...{ users, credentials, states, now, keys: KEYS },
    events: (event) => void failures.push(event),
  });
  const people: People = {
    ada: createAuthenticator({ counts: true }),
    eve: createAuthenticator({ counts: true }),
    ...{ stores, service, clock },
  };
  return { people, config, failures };
}

function expected(response: unknown, expectedChallenge: string, userVerification?: string) {
  const requireUserVerification = userVerification === "required";
  const site = { expectedOrigin: ORIGIN, expectedRPID: RP_ID };
  return { response, expectedChallenge, ...site, requireUserVerification };
}

/** The reason is in the event alone: a client does not get it. */
async function outcomeOf(
  run: () => Promise<unknown>,
  events: readonly AuthEvent[],
): Promise<Outcome> {
  try {
    await run();
    return "accept";
  } catch (error) {
    const event = events.findLast(({ type }) => type === "webauthn.failed");
    if (error instanceof AuthError && event?.type === "webauthn.failed") return event.reason;
    throw error;
  }
}
