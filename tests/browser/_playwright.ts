/**
 * The part of Playwright that the tests use, and the machine's Chromium.
 *
 * @module
 */

import { PLAYWRIGHT } from "./versions.ts";

/** A cookie in the browser's jar. */
export interface JarCookie {
  readonly name: string;
  readonly value: string;
  /** The host alone, or with a dot before it where all hosts below share the cookie. */
  readonly domain: string;
  readonly path: string;
  /** Seconds since the epoch; -1 for a cookie that goes with the browser. */
  readonly expires: number;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: "Strict" | "Lax" | "None";
}

/** What a page wrote to its console. */
export interface ConsoleMessage {
  type(): string;
  text(): string;
}

/** Elements of a page, looked up anew for each use; waits for them to be there. */
export interface Locator {
  click(): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  fill(text: string): Promise<void>;
  innerText(): Promise<string>;
  locator(selector: string): Locator;
  getAttribute(name: string): Promise<string | null>;
  inputValue(): Promise<string>;
  isDisabled(): Promise<boolean>;
  press(key: string): Promise<void>;
  waitFor(options?: { state: "visible" | "hidden" }): Promise<void>;
}

/** A session of the DevTools protocol. */
export interface CdpSession {
  send<Result = void>(method: string, params?: Readonly<Record<string, unknown>>): Promise<Result>;
  on(
    event: "WebAuthn.credentialDeleted",
    listener: (event: { authenticatorId: string; credentialId: string }) => void,
  ): void;
}

/** A page of a tab. */
export interface Page {
  readonly clock: {
    install(): Promise<void>;
    fastForward(ms: number): Promise<void>;
  };
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
  };
  context(): BrowserContext;
  goto(url: string): Promise<{ status(): number } | null>;
  goBack(options: { waitUntil: "commit" }): Promise<unknown>;
  reload(): Promise<{ status(): number } | null>;
  url(): string;
  title(): Promise<string>;
  /** Runs a script; a promise that it ends with is waited for. */
  evaluate<T>(script: string): Promise<T>;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  locator(selector: string): Locator;
  /** Passes the next requests of an URL to a function before they are sent. */
  route(
    url: string,
    handler: (route: { continue(): Promise<void> }) => Promise<void>,
    options?: { times: number },
  ): Promise<void>;
  bringToFront(): Promise<void>;
  frames(): readonly Frame[];
  waitForRequest(url: string): Promise<unknown>;
  waitForResponse(url: string): Promise<unknown>;
  waitForURL(url: string | RegExp | ((url: URL) => boolean)): Promise<void>;
  screenshot(options: { path: string; fullPage: true }): Promise<unknown>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  close(): Promise<void>;
}

/** A document in a page. */
export type Frame = Pick<Page, "evaluate" | "getByRole" | "locator" | "url">;

/** A window with a jar of its own. */
export interface BrowserContext {
  newPage(): Promise<Page>;
  newCDPSession(page: Page): Promise<CdpSession>;
  cookies(): Promise<readonly JarCookie[]>;
  addCookies(
    cookies:
      readonly (Pick<JarCookie, "name" | "value" | "domain" | "path"> & Partial<JarCookie>)[],
  ): Promise<void>;
  /** Runs a script in each page before the page's own. */
  addInitScript(script: string): Promise<void>;
  setDefaultTimeout(ms: number): void;
  setOffline(offline: boolean): Promise<void>;
  on(event: "console", listener: (message: ConsoleMessage) => void): void;
  on(event: "weberror", listener: (error: { error(): Error }) => void): void;
  close(): Promise<void>;
}

/** How a window is. */
export interface WindowOptions {
  /** Whether its pages run scripts. @default {true} */
  readonly javaScriptEnabled?: boolean;
  /** What its pages are shown on, in CSS pixels. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** What the user prefers. @default {"light"} */
  readonly colorScheme?: "light" | "dark";
}

/** A running browser. */
export interface Browser {
  version(): string;
  newContext(options?: WindowOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: {
      executablePath: string;
      chromiumSandbox: boolean;
      ignoreDefaultArgs: string[];
      args: string[];
    }): Promise<Browser>;
  };
}

/** How a browser is started. */
export interface LaunchOptions {
  /**
   * Whether pages that were left are kept as they stood, as in a user's browser, and shown again by the back button.
   * Playwright does not see when that happens.
   *
   * @default {false}
   */
  readonly cachesPages?: boolean;
  /** Port of this machine at which every name is a host, with any certificate. @default only `localhost` and names beneath it */
  readonly port?: number;
}

/** Names that Chromium goes by, on the machine's `PATH`. */
const NAMES: readonly string[] = ["chromium", "chromium-browser", "google-chrome"];

/** The variable that names another Chromium than the one on `PATH`. */
const VARIABLE = "CHROMIUM";

/** Finds the machine's Chromium. */
export function findChromium(): string | undefined {
  const named = Deno.env.get(VARIABLE);
  if (named !== undefined && named !== "") return named;
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  return folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`)).find(isFile);
}

/**
 * Starts Chromium.
 *
 * @throws {Error} If there is none.
 */
export async function launchChromium(
  { cachesPages = false, port }: LaunchOptions = {},
): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("Cannot start Chromium: none on PATH");
  const { chromium }: Playwright = await import(PLAYWRIGHT);
  return await chromium.launch({
    executablePath,
    chromiumSandbox: false, // it does not work for root or in most containers, and all pages are our own
    ignoreDefaultArgs: cachesPages ? ["--disable-back-forward-cache"] : [],
    args: port === undefined
      ? []
      : [`--host-resolver-rules=MAP * 127.0.0.1:${port}`, "--ignore-certificate-errors"],
  });
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
