/**
 * The passkey service with in-memory stores, two users, a clock that the test sets, and lists of events and warnings.
 *
 * @module
 */

import { type DerivedKeys, deriveKeys } from "../../../auth/derived_keys.ts";
import type { AuthEvent } from "../../../auth/events.ts";
import type { LoginClient } from "../../../auth/throttle/throttle_types.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { AuthStores, Credential } from "../../../auth/stores/types.ts";
import { webAuthnService } from "../../../auth/webauthn/service.ts";
import type {
  PasskeyAuthentication,
  PasskeyInfo,
  PasskeyRegistration,
  WebAuthnService,
} from "../../../auth/webauthn/service_types.ts";
import type { WebAuthnConfig } from "../../../auth/webauthn/types.ts";
import { SECRET, START } from "../_services.ts";
import {
  type Authenticator,
  createAuthenticator,
  type CreateChange,
  type GetChange,
} from "./_authenticator.ts";

export { outcomes, refusal, repeat, setDisabled, START } from "../_services.ts";
export { createAuthenticator, selfAttester } from "./_authenticator.ts";
export type { Authenticator } from "./_authenticator.ts";

export const RP_ID = "example.com";
/** What identifies the browser of every test. */
export const BROWSER = "a digest of a cookie";
export const CLIENT: { readonly address: string } = { address: "192.0.2.1" };
const NAMES = { ada: "ada@example.org", eve: "eve@example.org" };

export interface PasskeySceneOptions extends Partial<WebAuthnConfig> {
  /** Existing stores. */
  readonly stores?: AuthStores;
  /** Wraps the stores. */
  readonly wrap?: (stores: AuthStores) => Partial<AuthStores>;
  readonly clock?: { now: number };
}

export interface PasskeyScene {
  readonly service: WebAuthnService;
  /** Those that the service has. */
  readonly stores: AuthStores;
  readonly keys: DerivedKeys;
  readonly clock: { now: number };
  readonly events: AuthEvent[];
  readonly warnings: unknown[];
  /** Calls of the throttle. */
  readonly counted: string[];
}

/** Ada and Eve have accounts without passkeys. */
export async function createScene(options: PasskeySceneOptions = {}): Promise<PasskeyScene> {
  const { stores: given, wrap, clock = { now: START }, ...config } = options;
  const now = () => clock.now;
  const inner = given ?? inMemoryAuthStores({ now });
  const stores = { ...inner, ...wrap?.(inner) };
  for (const [sub, identifier] of Object.entries(NAMES)) {
    if (await inner.users.findBySub(sub) !== null) continue;
    await inner.users.create({
      sub,
      identifier,
      securityStamp: `stamp of ${sub}`,
      createdAt: START,
    });
  }
  const events: AuthEvent[] = [];
  const warnings: unknown[] = [];
  const counted: string[] = [];
  const count = (kind: string) => ({ address }: LoginClient) => {
    counted.push(`${kind} ${address}`);
    return Promise.resolve();
  };
  const keys = deriveKeys(SECRET);
  const { users, credentials, states } = stores;
  const service = webAuthnService({
    ...{ rpId: RP_ID, rpName: "Example", origins: [`https://${RP_ID}`], ...config },
    ...{ users, credentials, states, keys, now },
    throttle: { challenge: count("challenge"), registration: count("registration") },
    events: (event) => void events.push(event),
    warn: (...warning) => void warnings.push(warning),
  });
  return { service, stores, keys, clock, events, warnings, counted };
}

export interface RegisterOptions {
  readonly sub?: string;
  readonly name?: string;
  readonly conditional?: boolean;
  readonly change?: CreateChange;
}

/** Both steps of a registration. */
export async function register(
  { service }: Pick<PasskeyScene, "service">,
  authenticator: Authenticator = createAuthenticator(),
  { sub = "ada", name, conditional = false, change }: RegisterOptions = {},
): Promise<PasskeyInfo> {
  const client = { browser: BROWSER, client: CLIENT };
  const options = await service.registrationOptions(sub, { ...client, conditional });
  const response = await authenticator.create(options, change);
  return (await service.verifyRegistration(response, { ...client, sub, name })).credential;
}

/** Both steps of a sign-in. */
export async function signIn(
  { service }: Pick<PasskeyScene, "service">,
  authenticator: Authenticator,
  { identifier, change }: {
    readonly identifier?: string | undefined;
    readonly change?: GetChange;
  } = {},
): Promise<PasskeyAuthentication> {
  const client = { browser: BROWSER, client: CLIENT };
  const options = await service.authenticationOptions({ ...client, identifier });
  return await service.verifyAuthentication(await authenticator.get(options, change), client);
}

/** Both steps of a sign-up. */
export async function signUp(
  { service }: Pick<PasskeyScene, "service">,
  identifier: string,
  authenticator: Authenticator = createAuthenticator(),
): Promise<PasskeyRegistration> {
  const client = { browser: BROWSER, client: CLIENT };
  const options = await service.signUpOptions(identifier, client);
  return await service.verifyRegistration(await authenticator.create(options), client);
}

/** The record of a passkey. */
export async function recordOf(
  { stores }: Pick<PasskeyScene, "stores">,
  id: string,
): Promise<Credential> {
  const record = await stores.credentials.find(id);
  if (record === null) throw new Error("Cannot find the record");
  return record;
}
