/** The user's page of the device flow. Sources: RFC 8628 §3.3, §5 and §6.1, GHSA-cq3f-vc6p-68fh, CVE-2024-38371, AS35. */

import { assert, assertEquals } from "@std/assert";
import type { AuthorizationServerOptions, DevicePrompt } from "../../../auth/server/mod.ts";
import { ENGLISH } from "../../../auth/server/mod.ts";
import { devicePage } from "../../../auth/server/device/device_page.ts";
import type { DeviceIssuedAuthorization } from "../../../auth/stores/server_types.ts";
import { recordedCodes } from "./_authorize.ts";
import { DEVICE_CODE, type DeviceSite, deviceSite, pageOf } from "./_device.ts";
import { assertErrorPage, assertTokenError, type FormChanges, formOf, ISSUER } from "./_site.ts";
import { assertPageHeaders, escaped, GERMAN, HOSTILE, visibleText } from "./_pages.ts";
import { changingClients, tokensOf } from "./_tokens.ts";

Deno.test("answerDevice() takes a code, asks, and gives the device access, 8628-3.3", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const device = await site.device();
  assertEquals(await pageOf(await browser.send("/oauth/device")), "code");
  const page = await site.page(browser, device.user_code);
  const text = visibleText(page);
  for (
    const part of [
      "Notes on television wants to access your account",
      "You are signed in as ada@example.org",
      `the device in front of you shows the code ${device.user_code}`,
      "Know who you are",
      "Read your notes",
    ]
  ) assert(text.includes(part), `${part} is not in: ${text}`);
  const [pending] = site.codes.records.values();
  assert(pending?.state === "device_pending");
  assertEquals(await pageOf(await site.decide(browser, page)), "Device connected");
  const { browser: _, ...others } = pending;
  const [{ subject, ...issued } = {} as DeviceIssuedAuthorization] = [
    ...site.codes.records.values(),
  ].filter((one) => one.state === "device_issued");
  assertEquals([issued, subject?.sub], [
    { ...others, state: "device_issued", scope: ["openid", "notes:read"] },
    "u1",
  ]);
  const tokens = await tokensOf(await site.poll(device));
  assertEquals(tokens.scope, "openid notes:read");
});

Deno.test("answerDevice() of a user who refuses gives the device access_denied, 8628-3.5", async () => {
  const site = deviceSite();
  const device = await site.device();
  const answer = await site.answer(await site.signedIn(), device.user_code, { decision: "deny" });
  assertEquals(await pageOf(answer), "Access refused");
  for (let i = 0; i < 2; i++) await assertTokenError(await site.poll(device), "access_denied");
  const refused = site.app.events.filter(({ type }) => type === "authorization.refused");
  const at = site.app.clock.now;
  assertEquals(refused, [
    {
      type: "authorization.refused",
      at,
      reason: "access_denied",
      clientId: "tv",
      address: "192.0.2.1",
    },
  ]);
});

/** How a code may be typed, §6.1. */
const TYPED: readonly (readonly [why: string, type: (code: string) => string])[] = [
  ["as it is shown", (code) => code],
  ["without the hyphen", (code) => code.replace("-", "")],
  ["in lower case", (code) => code.toLowerCase()],
  ["with spaces", (code) => ` ${[...code.replace("-", "")].join(" ")} `],
  ["with other punctuation", (code) => code.replace("-", " – ")],
  ["with characters that codes do not have", (code) => code.replace("-", "a1é\0")],
];
for (const [why, type] of TYPED) {
  Deno.test(`answerDevice() takes a code that is typed ${why}, 8628-6.1`, async () => {
    const site = deviceSite();
    const { user_code } = await site.device();
    const response = await site.enter(site.app.browser(), type(user_code));
    assertEquals(response.headers.get("Location"), `/oauth/device?user_code=${user_code}`);
  });
}

const UNKNOWN = ["", "-", "BCDF-GHJ", "BCDF-GHJK-L", "BCDF-GHJK", "x".repeat(10_000), "AEIO-UAEI"];
for (const code of UNKNOWN) {
  Deno.test(`answerDevice() refuses the code "${code.slice(0, 16)}" and shows the form again`, async () => {
    const site = deviceSite();
    await site.device();
    const response = await site.enter(await site.signedIn(), code);
    assertEquals(await pageOf(response), "404 code");
    assert(visibleText(await response.text()).includes("This code is not valid"));
    assertEquals(site.app.events.at(-1), {
      type: "authorization.refused",
      at: site.app.clock.now,
      reason: "user_code_unknown",
      address: "192.0.2.1",
    });
  });
}

Deno.test("answerDevice() only fills in the code of verification_uri_complete, 8628-3.3.1, 8628-5.4", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const { user_code, verification_uri_complete } = await site.device();
  const { pathname, search } = new URL(verification_uri_complete);
  for (let i = 0; i < 2; i++) {
    const response = await browser.send(pathname + search, {
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    assertEquals(response.headers.getSetCookie(), []);
    assertEquals(formOf(await response.text()).fields, { user_code });
  }
  assertEquals(site.codes.calls.filter((call) => call !== "find"), ["create"]);
});

Deno.test("answerDevice() shows nothing of a URL but letters that codes have", async () => {
  const site = deviceSite();
  for (const text of [...HOSTILE, "call 555-1234 now", "b".repeat(5_000)]) {
    const path = `/oauth/device?${new URLSearchParams({ user_code: text })}`;
    const { fields } = formOf(await (await site.send(path)).text());
    assert(/^[B-Z]{0,4}(?:-[B-Z]{1,12})?$/.test(fields["user_code"] ?? ""), fields["user_code"]);
  }
  const path = `/oauth/device?user_code=${"b".repeat(20_000)}`;
  await assertErrorPage(await site.send(path), 400, "request_malformed");
});

Deno.test("answerDevice() asks also for a client of the server's owner, whenever it comes, AS35, 8628-5.4", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  for (let i = 0; i < 2; i++) {
    const device = await site.device({ client_id: "kiosk", scope: "notes:read" });
    assertEquals(await pageOf(await site.answer(browser, device.user_code)), "Device connected");
    await tokensOf(await site.poll(device, { client_id: "kiosk" }));
  }
});

Deno.test("answerDevice() signs the user in on the way, and returns to the code", async () => {
  const site = deviceSite();
  const browser = site.app.browser();
  const device = await site.device();
  const entered = await site.enter(browser, device.user_code);
  const path = entered.headers.get("Location") ?? "";
  const login = await browser.send(path);
  assertEquals(await pageOf(login), `sign-in: ${path}`);
  await site.signIn(browser);
  const page = await browser.send(path);
  assertEquals(await pageOf(page), "consent");
  assertEquals(await pageOf(await site.decide(browser, page)), "Device connected");
});

Deno.test("answerDevice() lets no other browser decide, nor enter the code, AS35, GHSA-cq3f-vc6p-68fh", async () => {
  const site = deviceSite();
  const [first, second] = [await site.signedIn(), await site.signedIn()];
  const device = await site.device();
  const page = await site.page(first, device.user_code);
  assertEquals(await pageOf(await site.enter(second, device.user_code)), "404 code");
  const path = `/oauth/device?user_code=${device.user_code}`;
  assertEquals(await pageOf(await second.send(path)), "code", "as if there were no such code");
  await assertErrorPage(await site.decide(second, page), 404, "user_code_unknown");
  // Whoever knows the code knows the name of the cookie, but not its value
  for (const name of first.jar.names()) {
    if (second.jar.get(name) === undefined) {
      second.keep([`${name}=${"A".repeat(43)}; Path=/; Secure; HttpOnly; SameSite=Lax`]);
    }
  }
  assertEquals(second.jar.names().length, first.jar.names().length);
  assertEquals(await pageOf(await second.send(path)), "code");
  await assertErrorPage(await site.decide(second, page), 404, "user_code_unknown");
  await assertTokenError(await site.poll(device), "authorization_pending");
  // The browser in which it was entered may enter it again
  assertEquals((await site.enter(first, device.user_code)).status, 303);
  assertEquals(await pageOf(await site.decide(first, page)), "Device connected");
});

/** Forms that are not those of the page that the user has seen. */
const FORGED: readonly (readonly [why: string, changes: FormChanges])[] = [
  ["no token", { fields: { token: "" } }],
  ["another token", { fields: { token: "x".repeat(43) } }],
  ["no decision", { fields: { decision: "" } }],
  ["another decision", { decision: "yes" }],
  ["a page of another site", { headers: { "Sec-Fetch-Site": "cross-site" } }],
  ["a page of the same site", { headers: { "Sec-Fetch-Site": "same-site" } }],
  [
    "a page of another origin in an old browser",
    { headers: { "Sec-Fetch-Site": undefined, Origin: "https://evil.example" } },
  ],
];
for (const [why, changes] of FORGED) {
  Deno.test(`answerDevice() refuses a decision with ${why}, AS35, CVE-2024-38371`, async () => {
    const site = deviceSite();
    const browser = await site.signedIn();
    const device = await site.device();
    const page = await site.page(browser, device.user_code);
    await assertErrorPage(await site.decide(browser, page, changes), 403, "consent_forged");
    await assertTokenError(await site.poll(device), "authorization_pending");
    assertEquals(await pageOf(await site.decide(browser, page)), "Device connected");
  });
}

Deno.test("answerDevice() refuses the decision of another user, who was not asked", async () => {
  const users = ["u1", "u2"];
  const site = deviceSite({
    server: {
      users: undefined,
      authenticate: () =>
        Promise.resolve({ sub: users[0] ?? "", securityStamp: "s", authTime: 0, amr: ["pwd"] }),
    },
  });
  const browser = site.app.browser();
  const device = await site.device();
  const page = await site.page(browser, device.user_code);
  users.shift();
  await assertErrorPage(await site.decide(browser, page), 403, "consent_forged");
});

Deno.test("answerDevice() signs the user in again if the session ends while the page is shown", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const device = await site.device();
  const page = await site.page(browser, device.user_code);
  await browser.post("/leave");
  const path = `/oauth/device?user_code=${device.user_code}`;
  assertEquals(await pageOf(await site.decide(browser, page)), `sign-in: ${path}`);
  await assertTokenError(await site.poll(device), "authorization_pending");
});

Deno.test("answerDevice() enters no code that another site's page posts", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const { user_code } = await site.device();
  for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { "Sec-Fetch-Site": "none" }]) {
    const response = await site.enter(browser, user_code, headers);
    await assertErrorPage(response, 403, "consent_forged");
  }
  assertEquals(site.codes.calls, ["create"]);
});

Deno.test("answerDevice() grants no scope that was not asked for, and those alone that are ticked, AS35", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const device = await site.device({ scope: "openid notes:read" });
  const scope = ["openid", "notes:write", "offline_access"];
  assertEquals(
    await pageOf(await site.answer(browser, device.user_code, { scope })),
    "Device connected",
  );
  assertEquals((await tokensOf(await site.poll(device))).scope, "openid");
  const other = await site.device({ scope: "notes:read" });
  assertEquals(
    await pageOf(await site.answer(browser, other.user_code, { scope: [] })),
    "Access refused",
  );
});

Deno.test("answerDevice() takes one of 20 decisions at once, AS35", async () => {
  for (const decisions of [["allow"], ["allow", "deny"]]) {
    const site = deviceSite();
    const browser = await site.signedIn();
    const device = await site.device();
    const page = await site.page(browser, device.user_code);
    const all = await Promise.all(
      Array.from(
        { length: 20 },
        (_, i) => site.decide(browser, page, { decision: decisions[i % decisions.length] ?? "" }),
      ),
    );
    const pages = await Promise.all(all.map(pageOf));
    const [won = "", ...more] = pages.filter((one) => one !== "404 user_code_unknown");
    assertEquals(more, []);
    const polled = await site.poll(device);
    const body = await polled.json();
    assertEquals(
      won === "Device connected" ? body.scope : body.error,
      won === "Device connected" ? "openid notes:read" : "access_denied",
    );
  }
});

Deno.test("answerDevice() lets one of 20 browsers enter a code at once, AS35", async () => {
  const site = deviceSite();
  const { user_code } = await site.device();
  const browsers = Array.from({ length: 20 }, () => site.app.browser());
  const pages = await Promise.all(
    browsers.map(async (browser) => await pageOf(await site.enter(browser, user_code))),
  );
  assertEquals(pages.filter((page) => page === "/oauth/device").length, 1);
  assertEquals(pages.filter((page) => page === "404 code").length, 19);
});

/** A site where something else happens before a write. */
function interrupted(): { readonly site: DeviceSite; before: () => Promise<unknown> } {
  const { store } = recordedCodes();
  const codes: typeof store = {
    ...store,
    async update(next, version) {
      const { before } = all;
      all.before = () => Promise.resolve();
      await before();
      return await store.update(next, version);
    },
  };
  const all = {
    site: deviceSite({ server: { codes } }),
    before: (): Promise<unknown> => Promise.resolve(),
  };
  return all;
}

Deno.test("answerDevice() gives a code to one browser, though another enters it between read and write, AS35", async () => {
  const all = interrupted();
  const { site } = all;
  const [first, second] = [await site.signedIn(), await site.signedIn()];
  const { user_code } = await site.device();
  const pages: string[] = [];
  all.before = async () => pages.push(await pageOf(await site.enter(first, user_code)));
  pages.push(await pageOf(await site.enter(second, user_code)));
  assertEquals(pages, ["/oauth/device", "404 code"]);
  const path = `/oauth/device?user_code=${user_code}`;
  assertEquals(await pageOf(await second.send(path)), "code");
  assertEquals(await pageOf(await first.send(path)), "consent");
});

Deno.test("answerDevice() takes no decision after another that comes between read and write, AS35", async () => {
  const all = interrupted();
  const { site } = all;
  const browser = await site.signedIn();
  const device = await site.device();
  const page = await site.page(browser, device.user_code);
  all.before = async () =>
    assertEquals(
      await pageOf(await site.decide(browser, page, { decision: "deny" })),
      "Access refused",
    );
  await assertErrorPage(await site.decide(browser, page), 404, "user_code_unknown");
  const event = site.app.events.at(-1);
  assert(event?.type === "authorization.refused");
  assertEquals([event.reason, event.clientId], ["user_code_unknown", "tv"]);
  await assertTokenError(await site.poll(device), "access_denied");
});

Deno.test("answerDevice() of another server with the same store does not know the code", async () => {
  const site = deviceSite();
  const { codes } = site.options;
  const issuer = `${ISSUER}/other`;
  const other = deviceSite({ server: { codes, issuer } });
  const { user_code, device_code } = await site.device();
  const post = async (path: string, form: Record<string, string>) =>
    await other.send(`/other/oauth/${path}`, { method: "POST", body: new URLSearchParams(form) });
  assertEquals(await pageOf(await post("device", { user_code })), "404 code");
  const form = { grant_type: DEVICE_CODE, client_id: "tv", device_code };
  await assertTokenError(await post("token", form), "expired_token");
  assertEquals((await site.enter(await site.signedIn(), user_code)).status, 303);
});

Deno.test("answerDevice() finds nothing by 1,000 guesses of one address, nor of one user, AS35, 8628-5.1", async () => {
  for (const who of ["address", "user"]) {
    let requests = 0;
    const site = deviceSite({
      server: {
        clientAddress: () => who === "address" ? "192.0.2.1" : `198.51.100.${requests++ % 250}`,
      },
    });
    const browser = who === "address" ? site.app.browser() : await site.signedIn();
    const before = site.codes.calls.length;
    const statuses: number[] = [];
    for (let i = 0; i < 1_000; i += 100) { // at once, too
      const guesses = Array.from({ length: 100 }, async (_, n) => {
        const response = await site.enter(browser, guess(i + n));
        await response.body?.cancel();
        statuses.push(response.status);
      });
      await Promise.all(guesses);
    }
    assertEquals(statuses.filter((status) => status === 404).length, 50, who);
    assertEquals(statuses.filter((status) => status === 429).length, 950, who);
    assertEquals(site.codes.calls.length - before, 50, "the others are not looked up");
    const throttled = await site.enter(browser, "BCDF-GHJK");
    await assertErrorPage(throttled, 429, "temporarily_unavailable");
    assert(Number(throttled.headers.get("Retry-After")) > 0);
    site.app.clock.now += 900;
    assertEquals(await pageOf(await site.enter(browser, "BCDF-GHJK")), "404 code");
  }
});

/** A different code for each number. */
function guess(number: number): string {
  const letters = "BCDFGHJKLMNPQRSTVWXZ";
  return Array.from({ length: 8 }, (_, i) => letters[Math.floor(number / 20 ** i) % 20]).join("");
}

Deno.test("answerDevice() refuses codes that have expired, or were decided", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const [late, slow, decided] = [await site.device(), await site.device(), await site.device()];
  await (await site.answer(browser, decided.user_code)).body?.cancel();
  assertEquals(await pageOf(await site.enter(browser, decided.user_code)), "404 code");
  const page = await site.page(browser, slow.user_code);
  site.app.clock.now += 600;
  assertEquals(await pageOf(await site.enter(browser, late.user_code)), "404 code");
  await site.signIn(browser);
  await assertErrorPage(await site.decide(browser, page), 404, "user_code_unknown");
});

Deno.test("answerDevice() and the authorization endpoint do not take each other's requests", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const { device_code, user_code } = await site.device();
  const page = await site.page(browser, user_code);
  const [id = ""] = device_code.split(".");
  await assertErrorPage(
    await browser.send(`/oauth/authorize?id=${id}`),
    404,
    "interaction_unknown",
  );
  const { token = "" } = formOf(page).fields;
  const posted = await browser.send("/oauth/authorize", {
    method: "POST",
    body: new URLSearchParams({ id, token, decision: "allow" }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  await assertErrorPage(posted, 404, "interaction_unknown");
});

const CLIENT_CHANGES = [
  [{ disabled: true }, 400, "client_disabled"],
  [null, 400, "client_unknown"],
  [{ grants: ["refresh_token"] }, 404, "user_code_unknown"],
] as const;
for (const [change, status, reason] of CLIENT_CHANGES) {
  Deno.test(`answerDevice() shows ${reason} if the client changes meanwhile, AS46`, async () => {
    const clients = changingClients();
    clients.current.change = { grants: ["urn:ietf:params:oauth:grant-type:device_code"] };
    const site = deviceSite({ server: { clients: clients.clients } });
    const browser = await site.signedIn();
    const { user_code } = await site.device({ client_id: "spa" });
    const page = await site.page(browser, user_code);
    clients.current.change = change;
    await assertErrorPage(await site.decide(browser, page), status, reason);
  });
}

Deno.test("answerDevice() shows pages of the application, which cannot be framed or cached", async () => {
  const prompts: DevicePrompt[] = [];
  const device: AuthorizationServerOptions["device"] = (prompt) => {
    prompts.push(prompt);
    return devicePage(prompt, ENGLISH);
  };
  const site = deviceSite({ server: { device } });
  const browser = await site.signedIn();
  const { user_code } = await site.device();
  await (await browser.send("/oauth/device")).body?.cancel();
  await (await site.enter(browser, "BCDF-GHJK")).body?.cancel();
  await (await site.answer(browser, user_code)).body?.cancel();
  assertEquals(prompts.map(({ kind }) => kind), ["code", "code", "consent", "allowed"]);
  const plain = deviceSite({ server: { device: () => new Response("page") } });
  const page = await plain.send("/oauth/device");
  assertEquals(
    ["Cache-Control", "X-Frame-Options", "Referrer-Policy"].map((name) => page.headers.get(name)),
    ["no-store", "DENY", "same-origin"],
  );
});

const CONSENT: DevicePrompt & { readonly kind: "consent" } = {
  kind: "consent",
  request: new Request("https://example.com/oauth/device"),
  client: {
    clientId: "tv",
    name: "TV",
    type: "native",
    redirectUris: [],
    authentication: "none",
    grants: [],
    registeredAt: 0,
    version: "0",
  },
  sub: "u1",
  scopes: [],
  userCode: "WDJB-MJHT",
  form: { action: "/oauth/device", hidden: {} },
};

Deno.test("devicePage() translates every text, warns without placeholders too, and escapes what is not ours", async () => {
  const base = { request: CONSENT.request, form: { action: "/oauth/device" } };
  const prompts: readonly DevicePrompt[] = [
    { ...base, kind: "code", userCode: "", isUnknown: false },
    { ...base, kind: "code", userCode: "WDJB-MJHT", isUnknown: true },
    CONSENT,
    { kind: "allowed", request: base.request },
    { kind: "denied", request: base.request },
  ];
  for (const prompt of prompts) {
    const response = devicePage(prompt, GERMAN);
    await assertPageHeaders(response, "");
    const page = await response.text();
    assert(page.includes('<html lang="de"'));
    for (const text of Object.values(ENGLISH)) {
      assertEquals(visibleText(page).includes(text) && text !== "en", false, text);
    }
  }
  const bare = await devicePage(
    { ...CONSENT, client: { ...CONSENT.client, clientUri: "https://tv.example/home" } },
    { ...ENGLISH, deviceWarning: "Beware", request: "Access" },
  ).text();
  for (const part of ["Beware WDJB-MJHT", "Access TV tv.example"]) {
    assert(visibleText(bare).includes(part), part);
  }
  for (const text of HOSTILE) {
    const client = { ...CONSENT.client, name: text };
    const page = await devicePage({ ...CONSENT, client, account: text }, ENGLISH).text();
    assert(page.includes(escaped(text)));
    assertEquals(page.includes(text), false);
  }
});
