/**
 * The notes service at `localhost` and an OpenID provider at `127.0.0.1`, which is another site to browsers.
 *
 * @module
 */

import { inMemoryAuthStores, oauthClient } from "../../auth/mod.ts";
import { oidcProvider } from "../../auth/oauth/mod.ts";
import { memoryAdapter } from "../../auth/stores/memory.ts";
import { createApp } from "../../examples/notes/app.ts";
import { LIVE_ASSETS } from "../../examples/notes/assets.ts";
import type { Provider } from "../../examples/notes/providers.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { type FakeProvider, fakeProvider } from "../auth/oauth/_fake_provider.ts";
import { openPage } from "./_notes.ts";
import type { BrowserContext, Page } from "./_playwright.ts";
import { windowTest } from "./_windows.ts";

/** What a test gets. */
export interface ProviderScene {
  readonly origin: string;
  readonly context: BrowserContext;
  /** The provider, which asks the user before it answers. */
  readonly provider: FakeProvider;
  /** Requests of the service's callbacks: method, `Sec-Fetch-Site`, and names of cookies. */
  readonly callbacks: {
    readonly method: string;
    readonly site: string | null;
    readonly cookies: string;
  }[];
  /** Opens a page of the service in a new tab. */
  open(path: string): Promise<Page>;
}

/** Registers a test. `form` is a provider whose response is a form; the other redirects. */
export function providerTest(
  name: string,
  fn: (scene: ProviderScene) => Promise<void>,
  { form = false, errors = [] }: { readonly form?: boolean; readonly errors?: readonly RegExp[] } =
    {},
): void {
  windowTest(name, async (useWindows) => {
    const callbacks: ProviderScene["callbacks"] = [];
    const op = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
    const issuer = `http://127.0.0.1:${op.addr.port}`;
    const provider = fakeProvider({ issuer });

    /** The page that asks the user: its button leads back, by a link or by a form. */
    async function answer(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url);
      if (pathname !== "/authorize") return await provider.fetch(request.url, request);
      const { url, parameters } = provider.authorize(request.url);
      const fields = [...parameters].map(([name, value]) =>
        `<input type="hidden" name="${name}" value="${value}">`
      );
      const form = `<form method="post" action="${url.split("?")[0]}">${
        fields.join("")
      }<button>Agree</button></form>`;
      const link = `<a role="button" href="${url.replaceAll("&", "&amp;")}">Agree</a>`;
      const body = `<!DOCTYPE html><link rel="icon" href="data:,"><title>Provider</title>${
        isForm() ? form : link
      }`;
      return new Response(body, { headers: { "Content-Type": "text/html" } });
    }
    const isForm = () => form;

    const app = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request, info) => {
      const { method, headers, url } = request;
      if (new URL(url).pathname.endsWith("/callback")) {
        const cookies = (headers.get("Cookie") ?? "").replace(/=[^;]*/g, "");
        callbacks.push({ method, site: headers.get("Sec-Fetch-Site"), cookies });
      }
      return service.fetch(request, info);
    });
    const origin = `http://localhost:${app.addr.port}`;
    const stores = inMemoryAuthStores();
    const preset = oidcProvider({
      issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
    });
    const client = oauthClient({ ...preset, responseMode: form ? "form_post" : "query" }, {
      states: stores.states,
      redirectUri: `${origin}/auth/oauth/oidc/callback`,
      insecureLoopback: true,
    });
    const providers: readonly Provider[] = [{ name: "oidc", title: "your organization", client }];
    const service = createApp({
      store: recordNoteStore(memoryAdapter()),
      stores,
      origin,
      secret: "a secret that only the tests know, kept",
      assets: LIVE_ASSETS,
      providers,
    });
    try {
      await useWindows(async (another) => {
        const context = await another();
        const open = (path: string) => openPage(context, origin + path);
        await fn({ origin, context, provider, callbacks, open });
      });
    } finally {
      await Promise.all([app.shutdown(), op.shutdown()]);
    }
  }, { errors });
}

/** Signs in by the button of a page, and agrees at the provider. */
export async function signInAt(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Sign in with your organization" }).click();
  await agree(page);
}

/** Agrees at the provider. */
export async function agree(page: Page): Promise<void> {
  await page.waitForURL((url) => url.pathname === "/authorize");
  await page.getByRole("button", { name: "Agree" }).click();
}
