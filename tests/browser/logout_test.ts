/** The logout endpoint of the authorization server in a browser: the page that asks, and other sites that nobody asked. */

import { assert, assertEquals } from "@std/assert";
import {
  createContainer,
  createRouter,
  inMemoryAuthStores,
  pbkdf2Hasher,
  registerAuth,
} from "../../mod.ts";
import {
  AuthorizationServer,
  mountOAuthServer,
  runtimeOptions,
  staticClients,
} from "../../auth/server/mod.ts";
import { ADA, SECRET } from "../auth/_services.ts";
import type { BrowserContext, Page } from "./_playwright.ts";
import { type OpenWindow, windowTest } from "./_windows.ts";

const LOCAL = { hostname: "127.0.0.1", port: 0, onListen() {} };

const PAGE = { headers: { "Content-Type": "text/html" } };

interface Scene {
  readonly issuer: string;
  /** A client of another site, whose page shows its address. */
  readonly client: string;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly open: OpenWindow;
  isSignedIn(): Promise<boolean>;
}

/** A test with a server on `localhost`, a client on another site, and a window in which Ada is signed in. */
function logoutTest(
  name: string,
  fn: (scene: Scene) => Promise<void>,
  errors: readonly RegExp[] = [],
): void {
  windowTest(name, async (useWindows) => {
    let handler: (request: Request) => Response | Promise<Response> = () => new Response();
    await using http = Deno.serve(LOCAL, (request) => handler(request));
    await using shop = Deno.serve(LOCAL, () => new Response("<title>Shop</title>", PAGE));
    const issuer = `http://localhost:${http.addr.port}`;
    const client = `http://127.0.0.1:${shop.addr.port}`;
    const stores = inMemoryAuthStores();
    const runtime = registerAuth({
      secret: SECRET,
      stores,
      hasher: pbkdf2Hasher({ iterations: 1_000 }), // fast: the hash is not under test
      deployment: "direct",
      jwt: { issuer, audience: issuer, algorithms: ["ES256"] },
      warn: () => {},
      container: createContainer(),
    });
    const server = new AuthorizationServer({
      issuer,
      clients: staticClients([{
        clientId: "shop",
        name: "The Shop",
        redirectUris: [`${client}/callback`],
        postLogoutRedirectUris: [`${client}/bye`],
      }]),
      codes: stores.authorizations,
      tokens: stores.refreshTokens,
      keyService: runtime.tokens.keys,
      idTokenAlgorithm: "ES256",
      insecureLoopback: true,
      ...runtimeOptions(runtime),
      logout: true,
    });
    const router = mountOAuthServer(
      createRouter().withAuth(runtime.integration({ routes: { registration: "closed" } })),
      server,
    );
    handler = (request) => router.fetch(request);
    const user = await runtime.passwords.createUser({ ...ADA });
    await useWindows(async (open) => {
      const context = await open();
      const page = await context.newPage();
      await page.goto(`${issuer}/oauth/logout`);
      const { token } = await runtime.sessions.create(user);
      await context.addCookies([{
        name: runtime.cookies.names.sid,
        value: token,
        domain: "localhost",
        path: "/",
        secure: true,
        httpOnly: true,
        sameSite: "Lax",
      }]);
      const isSignedIn = async () => await runtime.sessions.verify(token) !== undefined;
      await fn({ issuer, client, context, page, open, isSignedIn });
    });
  }, { errors });
}

/** What a page shows, without line breaks. */
async function textOf(page: Page): Promise<string> {
  return (await page.locator("main").innerText()).replace(/\s+/g, " ");
}

/** A link of the client to the logout endpoint. */
function linkOf({ issuer, client }: Scene): string {
  const query = { client_id: "shop", post_logout_redirect_uri: `${client}/bye`, state: "s-1" };
  return `${issuer}/oauth/logout?${new URLSearchParams(query)}`;
}

logoutTest("The logout page asks, signs out, and leads back to the client", async (scene) => {
  const { page, client, issuer, context } = scene;
  await page.goto(client);
  await page.evaluate(`location.assign(${JSON.stringify(linkOf(scene))})`);
  await page.waitForURL((url) => url.pathname === "/oauth/logout");
  assertEquals(
    await textOf(page),
    "Sign out? The Shop asks you to sign out here, too You are signed in as ada@example.org Stay signed in Sign out",
  );
  assertEquals(await page.evaluate("document.querySelectorAll('script, link, img').length"), 0);
  assert(await scene.isSignedIn());
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${client}/bye?state=s-1`);
  assertEquals(await scene.isSignedIn(), false);
  const names = (await context.cookies()).map(({ name }) => name);
  assertEquals(names.includes("__Host-sid"), false);
  await page.goto(`${issuer}/oauth/logout`);
  assertEquals(await textOf(page), "You are signed out You can close this page.");
});

logoutTest(
  "A user who stays is led back, and is still signed in",
  async (scene) => {
    const { page, client } = scene;
    await page.goto(linkOf(scene));
    await page.getByRole("button", { name: "Stay signed in" }).click();
    await page.waitForURL(`${client}/bye?state=s-1`);
    assert(await scene.isSignedIn());
  },
);

logoutTest("Another site's form, frame and image sign nobody out, AS40", async (scene) => {
  const { page, client, issuer } = scene;
  await page.goto(client);
  await page.evaluate(`
    document.body.innerHTML = '<iframe src="${issuer}/oauth/logout"></iframe><img src="${issuer}/oauth/logout">';
  `);
  await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 300))`);
  await page.evaluate(`
    const form = document.createElement("form");
    form.method = "post";
    form.action = "${issuer}/oauth/logout";
    for (const [name, value] of [["id", "x".repeat(22)], ["token", "x"], ["decision", "sign_out"]]) {
      form.append(Object.assign(document.createElement("input"), { name, value }));
    }
    document.body.append(form);
    form.requestSubmit();
  `);
  await page.waitForURL((url) => url.pathname === "/oauth/logout");
  assertEquals((await textOf(page)).endsWith("logout_forged"), true);
  assert(await scene.isSignedIn());
}, [/status of 403/, /[Ff]ram(?:e|ing)/]);
