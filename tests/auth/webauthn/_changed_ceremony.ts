/**
 * Ceremonies that are changed in one thing, and how the passkey service ends them.
 *
 * @module
 */

import { AuthError } from "../../../auth/error.ts";
import type { AuthEvent } from "../../../auth/events.ts";
import type { Identifier } from "../../../auth/identifier.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { webAuthnService } from "../../../auth/webauthn/service.ts";
import type { WebAuthnService } from "../../../auth/webauthn/service_types.ts";
import type { WebAuthnConfig } from "../../../auth/webauthn/types.ts";
import {
  type Authenticator,
  createAuthenticator,
  type CreateChange,
  type GetChange,
  type ResponseJson,
} from "./_authenticator.ts";
import { ALGORITHMS } from "./_authenticator_keys.ts";
import type { Outcome } from "../../vectors/_webauthn.ts";

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

/** A ceremony up to the response. */
export interface OpenCeremony {
  readonly people: People;
  readonly config: Pick<WebAuthnConfig, "userVerification"> & {
    readonly algorithms: readonly number[];
    readonly topOrigins: readonly string[];
  };
  readonly challenge: string;
  readonly response: ResponseJson;
  /** What was recorded since the options. */
  readonly events: readonly AuthEvent[];
  /** Ends it. */
  verify(): Promise<Ending>;
}

/** How the service ends a ceremony. */
export interface Ending {
  /** `accept`, or the reason: it is in the event alone. */
  readonly outcome: Outcome;
  /** What the client gets of a refusal. */
  readonly error?: AuthError;
}

export const RP_ID = "example.com";
export const ORIGIN = "https://example.com";
/** What identifies the browser that asks for options. */
export const BROWSER = "a digest of a cookie";
const KEYS = { sign: () => Promise.resolve(new Uint8Array(32)) };

/** Begins a registration by ada. */
export async function openRegistration(
  row: ChangedCeremony<CreateChange>,
): Promise<OpenCeremony> {
  const { people, config, events } = await setUp(row);
  const { conditional = false, browser = BROWSER } = row;
  const options = await people.service.registrationOptions("ada", {
    browser: BROWSER,
    conditional,
  });
  const response = await people.ada.create(options, changeOf(row, people));
  await row.between?.(people, response);
  events.length = 0;
  const verify = () => people.service.verifyRegistration(response, { browser, sub: "ada" });
  const userVerification = conditional ? "preferred" : config.userVerification;
  return {
    ...{ people, challenge: options.challenge, response, events },
    config: { ...config, userVerification },
    verify: () => endingOf(verify, events),
  };
}

/** Begins a sign-in by ada, whose passkey and eve's were registered with the counter 5. */
export async function openSignIn(row: ChangedCeremony<GetChange>): Promise<OpenCeremony> {
  const { people, config, events } = await setUp(row);
  const { ada, eve, service } = people;
  for (const [sub, authenticator] of [["ada", ada], ["eve", eve]] as const) {
    const options = await service.registrationOptions(sub, { browser: BROWSER });
    const response = await authenticator.create(options, { counter: 5, ...row.registered });
    await service.verifyRegistration(response, { browser: BROWSER, sub });
  }
  const { identifier, browser = BROWSER } = row;
  const options = await service.authenticationOptions({ browser: BROWSER, identifier });
  // Decoys do not matter to the authenticator, which finds its own
  const response = await ada.get(options, changeOf(row, people));
  await row.between?.(people, response);
  events.length = 0;
  return {
    ...{ people, config, challenge: options.challenge, response, events },
    verify: () => endingOf(() => service.verifyAuthentication(response, { browser }), events),
  };
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
  const events: AuthEvent[] = [];
  const { users, credentials, states } = stores;
  const service = webAuthnService({
    ...{ rpId: RP_ID, rpName: "Example", origins: [ORIGIN], identified: identifier !== undefined },
    ...config,
    ...{ users, credentials, states, now, keys: KEYS },
    events: (event) => void events.push(event),
  });
  const people: People = {
    ada: createAuthenticator({ counts: true }),
    eve: createAuthenticator({ counts: true }),
    ...{ stores, service, clock },
  };
  return { people, config, events };
}

async function endingOf(
  run: () => Promise<unknown>,
  events: readonly AuthEvent[],
): Promise<Ending> {
  try {
    await run();
    return { outcome: "accept" };
  } catch (error) {
    const event = events.findLast(({ type }) => type === "webauthn.failed");
    if (!(error instanceof AuthError) || event?.type !== "webauthn.failed") throw error;
    return { outcome: event.reason, error };
  }
}
