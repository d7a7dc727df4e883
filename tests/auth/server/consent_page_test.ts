/** The page that asks for consent: attacks AS26, AS27 and AS31. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { consentPage } from "../../../auth/server/authorize/consent_page.ts";
import { type ConsentStrings, ENGLISH } from "../../../auth/server/core/page_strings.ts";
import type { ConsentPrompt, RegisteredClient } from "../../../auth/server/core/types.ts";
import { assertPageHeaders, elements, escaped, GERMAN, HOSTILE, visibleText } from "./_pages.ts";

const CLIENT: RegisteredClient = {
  clientId: "exporter",
  name: "Notes Exporter",
  type: "web",
  redirectUris: ["https://exporter.example/callback"],
  authentication: "none",
  grants: ["authorization_code"],
  clientUri: "https://www.exporter.example/about",
  registeredAt: 0,
  version: "1",
};

const PROMPT: ConsentPrompt = {
  request: new Request("https://as.example/oauth/authorize?state=secret"),
  client: CLIENT,
  sub: "ada",
  scopes: [
    { name: "openid", description: "Know who you are", required: true },
    { name: "notes.read", description: "Read your notes", required: false },
  ],
  redirectHost: "exporter.example",
  isLoopback: false,
  form: { action: "/oauth/authorize", hidden: { id: "abc", token: "def" } },
};

interface Changes extends Partial<Omit<ConsentPrompt, "client">> {
  readonly client?: Partial<RegisteredClient>;
}

function show(
  { client, ...changes }: Changes = {},
  strings: ConsentStrings = ENGLISH,
): Promise<string> {
  return consentPage(
    { ...PROMPT, ...changes, client: { ...CLIENT, ...client } },
    strings,
  ).text();
}

async function shownName(name: string): Promise<string | undefined> {
  return /<bdi>([^]*?)<\/bdi>/.exec(await show({ client: { name } }))?.[1];
}

Deno.test("consentPage() says who is signed in, if that is known", async () => {
  const page = await show({ account: "ada@example.com\u202e<b>" });
  const text = "You are signed in as <strong><bdi>ada@example.com&lt;b&gt;</bdi></strong>";
  assertStringIncludes(page, text);
  const german = visibleText(await show({ account: "ada" }, GERMAN));
  assertStringIncludes(german, "Sie sind als ada angemeldet");
  const lost = visibleText(await show({ account: "ada" }, { ...ENGLISH, account: "Konto:" }));
  assertStringIncludes(lost, "Konto: ada");
  assertEquals((await show()).includes("You are signed in"), false);
});

Deno.test("consentPage() shows who asks, for what, and where the response goes", async () => {
  assertEquals(
    visibleText(await show()),
    "Allow access? Notes Exporter wants to access your account www.exporter.example " +
      "It will be able to: Know who you are Read your notes " +
      "You will be sent to exporter.example Cancel Allow",
  );
});

Deno.test("consentPage() is a form with the hidden fields, a field per scope and two answers", async () => {
  const page = await show();
  const tags = [...page.matchAll(/<(?:form|input|button)\b[^>]*>/g)].map(([tag]) => tag);
  assertEquals(tags, [
    '<form method="post" action="/oauth/authorize" autocomplete="off">',
    '<input type="hidden" name="id" value="abc">',
    '<input type="hidden" name="token" value="def">',
    '<input type="hidden" name="scope" value="openid">',
    '<input type="checkbox" name="scope" value="notes.read" checked>',
    '<button class="quiet" name="decision" value="deny">',
    '<button name="decision" value="allow">',
  ]);
});

Deno.test("consentPage() responds with the header fields that protect it, and no form-action", async () => {
  const response = consentPage(PROMPT, ENGLISH);
  assertEquals(response.status, 200);
  await assertPageHeaders(response, "");
});

Deno.test("consentPage() shows no list for a client that requests no scope", async () => {
  assertEquals(elements(await show({ scopes: [] })).includes("fieldset"), false);
});

Deno.test("consentPage() shows nothing of the request", async () => {
  assertEquals((await show()).includes("secret"), false);
});

const PLACES: readonly (readonly [place: string, changes: (text: string) => Changes])[] = [
  ["the client's name", (name) => ({ client: { name } })],
  ["the client's id", (clientId) => ({ client: { name: "", clientId } })],
  ["the host", (redirectHost) => ({ redirectHost })],
  ["a description", (description) => ({ scopes: [{ name: "a", description, required: false }] })],
  ["a required description", (description) => ({
    scopes: [{ name: "a", description, required: true }],
  })],
  ["a scope", (name) => ({ scopes: [{ name, description: "A", required: false }] })],
  ["a required scope", (name) => ({ scopes: [{ name, description: "A", required: true }] })],
  ["the form's address", (action) => ({ form: { action, hidden: {} } })],
  ["a hidden value", (token) => ({ form: { action: "/", hidden: { token } } })],
  ["a hidden name", (name) => ({ form: { action: "/", hidden: { [name]: "" } } })],
];

for (const [place, changes] of PLACES) {
  Deno.test(`consentPage() escapes ${place}`, async () => {
    const harmless = elements(await show(changes("harmless")));
    for (const text of HOSTILE) {
      const page = await show(changes(text));
      assertStringIncludes(page, escaped(text));
      assertEquals(elements(page), harmless);
    }
  });
}

Deno.test("consentPage() escapes the strings", async () => {
  for (const text of HOSTILE) {
    const strings = { ...GERMAN, lang: text, title: text, scopes: text, allow: text, deny: text };
    const page = await show({ isLoopback: true }, strings);
    assertEquals(elements(page), elements(await show({ isLoopback: true }, GERMAN)));
    assertEquals(page.split(escaped(text)).length - 1, 6); // the title occurs in the head too
  }
});

Deno.test("consentPage() has no script", async () => {
  const page = await show({ isLoopback: true, client: { name: HOSTILE.join("") } });
  assertEquals(elements(page).includes("script"), false);
  assertEquals(/<[^>]*(?:\son\w+=|javascript:)/i.test(page), false);
});

const NAMES: readonly (readonly [why: string, name: string, shown: string])[] = [
  ["a name in another script", "יומן 日記", "יומן 日記"],
  ["a right-to-left override", "Good\u202egro.live", "Goodgro.live"],
  [
    "all bidirectional controls",
    "a\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069b",
    "ab",
  ],
  ["zero-width characters", "No\u200bt\u200c\u200de\u2060s\ufeff", "Notes"],
  [
    "soft hyphens, fillers, tags and variation selectors",
    "a\u00ad\u3164\u115f\ufe0f\u{e0041}b",
    "ab",
  ],
  ["controls", "No\x00t\x1bes\x7f\x9f", "Notes"],
  ["lone surrogates", "No\ud800tes", "Notes"],
  ["line breaks, which are spaces", "Notes\r\n\u2028  Exporter\u00a0\t", "Notes Exporter"],
  ["80 characters", "x".repeat(80), "x".repeat(80)],
  ["81 characters", "x".repeat(81), `${"x".repeat(79)}…`],
  ["80 characters of two code units each", "🗒".repeat(80), "🗒".repeat(80)],
  ["10 kB", "Notes ".repeat(1707), `${"Notes ".repeat(13)}N…`],
  [
    "marks that are painted over other lines",
    `Z${"\u0335".repeat(40)}o`,
    `Z${"\u0335".repeat(4)}o`,
  ],
  ["an empty name, for which the id stands", "", "exporter"],
  ["a name of which nothing can be seen", "\u202e\u200b \u2800\ufeff", "exporter"],
];

for (const [why, name, shown] of NAMES) {
  Deno.test(`consentPage() cleans the client's name: ${why}`, async () => {
    assertEquals(await shownName(name), shown);
  });
}

Deno.test("consentPage() replaces placeholders once, and not in the client's name", async () => {
  const text = visibleText(await show({ client: { name: "{host} {client}" }, isLoopback: true }));
  assertStringIncludes(text, "{host} {client} wants to access");
  assertStringIncludes(text, "pretend to be {host} {client}.");
});

Deno.test("consentPage() replaces placeholders literally", async () => {
  assertEquals(await shownName("$& $1 $`"), "$&amp; $1 $`");
});

const HOME_PAGES: readonly (readonly [why: string, uri: string, link: string | undefined])[] = [
  ["a host, and not the path", "https://a.example/google.com", "a.example"],
  ["a port", "https://a.example:8443/", "a.example:8443"],
  ["a host in letters that look like others, as Punycode", "https://аpple.com", "xn--pple-43d.com"],
  ["no http", "http://a.example/", undefined],
  ["no javascript:", "javascript:alert(1)//https://a.example", undefined],
  ["no data:", "data:text/html,<script>alert(1)</script>", undefined],
  ["no user name, which looks like a host", "https://google.com@a.example/", undefined],
  ["no password", "https://:google.com@a.example/", undefined],
  ["nothing that is no URL", `"><script>`, undefined],
  ["nothing relative", "/about", undefined],
];

for (const [why, clientUri, host] of HOME_PAGES) {
  Deno.test(`consentPage() links the client's home page: ${why}`, async () => {
    const page = await show({ client: { clientUri } });
    assertEquals(/<a [^>]*>([^<]*)<\/a>/.exec(page)?.[1], host);
    if (host !== undefined) assertStringIncludes(page, 'target="_blank" rel="noopener noreferrer"');
  });
}

Deno.test("consentPage() escapes the address of the client's home page", async () => {
  const page = await show({ client: { clientUri: `https://a.example/?a='&b=">` } });
  assertStringIncludes(page, 'href="https://a.example/?a=%27&amp;b=%22%3E"');
});

Deno.test("consentPage() links nothing for a client without a home page", async () => {
  const { clientUri: _, ...client } = CLIENT;
  const page = await consentPage({ ...PROMPT, client }, ENGLISH).text();
  assertEquals(elements(page).includes("a"), false);
});

const HOSTS: readonly (readonly [why: string, host: string])[] = [
  ["Punycode as Punycode", "xn--pple-43d.com"],
  ["a port", "127.0.0.1:49152"],
  ["IPv6", "[::1]:49152"],
  ["the scheme of a native application", "com.example.notes:"],
  ["a host of 253 characters in full", `${"a.".repeat(125)}com`],
];

for (const [why, redirectHost] of HOSTS) {
  Deno.test(`consentPage() shows where the response goes: ${why}`, async () => {
    assertStringIncludes(
      await show({ redirectHost }),
      `You will be sent to <strong dir="ltr">${redirectHost}</strong>`,
    );
  });
}

Deno.test("consentPage() warns of a program on the user's device, and of nothing else", async () => {
  const warning = "any program there can pretend to be Notes Exporter.";
  const page = visibleText(await show({ isLoopback: true, redirectHost: "127.0.0.1:49152" }));
  assertStringIncludes(page, warning);
  assertStringIncludes(page, "You will be sent to 127.0.0.1:49152");
  assertEquals(visibleText(await show()).includes(warning), false);
});

Deno.test("consentPage() speaks German", async () => {
  const page = await show({ isLoopback: true }, GERMAN);
  assertMatch(page, /<html lang="de" dir="auto">/);
  assertStringIncludes(page, "<title>Zugriff erlauben?</title>");
  assertEquals(
    visibleText(page),
    "Zugriff erlauben? Notes Exporter möchte auf Ihr Konto zugreifen www.exporter.example " +
      "Die Anwendung kann dann: Know who you are Read your notes " +
      "Sie werden zu exporter.example weitergeleitet " +
      "exporter.example ist ein Programm auf Ihrem Gerät, das sich als Notes Exporter ausgeben kann. " +
      "Abbrechen Erlauben",
  );
});

Deno.test("consentPage() shows name and host even if a translation has lost the placeholders", async () => {
  const strings = { ...GERMAN, request: "Zugriff auf Ihr Konto:", redirect: "Weiter zu:" };
  const text = visibleText(await show({}, strings));
  assertStringIncludes(text, "Zugriff auf Ihr Konto: Notes Exporter");
  assertStringIncludes(text, "Weiter zu: exporter.example");
});
