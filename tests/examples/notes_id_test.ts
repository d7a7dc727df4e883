/** "Sign in with Notes ID", by requests: code flow, consent, the linked account, the page of applications, and its refusals. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DEMO_PASSWORD } from "../../examples/notes/identity/demo.ts";
import { createBrowser, type TestBrowser } from "../auth/_browser.ts";
import { CHALLENGE, formOf, VERIFIER } from "../auth/server/_site.ts";
import { createNotesWithId, type NotesWithId } from "./_notes_id.ts";

const NOTES = "http://localhost:8000";
const ID = "http://localhost:8001";
/** Not on the user's own device, where any program can take a client's port, so that consent is asked for each time. */
const REMOTE = { notesOrigin: "https://notes.example", issuer: "https://id.example" };
const INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50_000 },
  completed: Promise.resolve(),
};

/** Redirects that a browser follows, and more than there are. */
const MOST_REDIRECTS = 10;

/** Both services, and a browser whose cookies they share. */
interface Site extends NotesWithId {
  readonly browser: TestBrowser;
  /** Opens a page by a link, and follows redirects. */
  open(url: string): Promise<Opened>;
  /** Sends the form of a page, and follows redirects. */
  submit(page: Opened, fields: Readonly<Record<string, string>>): Promise<Opened>;
}

/** A page, after redirects. */
interface Opened {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function createSite(
  { notesOrigin, issuer } = { notesOrigin: NOTES, issuer: ID },
): Promise<Site> {
  const both: NotesWithId = await createNotesWithId({
    notesOrigin,
    issuer,
    fetch: async (url, init) => await both.id(new Request(url, init), INFO),
  });
  const browser = createBrowser({
    origin: notesOrigin,
    now: () => Date.now() / 1000,
    fetch: async (request) => {
      return await (request.url.startsWith(issuer) ? both.id : both.notes)(request, INFO);
    },
  });

  const open = async (url: string): Promise<Opened> => {
    const to = new URL(url, notesOrigin);
    return await follow(to, await visit(to, "none"));
  };

  async function visit(url: URL, from: string): Promise<Response> {
    const headers = { Accept: "text/html", "Sec-Fetch-Site": from };
    return await browser.send(url.href, { headers });
  }

  async function follow(from: URL, first: Response): Promise<Opened> {
    let [url, response] = [from, first];
    for (let redirects = 0; redirects < MOST_REDIRECTS; redirects++) {
      const { status, headers } = response;
      const text = await response.text();
      const location = headers.get("Location");
      if (location === null) return { url, status, headers, text };
      assertEquals(status, 303);
      url = new URL(location, url);
      response = await visit(url, "cross-site");
    }
    throw new Error(`The redirects go round in circles at ${url.pathname}`);
  }

  return {
    ...both,
    browser,
    open,
    async submit({ url, text }, fields) {
      const { action, fields: hidden, scope } = formOf(text);
      const entries = Object.entries({ ...hidden, ...fields });
      const isMultipart = text.includes('enctype="multipart/form-data"');
      const body = isMultipart ? new FormData() : new URLSearchParams();
      for (const [name, value] of entries) body.append(name, value);
      for (const name of scope) body.append("scope", name);
      const to = new URL(action, url);
      return await follow(to, await browser.send(to.href, { method: "POST", body }));
    },
  };
}

const START = "/auth/oauth/notes-id/start?redirect_to=%2Fdeveloper";
const credentials = (name: string) => ({
  identifier: `${name}@example.com`,
  password: DEMO_PASSWORD,
});

/** From the notes to the consent page. */
async function toConsent(site: Site, name = "ada"): Promise<Opened> {
  const signIn = await site.open(START);
  assertEquals(signIn.url.pathname, "/sign-in");
  assertStringIncludes(signIn.text, "Notes ID");
  return await site.submit(signIn, credentials(name));
}

/** The form of the page of applications that revokes the access of the notes. */
function revokeForm(text: string): string {
  const forms = text.match(/<form action="\/revoke".*?<\/form>/gs) ?? [];
  return forms.find((form) => form.includes('value="notes"')) ?? "";
}

/** What the notes service calls the user. */
async function whoIs({ browser }: Site): Promise<string | undefined> {
  const { user } = await (await browser.send("/auth/session")).json();
  return user?.identifier;
}

Deno.test("Notes ID signs a user in to the notes, with consent, and both keep their cookies", async () => {
  const site = await createSite();
  const start = await site.open("/sign-in");
  assertStringIncludes(start.text, ">Sign in with Notes ID</a>");

  const consent = await toConsent(site);
  assertEquals([consent.status, consent.url.pathname], [200, "/oauth/authorize"]);
  for (const text of ["Notes", "Know who you are", "See your e-mail address", "localhost:8000"]) {
    assertStringIncludes(consent.text, text);
  }
  const back = await site.submit(consent, { decision: "allow" });
  assertEquals([back.url.href, back.status], [`${NOTES}/developer`, 200]);
  assertEquals(await whoIs(site), "ada@example.com");

  const names = site.browser.jar.names();
  assert(names.includes("__Host-sid") && names.includes("__Host-id-sid"), names.join());
  const linked = await site.open("/linked-accounts");
  assertStringIncludes(linked.text, "<h3>Notes ID</h3>");
  assertStringIncludes(linked.text, "ada@example.com");
});

Deno.test("Notes ID sends a user who refuses back to the notes, which say so on their page", async () => {
  const site = await createSite();
  const back = await site.submit(await toConsent(site), { decision: "deny" });
  assertEquals(back.url.href, `${NOTES}/sign-in?error=access_denied`);
  assertEquals(await whoIs(site), undefined);
  assertStringIncludes((await site.open(`${ID}/`)).text, "There are none.");
});

Deno.test("Notes ID lists the applications with access, once each, and revokes all of their grants", async () => {
  const site = await createSite();
  await site.submit(await toConsent(site), { decision: "allow" });
  await site.submit(await site.open(START), { decision: "allow" });
  const page = await site.open(`${ID}/`);
  assertEquals(page.text.match(/<h2>Notes<\/h2>/g)?.length, 1);
  assertMatch(page.text, /<li>Know who you are<\/li>.*<li>See your e-mail address<\/li>/);
  assertMatch(page.text, /Has access since <time datetime="20/);
  assertEquals((await site.idStores.refreshTokens.list("ada")).length, 2);

  const form = { ...page, text: revokeForm(page.text) };
  const revoked = await site.submit(form, {});
  assertEquals([revoked.url.href, revoked.status], [`${ID}/`, 200]);
  assertStringIncludes(revoked.text, "There are none.");
  assertEquals(await whoIs(site), "ada@example.com"); // a session of the notes is the notes' own
  assertEquals((await site.open(START)).url.pathname, "/oauth/authorize"); // consent again
});

Deno.test("Notes ID asks for consent once, and again after it was revoked", async () => {
  const site = await createSite(REMOTE);
  await site.submit(await toConsent(site), { decision: "allow" });
  const again = await site.open(START);
  assertEquals(again.url.href, `${REMOTE.notesOrigin}/developer`);
  const page = await site.open(`${REMOTE.issuer}/`);
  const form = { ...page, text: revokeForm(page.text) };
  await site.submit(form, {});
  const consent = await site.open(START);
  assertEquals(consent.url.origin, REMOTE.issuer);
  assertStringIncludes(consent.text, "wants to access your account");
});

Deno.test("Notes ID links an account of a user who has registered with a password", async () => {
  const site = await createSite();
  await site.browser.register({ identifier: "countess", password: "five quiet herons at dawn" });
  const response = await site.browser.post("/auth/oauth/notes-id/link", {
    redirectTo: "/linked-accounts",
  });
  const signIn = await site.open((await response.json()).url);
  const consent = await site.submit(signIn, credentials("charles"));
  const back = await site.submit(consent, { decision: "allow" });
  assertEquals(back.url.href, `${NOTES}/linked-accounts`);
  assertStringIncludes(back.text, "charles@example.com");
  await site.browser.logout();
  await site.submit(await site.open(START), { decision: "allow" });
  assertEquals(await whoIs(site), "countess");
});

Deno.test("Notes ID gives tokens to a program on the user's device, at any port, after a warning", async () => {
  const site = await createSite();
  const redirectUri = "http://127.0.0.1:53682/callback";
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "notes-cli",
    redirect_uri: redirectUri,
    scope: "openid offline_access",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  const signIn = await site.open(`${ID}/oauth/authorize?${query}`);
  const consent = await site.submit(signIn, credentials("ada"));
  for (const text of ["Notes on the command line", "127.0.0.1:53682", "on your device"]) {
    assertStringIncludes(consent.text, text);
  }
  const { fields, scope } = formOf(consent.text);
  const form = new URLSearchParams({ ...fields, decision: "allow" });
  for (const name of scope) form.append("scope", name);
  const back = await site.browser.send(`${ID}/oauth/authorize`, { method: "POST", body: form });
  const code = new URL(back.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  const response = await site.browser.send(`${ID}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: "notes-cli",
      redirect_uri: redirectUri,
      code_verifier: VERIFIER,
      code,
    }),
  });
  assertEquals(response.status, 200);
  const { scope: granted, refresh_token } = await response.json();
  assertEquals([granted, typeof refresh_token], ["openid offline_access", "string"]);
  const page = await site.open(`${ID}/`);
  assertStringIncludes(page.text, "Keep access while you are signed out");

  await site.submit(await site.open(START), { decision: "allow" });
  const both = await site.open(`${ID}/`);
  const left = await site.submit({ ...both, text: revokeForm(both.text) }, {});
  assertStringIncludes(left.text, "<h2>Notes on the command line</h2>");
  assert(!left.text.includes("<h2>Notes</h2>"));
});

/** Forms from other sites; the notes service is another origin, at the same host. */
for (const site of ["same-site", "cross-site"]) {
  Deno.test(`Notes ID refuses forms of a ${site} page`, async () => {
    const { browser, open, submit, ...both } = await createSite();
    const signedIn = await submit(await open(`${ID}/sign-in`), credentials("ada"));
    assertEquals(signedIn.url.href, `${ID}/`);
    const session = browser.jar.get("__Host-id-sid");
    for (
      const [path, fields] of [
        ["/revoke", { client: "notes" }],
        ["/sign-out", {}],
        ["/sign-in", { ...credentials("charles"), next: "/", reason: "" }],
      ] as const
    ) {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      const headers = { "Sec-Fetch-Site": site, Origin: NOTES };
      const response = await browser.send(ID + path, { method: "POST", body, headers });
      await response.body?.cancel();
      assertEquals(response.status, 403, path);
    }
    assertEquals(browser.jar.get("__Host-id-sid"), session);
    assertEquals(both.idEvents.filter(({ type }) => type === "csrf.failed").length, 3);
  });
}

Deno.test("The sign-in page of Notes ID goes to paths of its own only", async () => {
  const site = await createSite();
  for (const next of ["//evil.example", "https://evil.example/", "/\\evil.example"]) {
    const page = await site.open(`${ID}/sign-in?${new URLSearchParams({ next })}`);
    assert(!page.text.includes("evil"));
    const forged = await site.submit(page, { ...credentials("ada"), next });
    assertEquals(forged.url.href, `${ID}/`);
    await site.submit(forged, {}); // the first form signs out
  }
});

/** Why an application sends a user who is signed in to sign in again: what the page says. */
const REASONS: readonly (readonly [query: string, notice: string])[] = [
  ["prompt=login", "asks you to sign in again"],
  ["max_age=0", "You signed in a while ago"],
];
for (const [query, notice] of REASONS) {
  Deno.test(`The sign-in page of Notes ID is shown again for ${query}, and then goes on`, async () => {
    const site = await createSite();
    await site.submit(await toConsent(site), { decision: "allow" });
    const start = await site.browser.send(START);
    const location = `${start.headers.get("Location")}&${query}&login_hint=ada%40example.com`;
    const page = await site.open(location);
    assertEquals(page.url.pathname, "/sign-in");
    assertStringIncludes(page.text, notice);
    assertStringIncludes(page.text, 'value="ada@example.com"');
    const wrong = await site.submit(page, { ...credentials("ada"), password: "a wrong one" });
    assertEquals(wrong.status, 401);
    assertStringIncludes(wrong.text, "The e-mail address or the password is wrong.");
    assertStringIncludes(wrong.text, notice);
    const consent = await site.submit(wrong, credentials("ada"));
    assertEquals(consent.url.pathname, "/oauth/authorize");
    const back = await site.submit(consent, { decision: "allow" });
    assertEquals(back.url.href, `${NOTES}/developer`);
  });
}

Deno.test("The sign-in page of Notes ID escapes what the address says, and asks nobody who is signed in", async () => {
  const site = await createSite();
  const page = await site.open(`${ID}/sign-in?reason=<b>evil&login_hint="><script>`);
  assert(!page.text.includes("<b>") && !page.text.includes("<script"));
  assertEquals(page.headers.get("X-Content-Type-Options"), "nosniff");
  assertStringIncludes(page.headers.get("Content-Security-Policy") ?? "", "frame-ancestors 'none'");
  await site.submit(await site.open(`${ID}/sign-in`), credentials("ada"));
  assertEquals((await site.open(`${ID}/sign-in?next=/`)).url.href, `${ID}/`);
});
