/**
 * A program that signs in and uses tokens. It needs nothing of the package.
 *
 * @module
 */

/** Where the application is, for those who ask it. */
export const ISSUER = "https://example.com";

/** Somebody. */
export const ADA = { identifier: "ada@example.org", password: "lovelace wrote the notes" };

/** What a program sends. */
export interface Call {
  readonly method?: string;
  readonly body?: unknown;
  /** Access token. */
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a sign-in answers. */
export interface Account {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly expiresIn: number;
  readonly refreshToken: string;
  readonly scope: readonly string[];
  readonly user: { readonly sub: string };
}

/** A program, which keeps no cookies. */
export interface Program {
  call(path: string, call?: Call): Promise<Response>;
  /** Sends what needs a token against forged requests, and the cookies that come with it. */
  change(path: string, body: unknown): Promise<Response>;
  /** Signs in or registers. */
  signIn(path: string, credentials: object): Promise<Account>;
}

/** Makes a program. @param fetch Sends a request. */
export function createProgram(fetch: (request: Request) => Promise<Response>): Program {
  function call(
    path: string,
    { method, body, bearer, headers }: Call = {},
  ): Promise<Response> {
    const content = body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const request = new Request(`${ISSUER}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      ...content,
    });
    const fields = new Headers({
      ...content.headers,
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      ...headers,
    });
    // Node and Bun leave out what pages may not set, as Cookie; servers' requests have it
    return fetch(Object.defineProperty(request, "headers", { value: fields }));
  }

  async function change(path: string, body: unknown): Promise<Response> {
    const csrf = await call("/auth/csrf");
    const Cookie = csrf.headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ");
    const { csrfToken, header } = await csrf.json();
    return await call(path, { body, headers: { Cookie, [header]: csrfToken } });
  }

  return {
    call,
    change,
    async signIn(path, credentials) {
      const response = await change(path, credentials);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return await response.json();
    },
  };
}
