/**
 * An application with accounts by e-mail, and browsers that use it on a host that ends with the response.
 *
 * @module
 */

import { type AccountMessage, type AccountOptions, emailAccounts } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { createBrowser, type TestBrowser } from "../_browser.ts";
import { CLIENT } from "../_services.ts";
import { createTestApp, ORIGIN, type TestApp, type TestAppOptions } from "./_app.ts";

export const MAIL = "ada@example.org";
export const NEW_MAIL = "countess@example.org";

/** All flows. */
export const ACCOUNTS: Omit<AccountOptions, "deliver"> = {
  origin: ORIGIN,
  verifyEmail: { page: "/verify" },
  changeEmail: { page: "/change" },
  resetPassword: { page: "/reset" },
  signInLink: { page: "/link" },
  signInCode: {},
};

export interface AccountAppOptions extends Omit<TestAppOptions, "accounts"> {
  readonly accounts?: Partial<AccountOptions>;
}

export interface AccountApp extends TestApp {
  /** Waits for deliveries. @returns Those since the last call. */
  delivered(): Promise<readonly AccountMessage[]>;
  /** Sends a request for a message, which must be 202 without content. @returns The one message. */
  ask(page: TestBrowser, path: string, json?: unknown): Promise<AccountMessage>;
}

/** Creates the application. Its browsers come with `waitUntil`, as on workerd. */
export function createAccountApp({ accounts, ...options }: AccountAppOptions = {}): AccountApp {
  const messages: AccountMessage[] = [];
  const pending: Promise<void>[] = [];
  const app = createTestApp({
    ...options,
    accounts: emailAccounts({
      deliver: (one) => void messages.push(one),
      ...ACCOUNTS,
      ...accounts,
    }),
  });
  const host = { waitUntil: (one: Promise<void>) => void pending.push(one) };

  async function delivered(): Promise<readonly AccountMessage[]> {
    await Promise.all(pending.splice(0));
    return messages.splice(0);
  }

  return {
    ...app,
    browser({ address = CLIENT.address } = {}) {
      const remoteAddr = { transport: "tcp", hostname: address, port: 50_000 };
      return createBrowser({
        origin: ORIGIN,
        now: () => app.clock.now,
        fetch: async (request) => await app.router.fetch(request, { remoteAddr }, host),
      });
    },
    async signedIn(init) {
      const page = this.browser();
      const known = await app.signedIn(init);
      for (const name of known.jar.names()) page.jar.set(name, known.jar.get(name) ?? "");
      return page;
    },
    delivered,
    async ask(page, path, json = {}) {
      const response = await page.post(`/auth/${path}`, json);
      assertEquals([response.status, await response.text()], [202, ""]);
      const [message, ...others] = await delivered();
      assert(message !== undefined, "nothing was sent");
      assertEquals(others, []);
      return message;
    },
  };
}

/** The token of a link. */
export function tokenOf(message: AccountMessage | undefined): string {
  return new URL(message?.url ?? "").searchParams.get("token") ?? "";
}

/** Stores an address as verified. */
export async function verifyMail(
  { stores, clock }: Pick<TestApp, "stores" | "clock">,
  sub: string = "u1",
  email: string = MAIL,
): Promise<void> {
  const stored = await stores.emails.findBySub(sub);
  const next = { sub, email, verifiedAt: clock.now };
  assertEquals(await stores.emails.save(next, stored?.version ?? null), "saved");
}

/** Status and code of a response. */
export async function codeOf(response: Promise<Response> | Response): Promise<string> {
  const answer = await response;
  const text = await answer.text();
  return `${answer.status} ${text === "" ? "" : JSON.parse(text).code ?? ""}`.trim();
}
