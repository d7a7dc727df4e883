/**
 * What all requests of clients to the token endpoint have in common: how they are sent, who sends them, how often. Sources: RFC 6749
 * §2.3, §3.2 and §5.2, and the catalogue of attacks (AS).
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import {
  assertTokenError,
  basic,
  ISSUER,
  type Params,
  SECRET,
  type ServerSite,
  serverSite,
  VERIFIER,
} from "./_site.ts";
import { granted, lastRefusal, redeemAs, refreshAs, revokeAs, tokensOf } from "./_tokens.ts";

const FORM = "application/x-www-form-urlencoded";
const CHALLENGE = `Basic realm="${ISSUER}"`;

/** Sends a body as it is. */
async function post(
  site: ServerSite,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
  path = "/oauth/token",
): Promise<Response> {
  return await site.send(path, {
    method: "POST",
    body,
    headers: { "Content-Type": FORM, ...headers },
  });
}

/** The fields of a valid request of `spa`. */
async function validForm(site: ServerSite): Promise<string> {
  const code = await site.code(await site.signedIn());
  return new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: "https://app.example/cb",
    code_verifier: VERIFIER,
    client_id: "spa",
  }).toString();
}

/** Requests that are refused for how they are sent, AS20. The code stays valid. */
const SENT: readonly (readonly [
  why: string,
  send: (site: ServerSite, form: string) => Promise<Response>,
  error: string,
  reason: string,
])[] = [
  [
    "JSON, workers#240",
    (site, form) =>
      post(site, JSON.stringify(Object.fromEntries(new URLSearchParams(form))), {
        "Content-Type": "application/json",
      }),
    "invalid_request",
    "content_type_wrong",
  ],
  [
    "a form of parts",
    async (site, form) => {
      const body = new FormData();
      for (const [name, value] of new URLSearchParams(form)) body.set(name, value);
      return await site.send("/oauth/token", { method: "POST", body });
    },
    "invalid_request",
    "content_type_wrong",
  ],
  [
    "no media type",
    (site, form) => post(site, new TextEncoder().encode(form), { "Content-Type": "" }),
    "invalid_request",
    "content_type_wrong",
  ],
  [
    "two media types",
    (site, form) => post(site, form, { "Content-Type": `${FORM}, application/json` }),
    "invalid_request",
    "content_type_wrong",
  ],
  [
    "a media type that starts alike",
    (site, form) => post(site, form, { "Content-Type": `${FORM}x` }),
    "invalid_request",
    "content_type_wrong",
  ],
  [
    "a parameter twice, 6749-3.1-dup",
    (site, form) => post(site, `${form}&code=x`),
    "invalid_request",
    "parameter_repeated",
  ],
  [
    "the same value twice",
    (site, form) => post(site, `${form}&client_id=spa`),
    "invalid_request",
    "parameter_repeated",
  ],
  [
    "an empty parameter beside its value",
    (site, form) => post(site, `${form}&code_verifier=`),
    "invalid_request",
    "parameter_repeated",
  ],
  [
    "an unknown parameter twice, RFC 6749 §3.2",
    (site, form) => post(site, `${form}&x=1&x=2`),
    "invalid_request",
    "parameter_repeated",
  ],
  [
    "1 MB",
    (site, form) => post(site, `${form}&x=${"a".repeat(1_000_000)}`),
    "invalid_request",
    "body_malformed",
  ],
  [
    "one byte more than 16 KiB",
    (site, form) => post(site, `${form}&x=${"a".repeat(16_385 - form.length - 3)}`),
    "invalid_request",
    "body_malformed",
  ],
  [
    "bytes that are not UTF-8",
    (site, form) =>
      post(site, new Uint8Array([...new TextEncoder().encode(`${form}&x=`), 0xff, 0xfe])),
    "invalid_request",
    "body_malformed",
  ],
  ["an empty body", (site) => post(site, ""), "invalid_client", "client_unknown"],
  [
    "the parameters in the query",
    (site, form) => post(site, "", {}, `/oauth/token?${form}`),
    "invalid_client",
    "client_unknown",
  ],
  [
    "the client in the query",
    (site, form) =>
      post(site, form.replace("&client_id=spa", ""), {}, "/oauth/token?client_id=spa"),
    "invalid_client",
    "client_unknown",
  ],
];
for (const [why, send, error, reason] of SENT) {
  Deno.test(`exchangeTokens() refuses ${why}, AS20`, async () => {
    const site = serverSite();
    const form = await validForm(site);
    await assertTokenError(await send(site, form), error);
    assertEquals(lastRefusal(site), reason);
    await tokensOf(await post(site, form));
  });
}

/** Requests that are accepted though they are sent in another way. */
const ACCEPTED: readonly (readonly [
  why: string,
  send: (site: ServerSite, form: string) => Promise<Response>,
])[] = [
  ["a charset", (site, form) => post(site, form, { "Content-Type": `${FORM}; charset=UTF-8` })],
  [
    "the media type in upper case",
    (site, form) => post(site, form, { "Content-Type": FORM.toUpperCase() }),
  ],
  ["an unknown parameter", (site, form) => post(site, `${form}&extra=foobar`)],
  ["empty parameters, 6749-3.1-empty", (site, form) => post(site, `${form}&scope=&resource=`)],
  [
    "a query, which is ignored",
    (site, form) => post(site, form, {}, "/oauth/token?client_id=web&code=x"),
  ],
  ["16 KiB", (site, form) => post(site, `${form}&x=${"a".repeat(16_384 - form.length - 3)}`)],
  [
    "a page of another site, AS44",
    (site, form) =>
      post(site, form, { "Origin": "https://app.example", "Sec-Fetch-Site": "cross-site" }),
  ],
  [
    "a page of an opaque origin, AS44",
    (site, form) => post(site, form, { "Origin": "null", "Sec-Fetch-Site": "cross-site" }),
  ],
];
for (const [why, send] of ACCEPTED) {
  Deno.test(`exchangeTokens() accepts ${why}`, async () => {
    const site = serverSite();
    await tokensOf(await send(site, await validForm(site)));
  });
}

for (const path of ["/oauth/token", "/oauth/revoke"]) {
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH"]) {
    Deno.test(`exchangeTokens() is not reached by ${method} ${path}, AS20`, async () => {
      const site = serverSite();
      const response = await site.send(`${path}?${await validForm(site)}`, { method });
      assertEquals([response.status, response.headers.get("Allow")], [405, "POST, OPTIONS"]);
      assertEquals(await response.text(), "");
    });
  }
}

/** Credentials of clients, AS8 and AS18: `form` and `Authorization`. What is accepted has a valid code then. */
const CREDENTIALS: readonly (readonly [
  why: string,
  clientId: string,
  form: Params,
  headers: Readonly<Record<string, string>>,
  error?: string,
  status?: number,
])[] = [
  ["Basic", "web", {}, basic("web", SECRET)],
  ["Basic in lower case", "web", {}, {
    Authorization: basic("web", SECRET).Authorization.replace("Basic", "basic"),
  }],
  ["Basic and the same client_id", "web", { client_id: "web" }, basic("web", SECRET)],
  ["the secret in the body", "post", { client_id: "post", client_secret: SECRET }, {}],
  ["an empty secret of a public client", "spa", { client_id: "spa", client_secret: "" }, {}],
  ["another secret", "web", {}, basic("web", `${SECRET}x`), "invalid_client", 401],
  ["an unknown client", "web", {}, basic("nobody", SECRET), "invalid_client", 401],
  ["%%%", "web", {}, { Authorization: "Basic %%%" }, "invalid_client", 401],
  ["no colon", "web", {}, { Authorization: `Basic ${btoa("web")}` }, "invalid_client", 401],
  ["a bearer token", "web", {}, { Authorization: "Bearer x" }, "invalid_client", 401],
  [
    "Basic of a client_secret_post client",
    "post",
    {},
    basic("post", SECRET),
    "invalid_client",
    401,
  ],
  [
    "a body of a client_secret_basic client, better-auth#9601",
    "web",
    { client_id: "web", client_secret: SECRET },
    {},
    "invalid_client",
  ],
  ["no secret", "web", { client_id: "web" }, {}, "invalid_client"],
  [
    "another secret in the body",
    "post",
    {
      client_id: "post",
      client_secret: `${SECRET}x`,
    },
    {},
    "invalid_client",
  ],
  [
    "Basic and body, RFC 6749 §2.3",
    "web",
    {
      client_id: "web",
      client_secret: SECRET,
    },
    basic("web", SECRET),
    "invalid_request",
  ],
  [
    "Basic and another client_id",
    "web",
    { client_id: "spa" },
    basic("web", SECRET),
    "invalid_request",
  ],
  [
    "a made-up secret of a public client, CVE-2026-92289",
    "spa",
    {
      client_id: "spa",
      client_secret: "made up",
    },
    {},
    "invalid_client",
  ],
  [
    "a made-up secret of a public client by Basic",
    "spa",
    {},
    basic("spa", "x"),
    "invalid_client",
    401,
  ],
  [
    "a client assertion, which is not supported",
    "spa",
    {
      client_id: "spa",
      client_assertion: "a.b.c",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    },
    {},
    "invalid_client",
  ],
];
for (const [why, clientId, form, headers, error, status] of CREDENTIALS) {
  for (const endpoint of ["token", "revoke"]) {
    const verb = error === undefined ? "accepts" : "refuses";
    Deno.test(`authenticateClient() at ${endpoint} ${verb} ${why}, ${status === 401 ? "6749-5.2-401, " : ""}21-8, AS18`, async () => {
      const site = serverSite();
      const code = await site.code(await site.signedIn(), { client_id: clientId });
      const fields = { client_id: undefined, ...form };
      const response = endpoint === "token"
        ? await redeemAsSent(site, clientId, { ...fields, code }, headers)
        : await sendForm(site, "/oauth/revoke", { token: "x", ...fields }, headers);
      if (error === undefined) assertEquals(response.status, 200);
      else {
        assertEquals(response.headers.get("WWW-Authenticate"), status === 401 ? CHALLENGE : null);
        await assertTokenError(response, error, status);
      }
    });
  }
}

async function sendForm(
  site: ServerSite,
  path: string,
  form: Params,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const fields = Object.entries(form).filter((field): field is [string, string] =>
    field[1] !== undefined
  );
  return await site.send(path, { method: "POST", headers, body: new URLSearchParams(fields) });
}

async function redeemAsSent(
  site: ServerSite,
  clientId: string,
  form: Params,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { redirectUris: [redirect_uri] = [] } = await site.options.clients.find(clientId) ?? {};
  return await sendForm(site, "/oauth/token", {
    grant_type: "authorization_code",
    redirect_uri,
    code_verifier: VERIFIER,
    ...form,
  }, headers);
}

Deno.test("authenticateClient() decodes id and secret of Basic, 6749-2.3.1, workers#247", async () => {
  const secret = "a:b%c+d e&f=g/Zq8vT1xW5rY7uP9sD2f";
  const redirectUris = ["https://web.example/cb"];
  const clients = [{ clientId: "web", name: "Web", redirectUris, secret }];
  const site = serverSite({ clients });
  const form = { client_id: undefined, redirect_uri: redirectUris[0] };
  const code = await site.code(await site.signedIn(), { client_id: "web" });
  const raw = { Authorization: `Basic ${btoa(`web:${secret}`)}` };
  assertEquals((await site.redeem(code, form, raw)).status, 401, "not encoded");
  await tokensOf(await site.redeem(code, form, basic("web", secret)));
});

Deno.test("exchangeTokens() tells nobody whether a code or a client exists, CVE-2020-15223", async () => {
  const site = serverSite();
  const answers = new Set<string>();
  for (const clientId of ["web", "post", "spa", "nobody"]) {
    const response = await site.token({ grant_type: "refresh_token" }, basic(clientId, "wrong"));
    answers.add(JSON.stringify([response.status, [...response.headers], await response.text()]));
  }
  assertEquals(answers.size, 1);
});

Deno.test("exchangeTokens() reports refusals with client and address, and no secret", async () => {
  const site = serverSite({ server: { clientAddress: () => "192.0.2.7" } });
  const code = await site.code(await site.signedIn());
  const verifier = `${VERIFIER}-another`;
  await assertTokenError(
    await redeemAs(site, "spa", code, { code_verifier: verifier }),
    "invalid_grant",
  );
  const [refused] = site.app.events.slice(-1);
  const at = site.app.clock.now;
  assertEquals(refused, {
    type: "token.refused",
    at,
    reason: "verifier_wrong",
    clientId: "spa",
    address: "192.0.2.7",
  });
  await redeemAs(site, "nobody", code).then((response) => response.body?.cancel());
  assertEquals(site.app.events.at(-1), {
    type: "token.refused",
    at,
    reason: "client_unknown",
    address: "192.0.2.7",
  }, "an id that is not known is what anybody has typed");
});

Deno.test("exchangeTokens() refuses the 501st wrong request of an address, and counts no right one", async () => {
  const current = { address: "192.0.2.1" };
  const site = serverSite({ server: { clientAddress: () => current.address } });
  let { refresh_token } = await granted(site, { scope: "offline_access notes:read" });
  const wrong = () => site.token({ grant_type: "refresh_token", client_id: "spa" });
  for (let count = 0; count < 499; count++) {
    const response = await wrong();
    if (response.status !== 400) assertEquals(response.status, 400, `request ${count}`);
    await response.body?.cancel();
  }
  for (let count = 0; count < 3; count++) {
    ({ refresh_token } = await tokensOf(await refreshAs(site, "spa", refresh_token)));
  }
  assertEquals((await wrong()).status, 400, "the 500th");
  for (const send of [wrong, () => refreshAs(site, "spa", refresh_token)]) {
    const refused = await send();
    assertMatch(refused.headers.get("Retry-After") ?? "", /^(?:900|[1-8]\d\d)$/);
    assertEquals(refused.headers.get("Access-Control-Allow-Origin"), "*");
    assertMatch(refused.headers.get("Access-Control-Expose-Headers") ?? "", /Retry-After/);
    await assertTokenError(refused, "temporarily_unavailable", 429);
  }
  const revoke = await revokeAs(site, "spa", refresh_token);
  await assertTokenError(revoke, "temporarily_unavailable", 429);
  assert(
    site.app.events.some((event) => event.type === "login.throttled" && event.attempt === "token"),
  );
  current.address = "192.0.2.2";
  ({ refresh_token } = await tokensOf(await refreshAs(site, "spa", refresh_token)));
  current.address = "192.0.2.1";
  site.app.clock.now += 900;
  await tokensOf(await refreshAs(site, "spa", refresh_token));
});

/** Requests that are counted against an address. */
const COUNTED: readonly (readonly [why: string, form: Params, path?: string])[] = [
  ["an unknown client", { grant_type: "refresh_token", client_id: "nobody" }],
  ["a form that is too large", { x: "a".repeat(16_385) }],
  ["an unknown code", {
    grant_type: "authorization_code",
    client_id: "spa",
    code: "x",
    redirect_uri: "https://app.example/cb",
    code_verifier: VERIFIER,
  }],
  ["an unknown refresh token", {
    grant_type: "refresh_token",
    client_id: "spa",
    refresh_token: "x",
  }],
  ["a revocation of an unknown client", { token: "x", client_id: "nobody" }, "/oauth/revoke"],
];
for (const [why, form, path = "/oauth/token"] of COUNTED) {
  Deno.test(`exchangeTokens() counts ${why} for the address`, async () => {
    const counted: unknown[] = [];
    const site = serverSite({
      server: {
        clientAddress: () => "192.0.2.1",
        throttle: {
          challenge: () => Promise.resolve(),
          token: (client) =>
            Promise.resolve({ fail: () => Promise.resolve(void counted.push(client)) }),
        },
      },
    });
    const response = await sendForm(site, path, form, {});
    assertEquals(response.status, 400);
    await response.body?.cancel();
    assertEquals(counted, [{ address: "192.0.2.1" }]);
  });
}

Deno.test("exchangeTokens() passes what the host knows to clientAddress(), and survives its errors", async () => {
  const asked: unknown[] = [];
  const site = serverSite({
    server: {
      clientAddress: (request, ...args) => {
        asked.push([request.url, args]);
        throw new Error("no proxy header");
      },
    },
  });
  const url = `${ISSUER}/oauth/token`;
  const info = { remoteAddr: { transport: "tcp", hostname: "192.0.2.9", port: 1 } };
  const response = await site.app.router.fetch(new Request(url, { method: "POST" }), info);
  await assertTokenError(response, "server_error", 500);
  assertEquals(asked, [[url, [info]]]);
});

Deno.test("runtimeOptions() passes on the address that registerAuth() reads", async () => {
  const site = serverSite();
  const body = new URLSearchParams({ grant_type: "refresh_token", client_id: "nobody" });
  const request = new Request(`${ISSUER}/oauth/token`, { method: "POST", body });
  const info = { remoteAddr: { transport: "tcp", hostname: "192.0.2.9", port: 1 } };
  await assertTokenError(await site.app.router.fetch(request, info), "invalid_client");
  const [refused] = site.app.events.slice(-1);
  assertEquals(refused?.type === "token.refused" && refused.address, "192.0.2.9");
});

/** Errors of a store, and what the client sees of them. */
const ERRORS: readonly (readonly [why: string, error: unknown, status: number, code: string])[] = [
  ["an error", new Error("password=hunter2"), 500, "server_error"],
  ["an unavailable service", new AuthError("service_unavailable"), 503, "temporarily_unavailable"],
  ["another refusal of ours", new AuthError("invalid_token"), 500, "server_error"],
  ["a string", "hunter2", 500, "server_error"],
  ["undefined", undefined, 500, "server_error"],
];
for (const [why, error, status, code] of ERRORS) {
  Deno.test(`exchangeTokens() answers ${why} of a store without details`, async () => {
    const counted: unknown[] = [];
    const site = serverSite({
      server: {
        clients: { find: () => Promise.reject(error) },
        throttle: {
          challenge: () => Promise.resolve(),
          token: (client) =>
            Promise.resolve({ fail: () => Promise.resolve(void counted.push(client)) }),
        },
      },
    });
    const response = await site.token({ grant_type: "refresh_token", client_id: "spa" });
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    await assertTokenError(response, code, status);
    assertEquals(counted, [], "it is not the client's fault");
    assertEquals(site.app.events.filter(({ type }) => type === "token.refused"), []);
  });
}
