/**
 * node-oidc-provider on this machine, and a browser that signs in there.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- the provider warns of its development mode

import { assert } from "@std/assert";
import type { AsymmetricAlgorithm } from "../../auth/jwt/jwa.ts";
import { generateJwk, type Jwk } from "../../auth/mod.ts";
import { OIDC_PROVIDER } from "./versions.ts";

/** The part of Node's server that is used here. */
interface NodeServer {
  once(event: "listening", listener: () => void): void;
  close(done: () => void): void;
  closeAllConnections(): void;
}

/** The part of the package that is used here. */
interface ProviderClass {
  new (issuer: string, configuration: object): {
    listen(port: number, host: string): NodeServer;
    on(event: string, listener: (...args: unknown[]) => void): void;
  };
}

/** A running provider. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string;
}

/** Options of {@linkcode startOidcProvider}. */
export interface OidcProviderOptions {
  readonly clients: readonly object[];
  readonly keys: readonly Jwk[];
  readonly configuration?: object;
  /** The port of a provider that is started again with other keys. */
  readonly port?: number;
}

/** A key with what the provider wants to know of it. */
export async function signingKey(alg: AsymmetricAlgorithm): Promise<Jwk> {
  return { ...await generateJwk(alg), use: "sig", alg };
}

/** Starts a provider. */
export async function startOidcProvider(
  { clients, keys, configuration, port = freePort() }: OidcProviderOptions,
): Promise<OidcProvider> {
  const { default: Provider } = await import(OIDC_PROVIDER) as { default: ProviderClass };
  const issuer = `http://127.0.0.1:${port}`;
  const silent = [console.warn, console.info];
  console.warn = console.info = () => {};
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false, // claims of scopes come in the ID token, too
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.org`, email_verified: true, name: "Ada" }),
    }),
    cookies: { keys: ["a secret of this test"] },
    // Tokens of confidential clients, for whoever asks
    issueRefreshToken: () => true,
    ...configuration,
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      backchannelLogout: { enabled: true },
      ...(configuration as { features?: object } | undefined)?.features,
    },
  });
  const server = provider.listen(port, "127.0.0.1");
  await new Promise<void>((resolve) => server.once("listening", resolve));
  [console.warn, console.info] = silent as [typeof console.warn, typeof console.info];
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** A browser at the provider: its cookies. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  /** Goes to a URL and signs in on the way. @returns The first URL that is not the provider's. */
  async signIn(url: string, login: string): Promise<string> {
    const { origin } = new URL(url);
    let response = await this.send(url);
    for (let step = 0; step < 12; step++) {
      const location = response.headers.get("Location");
      if (location !== null) {
        const next = new URL(location, url).href;
        if (new URL(next).origin !== origin) return next;
        response = await this.send(next);
        continue;
      }
      const page = await response.text();
      const [, action] = /action="([^"]+)"/.exec(page) ?? [];
      assert(action !== undefined, page.replace(/<style>[^]*<\/style>/, "").slice(0, 2_000));
      const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      const form = new URLSearchParams({
        prompt,
        ...(prompt === "login" ? { login, password: "p" } : {}),
      });
      response = await this.send(new URL(action, url).href, form);
    }
    throw new Error("The provider asks for ever");
  }

  /** Sends a request with cookies, without following redirects. */
  async send(url: string, form?: URLSearchParams): Promise<Response> {
    const Cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const init: RequestInit = { redirect: "manual", headers: { Cookie } };
    const response = await fetch(
      url,
      form === undefined ? init : { ...init, method: "POST", body: form },
    );
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const name = pair.slice(0, pair.indexOf("="));
      if (/expires=Thu, 01 Jan 1970/i.test(cookie)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(name.length + 1));
    }
    if (response.headers.has("Location")) await response.body?.cancel();
    return response;
  }
}
