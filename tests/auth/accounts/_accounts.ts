/**
 * An account service with its stores, a clock that the test sets, and the messages that were delivered.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  type AccountMessage,
  type AccountOptions,
  type AccountService,
  accountService,
  type AuthEvent,
  type AuthStores,
  deriveKeys,
  inMemoryAuthStores,
  type MessageContext,
  type PasswordService,
  passwordService,
  type SessionService,
  sessionService,
  throttleService,
  type UserService,
  userService,
} from "../../../auth/mod.ts";
import { cheapHasher, CLIENT, PASSWORD, refusal, SECRET, START } from "../_services.ts";

export { CLIENT, NOBODY, OTHER_PASSWORD, PASSWORD, refusal, START, types } from "../_services.ts";

export const ADA = "ada@example.org";
export const NEW = "countess@example.org";
export const ORIGIN = "https://app.example.com";

/** All flows, each with a page of its own. */
export const FLOWS = {
  verifyEmail: { page: "/verify" },
  changeEmail: { page: "/change" },
  resetPassword: { page: "/reset" },
  signInLink: { page: "/link" },
  signInCode: {},
} as const;

/** A write to the store of states. */
export interface Put {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly expiresAt: number;
}

export interface TestAccounts {
  readonly service: AccountService;
  readonly stores: AuthStores;
  readonly passwords: PasswordService;
  readonly sessions: SessionService;
  readonly users: UserService;
  readonly clock: { now: number };
  readonly events: AuthEvent[];
  readonly warnings: string[];
  /** Calls of stores by the service, `users.findBySub` for example. */
  readonly calls: string[];
  readonly puts: Put[];
  /** The request of a browser. */
  context(members?: Partial<MessageContext>): MessageContext;
  /** Waits for deliveries. @returns Those since the last call. */
  delivered(): Promise<readonly AccountMessage[]>;
  /** The one message that something sends. */
  messageOf(send: () => Promise<unknown>): Promise<AccountMessage>;
}

export interface TestAccountsOptions extends Partial<AccountOptions> {
  readonly over?: AuthStores;
  readonly wrap?: (stores: AuthStores) => Partial<AuthStores>;
  /** Whether messages and codes are counted. @default {false} */
  readonly throttled?: boolean;
}

/** Creates a service. */
export function createAccounts(options: TestAccountsOptions = {}): TestAccounts {
  const { over, wrap, throttled = false, ...own } = options;
  const clock = { now: START };
  const now = () => clock.now;
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const calls: string[] = [];
  const puts: Put[] = [];
  const messages: AccountMessage[] = [];
  const pending: Promise<void>[] = [];
  const context = {
    now,
    events: (event: AuthEvent) => void events.push(event),
    warn: (message: string) => void warnings.push(message),
  };
  const kept = over ?? inMemoryAuthStores({ now });
  const stores: AuthStores = { ...kept, ...wrap?.(kept) };
  const keys = deriveKeys(SECRET);
  const passwords = passwordService({
    ...stores,
    throttle: "insecureSkip",
    hasher: cheapHasher(),
    ...context,
  });
  const users = userService({ ...stores, ...context });
  const recorded = recordCalls(stores, { calls, puts });
  const service = accountService({
    deliver: (message) => void messages.push(message),
    origin: ORIGIN,
    ...FLOWS,
    ...own,
    ...recorded,
    keys,
    passwords,
    accounts: users,
    throttle: throttled
      ? throttleService({ store: stores.throttle, keys, ...context })
      : "insecureSkip",
    ...context,
  });

  async function delivered(): Promise<readonly AccountMessage[]> {
    await Promise.all(pending.splice(0));
    return messages.splice(0);
  }

  return {
    service,
    stores,
    passwords,
    sessions: sessionService({ ...stores, ...context }),
    users,
    clock,
    events,
    warnings,
    calls,
    puts,
    context: (members = {}) => ({
      client: CLIENT,
      browser: "browser 1",
      waitUntil: (delivery) => void pending.push(delivery),
      ...members,
    }),
    delivered,
    async messageOf(send) {
      await send();
      const [message, ...others] = await delivered();
      assert(message !== undefined, "nothing was sent");
      assertEquals(others, []);
      return message;
    },
  };
}

/** Records calls of the stores that the service gets. */
function recordCalls(
  stores: AuthStores,
  { calls, puts }: { readonly calls: string[]; readonly puts: Put[] },
): AuthStores {
  const record = <Store extends object>(name: string, store: Store): Store =>
    new Proxy(store, {
      get(target, method) {
        const own: unknown = Reflect.get(target, method);
        if (typeof own !== "function") return own;
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(method)}`);
          if (name === "states" && method === "put") {
            const [key, value, expiresAt] = args as [string, Put["value"], number];
            puts.push({ key, value, expiresAt });
          }
          return own.apply(target, args);
        };
      },
    });
  return Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, record(name, store)]),
  ) as unknown as AuthStores;
}

/** Creates Ada, `u1`, whose address is not verified. */
export async function withAda(options: TestAccountsOptions = {}): Promise<TestAccounts> {
  const own = createAccounts(options);
  await own.passwords.createUser({ identifier: ADA, password: PASSWORD }, { sub: "u1" });
  clear(own);
  return own;
}

/** Stores an address of a user as verified. */
export async function verify(
  { stores }: Pick<TestAccounts, "stores">,
  sub: string = "u1",
  email: string = ADA,
): Promise<void> {
  const stored = await stores.emails.findBySub(sub);
  const next = { sub, email, verifiedAt: START };
  assertEquals(await stores.emails.save(next, stored?.version ?? null), "saved");
}

/** Forgets what was recorded. */
export function clear({ events, calls, puts }: TestAccounts): void {
  events.length = 0;
  calls.length = 0;
  puts.length = 0;
}

/** The token of a link. */
export function tokenOf(message: AccountMessage | undefined): string {
  const { url = "" } = message ?? {};
  const token = new URL(url).searchParams.get("token");
  assert(token !== null);
  return token;
}

/** The code that something is refused with. */
export async function codeOf(attempt: () => Promise<unknown>): Promise<string> {
  return (await refusal(attempt)).code;
}

/** A wrong code. */
export function wrongCode({ code = "" }: AccountMessage): string {
  return code === "000000" ? "000001" : "000000";
}

/** The address of a user, as it is stored. */
export async function storedEmail(
  { stores }: Pick<TestAccounts, "stores">,
  sub: string = "u1",
): Promise<readonly [email: string | undefined, isVerified: boolean]> {
  const stored = await stores.emails.findBySub(sub);
  return [stored?.email, typeof stored?.verifiedAt === "number"];
}
