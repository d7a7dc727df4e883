/** The page of the device flow in a browser: a code that is typed, one that a link has filled in, and who may decide. RFC 8628 */

import { assert, assertEquals } from "@std/assert";
import {
  deriveKeys,
  generateSecret,
  inMemoryAuthStores,
  keyService,
  throttleService,
} from "../../auth/mod.ts";
import {
  AuthorizationServer,
  handleOAuthServerRequest,
  staticClients,
} from "../../auth/server/mod.ts";
import type { BrowserContext, Page } from "./_playwright.ts";
import { type BrowserTestOptions, type OpenWindow, windowTest } from "./_windows.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

interface Scene {
  readonly issuer: string;
  readonly context: BrowserContext;
  readonly another: OpenWindow;
  /** Codes of a new device. */
  device(): Promise<Readonly<Record<string, string>>>;
  /** What a device gets: an error, or the granted scopes. */
  poll(device: Readonly<Record<string, string>>): Promise<string>;
}

function deviceTest(
  name: string,
  fn: (scene: Scene) => Promise<void>,
  options?: BrowserTestOptions,
): void {
  windowTest(name, async (useWindows) => {
    const http = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => answer(request),
    );
    const issuer = `http://localhost:${http.addr.port}`;
    const stores = inMemoryAuthStores();
    const keys = deriveKeys(generateSecret());
    const server = new AuthorizationServer({
      issuer,
      insecureLoopback: true,
      clients: staticClients([
        {
          clientId: "tv",
          name: "Notes on television",
          redirectUris: [],
          grants: [DEVICE_CODE],
          clientUri: "https://tv.example",
        },
      ]),
      codes: stores.authorizations,
      tokens: stores.refreshTokens,
      keyService: keyService({ store: stores.keys, algorithms: ["ES256"] }),
      idTokenAlgorithm: "ES256",
      scopes: {
        "notes:read": { description: "Read your notes" },
        "notes:write": { description: "Change your notes" },
      },
      grants: ["authorization_code", DEVICE_CODE],
      states: stores.states,
      throttle: throttleService({ store: stores.throttle, keys }),
      authenticate({ headers }) {
        const isSignedIn = (headers.get("Cookie") ?? "").includes("user=u1");
        const subject = { sub: "u1", securityStamp: "s", authTime: 0, amr: ["pwd"] };
        return Promise.resolve(isSignedIn ? subject : undefined);
      },
    });
    async function answer(request: Request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
      if (pathname !== "/sign-in") return await handleOAuthServerRequest(server, request);
      const headers = {
        Location: searchParams.get("next") ?? "/",
        "Set-Cookie": "user=u1; Path=/; HttpOnly",
      };
      return new Response(null, { status: 303, headers });
    }
    const post = async (path: string, fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ client_id: "tv", ...fields });
      return await (await fetch(issuer + path, { method: "POST", body })).json();
    };
    try {
      await useWindows(async (another) => {
        const context = await another();
        await fn({
          issuer,
          context,
          another,
          device: () =>
            post("/oauth/device_authorization", { scope: "openid notes:read notes:write" }),
          async poll({ device_code = "" }) {
            const { error, scope } = await post("/oauth/token", {
              grant_type: DEVICE_CODE,
              device_code,
            });
            return error ?? scope;
          },
        });
      });
    } finally {
      await http.shutdown();
    }
  }, options);
}

async function textOf(page: Page): Promise<string> {
  return (await page.locator("main").innerText()).replace(/\s+/g, " ");
}

deviceTest(
  "A user types the code of a device by keyboard, signs in, reads what to compare, and allows, 8628-3.3",
  async ({ issuer, context, device, poll }) => {
    const codes = await device();
    const page = await context.newPage();
    await page.goto(`${issuer}/oauth/device`);
    const typed = (codes["user_code"] ?? "").toLowerCase().replace("-", " ");
    await page.getByLabel("Enter the code that your device shows").fill(typed);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    assertEquals(
      await textOf(page),
      "Allow access? Notes on television wants to access your account tv.example " +
        "Allow access only if you have started this yourself, and the device in front of you shows the code " +
        `${
          codes["user_code"]
        }. If somebody has sent you the code or a link, cancel: they would get access to your account. ` +
        "It will be able to: Know who you are Read your notes Change your notes Cancel Allow",
    );
    const active = "document.querySelectorAll('script, [onclick], [onsubmit], link, img').length";
    assertEquals(await page.evaluate(active), 0);
    assertEquals(await poll(codes), "authorization_pending");
    await page.getByLabel("Change your notes").click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Device connected").waitFor();
    assertEquals(await poll(codes), "openid notes:read");
  },
);

deviceTest(
  "A link fills the code in, and nothing happens before the user goes on, 8628-3.3.1",
  async ({ context, device, poll }) => {
    const codes = await device();
    const page = await context.newPage();
    await page.goto(codes["verification_uri_complete"] ?? "");
    const field = page.getByLabel("Enter the code that your device shows");
    assertEquals(await field.inputValue(), codes["user_code"]);
    assertEquals(await poll(codes), "authorization_pending");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Access refused").waitFor();
    assertEquals(await poll(codes), "access_denied");
  },
);

deviceTest(
  "A wrong code is asked for again, and a code of another browser is not taken from it, AS35",
  async ({ issuer, context, another, device }) => {
    const codes = await device();
    const page = await context.newPage();
    await page.goto(`${issuer}/oauth/device`);
    const field = page.getByLabel("Enter the code that your device shows");
    await field.fill("BCDF-GHJK");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("This code is not valid").waitFor();
    await field.fill(codes["user_code"] ?? "");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();

    const other = await (await another()).newPage();
    await other.goto(codes["verification_uri_complete"] ?? "");
    await other.getByRole("button", { name: "Continue" }).click();
    await other.getByText("This code is not valid").waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Device connected").waitFor();
  },
  { errors: [/status of 404/] },
);

deviceTest(
  "The pages of a device fit into 360 pixels, in light and dark, and are read by their headings",
  async ({ issuer, another, device }) => {
    const folder = Deno.env.get("SCREENSHOTS");
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await another({ viewport: { width: 360, height: 640 }, colorScheme });
      const page = await context.newPage();
      const picture = async (name: string) => {
        const width = await page.evaluate("document.documentElement.scrollWidth");
        assert(Number(width) <= 360, `${name} is ${width} pixels wide`);
        if (folder !== undefined) {
          await page.screenshot({ path: `${folder}/${name}_${colorScheme}.png`, fullPage: true });
        }
      };
      await page.goto(`${issuer}/oauth/device`);
      await picture("code");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("This code is not valid").waitFor();
      await picture("unknown");
      const codes = await device();
      await page.goto(codes["verification_uri_complete"] ?? "");
      await picture("filled");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("button", { name: "Allow" }).waitFor();
      await picture("consent");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("heading", { name: "Device connected" }).waitFor();
      await picture("connected");
    }
  },
  { errors: [/status of 404/] },
);
