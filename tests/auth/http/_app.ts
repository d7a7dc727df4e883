/**
 * An application with authentication on in-memory stores, and browsers that use it.
 *
 * @module
 */

import {
  type AuthEvent,
  type AuthOptions,
  type AuthRuntime,
  type AuthStores,
  type BuilderOptions,
  type Container,
  createContainer,
  inMemoryAuthStores,
  type IntegrationOptions,
  json,
  type Principal,
  registerAuth,
  routerBuilder,
  type TypedRouter,
} from "@gatehouse/http";
import { ADA, CLIENT, type CountingHasher, countingHasher, SECRET, START } from "../_services.ts";
import { createBrowser, type TestBrowser } from "../_browser.ts";

export type { BrowserInit, TestBrowser } from "../_browser.ts";

export const ORIGIN = "https://example.com";

export interface TestAppOptions extends Partial<Omit<AuthOptions, "stores" | "hasher">> {
  /** Existing stores. */
  readonly stores?: AuthStores;
  /** Wraps the in-memory stores. */
  readonly wrap?: (stores: AuthStores) => Partial<AuthStores>;
  readonly clock?: { now: number };
  /** Its routes include registration by default. */
  readonly integration?: Partial<IntegrationOptions>;
  readonly router?: BuilderOptions<unknown[]>;
}

export interface TestApp {
  /** Has `/me`, `/maybe` (optional), both for any scope, `/public`, `POST /notes`, the routes of authentication, and routes added by a test. */
  readonly router: TypedRouter<unknown[], Principal>;
  readonly runtime: AuthRuntime;
  readonly container: Container;
  readonly stores: AuthStores;
  readonly clock: { now: number };
  readonly events: AuthEvent[];
  readonly warnings: string[];
  /** Errors that clients saw as a 500. */
  readonly errors: unknown[];
  readonly hasher: CountingHasher;
  /** Creates a browser without cookies, at an address. */
  browser(options?: { readonly address?: string }): TestBrowser;
  /** Creates a browser in which Ada, `u1`, is signed in; hashes and events are not recorded. */
  signedIn(options?: { readonly remember?: boolean }): Promise<TestBrowser>;
}

/** The stores do not expire records: the services must check limits. */
export function createTestApp(options: TestAppOptions = {}): TestApp {
  const {
    wrap,
    clock = { now: START },
    integration,
    router: routerOptions,
    ...given
  } = options;
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const errors: unknown[] = [];
  const kept = options.stores ?? inMemoryAuthStores({ now: () => 0 });
  const stores: AuthStores = { ...kept, ...wrap?.(kept) };
  const hasher = countingHasher();
  const container = options.container ?? createContainer();
  const runtime = registerAuth({
    secret: SECRET,
    deployment: "direct",
    hasher,
    now: () => clock.now,
    events: (event) => void events.push(event),
    warn: (message) => void warnings.push(message),
    ...given,
    stores,
    container,
  });
  const router = routerBuilder<unknown[]>({
    onError: (error) => void errors.push(error),
    ...routerOptions,
  })
    .withAuth(runtime.integration({ routes: { registration: "open" }, ...integration }))
    .build()
    .get("/me", (req) => json({ sub: req.principal.sub, method: req.principal.method }), {
      scope: "any",
    })
    .get("/maybe", (req) => json({ sub: req.principal?.sub ?? null }), {
      auth: { mode: "optional" },
      scope: "any",
    })
    .get("/public", () => json("all"), { auth: false })
    .post("/notes", (req) => json({ by: req.principal.sub }, { status: 201 }));

  function browser({ address = CLIENT.address }: { address?: string } = {}): TestBrowser {
    const remoteAddr = { transport: "tcp", hostname: address, port: 50_000 };
    return createBrowser({
      origin: ORIGIN,
      now: () => clock.now,
      fetch: async (request) => await router.fetch(request, { remoteAddr }),
    });
  }

  async function signedIn({ remember = false }: { remember?: boolean } = {}): Promise<TestBrowser> {
    const user = await stores.users.findByIdentifier(ADA.identifier);
    const authentication = user === null
      ? await runtime.passwords.createUser({ ...ADA }, { sub: "u1" })
      : await runtime.passwords.verify({ ...ADA }, { address: undefined });
    const client = browser();
    const { token, session } = await runtime.sessions.create(authentication, {
      persistent: remember,
    });
    const age = remember ? { maxAge: session.expiresAt - session.createdAt } : {};
    client.keep([runtime.cookies.set("sid", token, age)]);
    events.length = 0;
    hasher.calls.length = 0;
    return client;
  }

  return {
    router,
    runtime,
    container,
    stores,
    clock,
    events,
    warnings,
    errors,
    hasher,
    browser,
    signedIn,
  };
}
