/**
 * An application with passkeys among other sites, all with names of their own and https: every name leads to one server of
 * this machine.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  type AuthEvent,
  createContainer,
  inMemoryAuthStores,
  pbkdf2Hasher,
  registerAuth,
  relatedOriginsHandler,
  routerBuilder,
  type WebAuthnConfig,
} from "../../mod.ts";
import { createCertificate } from "../examples/_certificates.ts";
import { CLIENT } from "./_app.ts";
import { openPage } from "./_notes.ts";
import type { Frame, Page } from "./_playwright.ts";
import { type Answer, literal, register } from "./_steps.ts";
import { SIMPLEWEBAUTHN_BROWSER } from "./versions.ts";
import { windowTest } from "./_windows.ts";

/** Where the application is. */
export const APP = "https://app.example";

/** What a test gets. */
export interface SitesScene {
  /** Opens a page in a new tab: the application's at its hosts, an empty one at all others. */
  open(url: string): Promise<Page>;
  /** Opens the application's page as somebody who has just registered. */
  openAs(identifier: string): Promise<Page>;
  /** Why ceremonies were refused. */
  reasons(): readonly string[];
}

/** What the page of a site has: both ceremonies, whose errors become values. */
const CEREMONIES = `
  globalThis.ceremony = async (kind, options) => {
    const name = kind === "create" ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON";
    try {
      const publicKey = PublicKeyCredential[name](options);
      return (await navigator.credentials[kind]({ publicKey })).toJSON();
    } catch (error) {
      return { error: error.name };
    }
  };
`;

const PEM_LINE_REGEXP = /.{64}/g;
let handler: (request: Request) => Response | Promise<Response> = notFound;
const { der, privateKey } = createCertificate({ ca: true });
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  cert: `-----BEGIN CERTIFICATE-----\n${
    Buffer.from(der).toString("base64").replace(PEM_LINE_REGEXP, "$&\n")
  }\n-----END CERTIFICATE-----\n`,
  key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  onListen: () => {},
}, (request) => handler(request));

Deno.test.afterAll(() => server.shutdown());

/**
 * Registers a test among sites.
 *
 * @param config Configuration of the application's passkeys.
 */
export function sitesTest(
  name: string,
  config: Partial<WebAuthnConfig>,
  fn: (scene: SitesScene) => Promise<void>,
): void {
  windowTest(name, async (useWindows) => {
    const events: AuthEvent[] = [];
    const webauthn = { rpId: "app.example", rpName: "App", origins: [APP], ...config };
    handler = createSites(webauthn, (event) => void events.push(event));
    await useWindows(async (another) => {
      const context = await another();
      const open = (url: string) => openPage(context, url);
      await fn({
        open,
        async openAs(identifier) {
          const page = await open(`${APP}/`);
          await register(page, identifier);
          return page;
        },
        reasons: () =>
          events.flatMap((event) => event.type === "webauthn.failed" ? [event.reason] : []),
      });
    });
  }, { errors: [/status of 4\d\d/], port: server.addr.port });
}

function createSites(
  webauthn: WebAuthnConfig,
  events: (event: AuthEvent) => void,
): typeof handler {
  const container = createContainer();
  const runtime = registerAuth({
    secret: "a secret of the tests in browsers alone",
    stores: inMemoryAuthStores(),
    deployment: "direct",
    hasher: pbkdf2Hasher({ iterations: 1_000 }),
    webauthn,
    events,
    warn: () => {}, // no address comes with the requests
    container,
  });
  const router = routerBuilder({ container })
    .withAuth(runtime.integration({ routes: { registration: "open" } }))
    .build()
    .get("/.well-known/webauthn", relatedOriginsHandler(runtime.webauthn), { auth: false });
  const own = new Set(webauthn.origins.map((origin) => new URL(origin).hostname));
  return (request) => {
    const url = new URL(request.url);
    if (url.pathname === "/") return sitePage(url);
    if (url.pathname.startsWith(PEER_PATH)) return peerScript(url.pathname);
    return own.has(url.hostname) ? router.fetch(request) : notFound();
  };
}

/** A page, with a frame if the query names its source and what it allows. */
function sitePage({ searchParams }: URL): Response {
  const source = searchParams.get("frame");
  const allow = searchParams.get("allow") ?? "";
  const frame = source === null ? "" : `<iframe src="${source}" allow="${allow}"></iframe>`;
  const markup = `<!DOCTYPE html><title>Site</title><link rel="icon" href="data:,">` +
    `<script>${CLIENT}${CEREMONIES}</script>` +
    `<body><button onclick="outcome = ceremony(...staged)">Go on</button>${frame}`;
  return new Response(markup, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** Where pages import `@simplewebauthn/browser`. */
const PEER_PATH = "/simplewebauthn/";

/** A module of the package, from where it was installed: the stack of an error in it says where that is. */
async function peerScript(pathname: string): Promise<Response> {
  const peer: { startRegistration(): Promise<unknown> } = await import(SIMPLEWEBAUTHN_BROWSER);
  const stack = await peer.startRegistration().catch((error: Error) => error.stack);
  const [folder] = /file:\S+\/(?=methods\/startRegistration\.js)/.exec(String(stack)) ?? [];
  const text = await Deno.readTextFile(new URL(pathname.slice(PEER_PATH.length), folder));
  return new Response(text, { headers: { "Content-Type": "text/javascript" } });
}

function notFound(): Response {
  return new Response(null, { status: 404 });
}

/** Options of a ceremony, as JSON. */
export interface OptionsJson {
  readonly rp?: { readonly id: string; readonly name: string };
  readonly rpId?: string;
}

/** What a ceremony of a page gives: a credential, or the name of an error. */
export type Outcome = { readonly error: string } | { readonly id: string };

/** Which ceremony. */
export type Kind = "create" | "get";

/** Asks the application for options, from one of its pages. */
export async function optionsFor(page: Page, kind: Kind): Promise<OptionsJson> {
  const path = `/auth/webauthn/${kind === "create" ? "register" : "login"}/options`;
  const { body } = await post(page, path, {});
  return body as OptionsJson;
}

/** Runs a ceremony in a page or a frame by a click, as frames of other sites may only. */
export async function run(page: Frame, kind: Kind, options: OptionsJson): Promise<Outcome> {
  await page.evaluate(`void (staged = ${literal([kind, options])})`);
  await page.getByRole("button", { name: "Go on" }).click();
  return await page.evaluate<Outcome>("outcome");
}

/** Sends the result of a ceremony from one of the application's pages. */
export async function verify(page: Page, kind: Kind, outcome: Outcome): Promise<Answer> {
  return await post(
    page,
    `/auth/webauthn/${kind === "create" ? "register" : "login"}/verify`,
    outcome,
  );
}

function post(page: Page, path: string, body: unknown): Promise<Answer> {
  return page.evaluate(`sendWithToken("POST", ${literal(path)}, ${literal(body)})`);
}
