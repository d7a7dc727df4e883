/**
 * An application with the routes of authentication, and pages that use it as browsers do.
 *
 * @module
 */

import {
  type AuthOptions,
  type AuthRuntime,
  createContainer,
  createRouter,
  inMemoryAuthStores,
  json,
  pbkdf2Hasher,
  registerAuth,
} from "../../mod.ts";

/** The time at which its clock begins. */
export const START = 1_700_000_000;

const OWN = { "Sec-Fetch-Site": "same-origin" };

/** A page of a browser. */
export interface Page {
  /** Cookies by their names. */
  readonly jar: Map<string, string>;
  get(path: string): Promise<Response>;
  /** Sends JSON with the page's token. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** An application, and pages of it. */
export interface Site {
  readonly clock: { now: number };
  readonly runtime: AuthRuntime;
  open(): Page;
}

/** An application that guards `/me`, and `/recent` by a sign-in of the last minute, with a clock of its own. Its client has one
 * address on every runtime. */
export function createSite(
  options: Pick<AuthOptions, "webauthn" | "accounts" | "secondFactors"> = {},
): Site {
  const clock = { now: START };
  const runtime = registerAuth({
    secret: "a secret that only the tests know, kept",
    stores: inMemoryAuthStores({ now: () => clock.now }),
    hasher: pbkdf2Hasher({ iterations: 1000 }),
    deployment: { clientAddress: () => "192.0.2.1" },
    container: createContainer(),
    now: () => clock.now,
    ...options,
  });
  const router = createRouter({ onError: () => {} }).withAuth(
    runtime.integration({ routes: { registration: "open" } }),
  )
    .get("/me", (req) => json({ sub: req.principal.sub, method: req.principal.method }))
    .get("/recent", () => json("secrets"), { auth: { mode: "required", maxAge: 60 } })
    .get("/mfa", () => json("secrets"), { auth: { mode: "required", amr: ["mfa"] } })
    .post("/notes", () => json("written", { status: 201 }));

  function open(): Page {
    const jar = new Map<string, string>();

    async function send(path: string, init: RequestInit, fields: Record<string, string>) {
      const request = new Request(`https://example.com${path}`, init);
      const Cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      // Node and Bun leave out what pages may not set; servers' requests have it
      const headers = new Headers({ ...fields, ...(Cookie === "" ? {} : { Cookie }) });
      const response = await router.fetch(
        Object.defineProperty(request, "headers", { value: headers }),
      );
      for (const cookie of response.headers.getSetCookie()) keep(cookie);
      return response;
    }

    function keep(cookie: string): void {
      const [pair = ""] = cookie.split("; ");
      const [name = "", value = ""] = pair.split("=");
      if (cookie.includes("Expires=Thu, 01 Jan 1970")) jar.delete(name);
      else jar.set(name, value);
    }

    async function token(): Promise<string> {
      const response = await send("/auth/csrf", { method: "GET" }, OWN);
      return (await response.json()).csrfToken;
    }

    return {
      jar,
      get: (path) => send(path, { method: "GET" }, OWN),
      async post(path, body = {}, headers = OWN) {
        const fields = { "Content-Type": "application/json", "X-CSRF-Token": await token() };
        const init = { method: "POST", body: JSON.stringify(body) };
        return await send(path, init, { ...fields, ...headers });
      },
    };
  }
  return { clock, runtime, open };
}

/** Status of an answer and code of its problem, if it is one. */
export async function outcome(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  const { code = "" } = text.startsWith("{") ? JSON.parse(text) : {};
  return `${response.status} ${code}`.trim();
}
