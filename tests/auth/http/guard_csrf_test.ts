/** Which requests guards ask where they come from: rule by credential by source by method, on every kind of route. */

import {
  authenticated,
  type AuthStrategy,
  createRouter,
  type CsrfRule,
  json,
  noCredential,
  requireAuth,
  type RouteTarget,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { type BrowserInit, createTestApp, type TestApp, type TestBrowser } from "./_app.ts";
import { type KeyOptions, keyStrategy, ROBOT, strategyOf } from "../_strategies.ts";

/** What a browser, or what is none, says of where a request is from. */
const SOURCES = {
  "same-origin": { "Sec-Fetch-Site": "same-origin" },
  "same-site": { "Sec-Fetch-Site": "same-site" },
  "cross-site": { "Sec-Fetch-Site": "cross-site" },
  "none": { "Sec-Fetch-Site": "none" },
  "unheard of": { "Sec-Fetch-Site": "same-galaxy" },
  "own Origin": { "Sec-Fetch-Site": undefined, Origin: "https://example.com" },
  "foreign Origin": { "Sec-Fetch-Site": undefined, Origin: "https://evil.example" },
  "sibling's Origin": { "Sec-Fetch-Site": undefined, Origin: "https://app.example.com" },
  "Origin null": { "Sec-Fetch-Site": undefined, Origin: "null" },
  "nothing": { "Sec-Fetch-Site": undefined },
} as const;

const OWN = SOURCES["same-origin"];

type Source = keyof typeof SOURCES;

/** How a request says who asks. Ambient are those that a browser may send by itself. */
const CREDENTIALS: readonly (readonly [
  why: string,
  options: KeyOptions | undefined,
  ambient: boolean,
])[] = [
  ["a session's cookie", undefined, true],
  ["another cookie", { scheme: { type: "cookie", name: "key" } }, true],
  ["a strategy that does not say", { scheme: "unsaid" }, true],
  ["Authorization as a field", { scheme: { type: "header", name: "Authorization" } }, true],
  ["authorization, however written", { scheme: { type: "header", name: "aUTHORIZATION" } }, true],
  ["a scheme of no known type", { scheme: { type: "basic" } as unknown as Scheme }, true],
  ["Cookie as a field", { scheme: { type: "header", name: "Cookie" } }, true],
  ["a field that a proxy adds", { ambient: true }, true],
  ["a cookie that says it is no ambient one", {
    scheme: { type: "cookie", name: "key" },
    ambient: false,
  }, false],
  ["a bearer token", { scheme: { type: "bearer" } }, false],
  ["a field of its own", {}, false],
];

type Scheme = NonNullable<AuthStrategy["scheme"]>;

/** What passes with an ambient credential, without a token and with the page's. */
const PASSES: Readonly<Record<CsrfRule, (source: Source, token: boolean) => boolean>> = {
  origin: (source, token) => isOwn(source) || (source === "nothing" && token),
  token: (source, token) => token && (isOwn(source) || source === "nothing"),
  insecureSkip: () => true,
};

const RULES: readonly CsrfRule[] = ["origin", "token", "insecureSkip"];

for (const rule of RULES) {
  for (const [why, options, ambient] of CREDENTIALS) {
    Deno.test(`createGuard() checks by ${rule} where requests with ${why} come from`, async () => {
      const app = createApp({ csrf: rule, strategies: options && [keyStrategy(options)] });
      const client = await enter(app, options === undefined);
      const key = options === undefined ? {} : { "X-Key": "good" };
      for (const source of Object.keys(SOURCES) as Source[]) {
        for (const token of [undefined, await client.token()]) {
          const passes = !ambient || PASSES[rule](source, token !== undefined);
          const response = await client.send("/notes", {
            method: "POST",
            json: {},
            headers: { ...SOURCES[source], ...key },
            token: token ?? false,
          });
          const label = `${source}, ${token === undefined ? "no token" : "token"}`;
          assertEquals(await outcomeOf(response), passes ? "201" : "403 csrf_failed", label);
        }
      }
    });
  }
}

const METHODS: readonly (readonly [method: string, checked: boolean])[] = [
  ["GET", false],
  ["HEAD", false],
  ["OPTIONS", false],
  ["POST", true],
  ["PUT", true],
  ["PATCH", true],
  ["DELETE", true],
  ["PROPFIND", true],
  ["get", false],
  ["delete", true],
];

for (const [method, checked] of METHODS) {
  Deno.test(`createGuard() ${checked ? "checks" : "does not check"} where ${method} comes from`, async () => {
    const app = createApp({});
    const seen: string[] = [];
    app.router.all("/any", (req) => (seen.push(req.method), json(1)));
    const client = await enter(app, true);
    const init = { method, headers: SOURCES["cross-site"] };
    assertEquals((await client.send("/any", init)).status, checked ? 403 : 200);
    assertEquals(seen.length, checked ? 0 : 1);
    assertEquals((await client.send("/any", { method })).status, 200);
  });
}

/** Routes that read their bodies in other ways: none has to say anything to be covered. */
const ROUTES: readonly (readonly [why: string, path: string, init: () => BrowserInit])[] = [
  ["raw", "/raw", () => ({ body: "text" })],
  ["raw, as a form of another site sends it", "/raw", () => ({ body: new URLSearchParams("a=1") })],
  ["raw, without a body", "/raw", () => ({})],
  ["multipart", "/multipart", () => ({ body: form() })],
  ["JSON with white space in the type", "/json", () => ({
    body: "{}",
    headers: { "Content-Type": "application/json ; charset=utf-8" },
  })],
  ["every method", "/all", () => ({ body: "text" })],
  ["optional", "/optional", () => ({ json: {} })],
  ["behind a mount", "/mounted/notes", () => ({ body: "text" })],
  ["public, with requireAuth()", "/used", () => ({ body: "text" })],
];

for (const [why, path, make] of ROUTES) {
  Deno.test(`createGuard() refuses a sibling's POST without any configuration: ${why}`, async () => {
    const app = createApp({});
    const client = await enter(app, true);
    for (
      const source of ["same-site", "cross-site", "none", "sibling's Origin", "nothing"] as const
    ) {
      const { headers, ...init } = make();
      const fields = { ...headers, ...SOURCES[source] };
      const response = await client.send(path, { method: "POST", ...init, headers: fields });
      assertEquals(await outcomeOf(response), "403 csrf_failed", source);
    }
    const own = await client.send(path, { method: "POST", ...make() });
    assertEquals(own.ok, true, await outcomeOf(own));
    assertEquals(app.ran.length, 1);
  });
}

Deno.test("createGuard() does not ask where anonymous requests to optional and public routes come from", async () => {
  const app = createApp({});
  for (const path of ["/optional", "/open"]) {
    const init = { method: "POST", json: {}, headers: SOURCES["cross-site"] };
    assertEquals((await app.browser().send(path, init)).status, 201);
  }
});

Deno.test("createGuard() checks by the rule that it is given in place of the runtime's", async () => {
  const app = createApp({ csrf: "insecureSkip" });
  const { runtime } = app;
  const { post } = app.router as unknown as RouteTarget;
  for (const csrf of RULES) {
    post(`/${csrf}`, () => json(1), {
      auth: false,
      raw: true,
      use: [requireAuth({ runtime, csrf })],
    });
  }
  const client = await enter(app, true);
  const statuses = async (headers: Record<string, string | undefined>, token?: string) => {
    const init = { method: "POST", headers, ...(token === undefined ? {} : { token }) };
    return await Promise.all(
      RULES.map(async (rule) => (await client.send(`/${rule}`, init)).status),
    );
  };
  assertEquals(await statuses(OWN), [200, 403, 200]);
  assertEquals(await statuses(OWN, await client.token()), [200, 200, 200]);
  assertEquals(await statuses(SOURCES["cross-site"]), [403, 403, 200]);
});

Deno.test("createGuard() takes trusted origins for the application's own", async () => {
  const app = createApp({ trustedOrigins: ["https://app.example.com"] });
  const client = await enter(app, true);
  const from = (Origin: string, site: string) =>
    client.send("/notes", {
      method: "POST",
      json: {},
      headers: { Origin, "Sec-Fetch-Site": site },
    });
  assertEquals((await from("https://app.example.com", "same-site")).status, 201);
  assertEquals((await from("https://app.example.com:8443", "same-site")).status, 403);
  assertEquals((await from("https://other.example.com", "same-site")).status, 403);
});

Deno.test("createGuard() asks for the token in the field that csrfHeader names", async () => {
  const app = createApp({ csrf: "token", csrfHeader: "X-Proof" });
  const client = await enter(app, true);
  const token = await client.token();
  const send = (headers: Record<string, string>) =>
    client.send("/notes", { method: "POST", json: {}, headers });
  assertEquals((await send({ "X-CSRF-Token": token })).status, 403);
  assertEquals((await send({ "X-Proof": token })).status, 201);
});

Deno.test("createGuard() tells why it took a request for a forgery, once", async () => {
  const app = createApp({});
  const client = await enter(app, true);
  await client.send("/notes", { method: "POST", json: {}, headers: SOURCES["cross-site"] });
  await client.send("/notes", { method: "POST", json: {}, headers: SOURCES.nothing });
  const reasons = app.events.map((event) => "reason" in event ? event.reason : event.type);
  assertEquals(reasons, ["cross_origin", "token_missing"]);
});

Deno.test("createGuard() checks where the handshake of a WebSocket comes from", async () => {
  const app = createApp({});
  app.router.get("/socket", () => json("would switch"));
  const client = await enter(app, true);
  const handshake = { Connection: "Upgrade", Upgrade: "websocket" };
  const statusOf = async (headers: BrowserInit["headers"] = {}) =>
    (await client.send("/socket", { headers: { ...handshake, ...headers } })).status;
  assertEquals(await statusOf(), 200);
  assertEquals(
    await statusOf({ Origin: "https://evil.example", "Sec-Fetch-Site": undefined }),
    403,
  );
  assertEquals(await statusOf(SOURCES["cross-site"]), 403);
  assertEquals(await statusOf(SOURCES.nothing), 403, "no page can put a token into one");
});

Deno.test("createGuard() goes by the strategy that decided, not by what else came along", async () => {
  const silent = strategyOf(() => noCredential(), { scheme: { type: "cookie", name: "other" } });
  const sure = strategyOf(() => authenticated(ROBOT), { scheme: { type: "bearer" } });
  const app = createApp({ strategies: [silent, sure] });
  const client = await enter(app, true);
  const init = { method: "POST", json: {}, headers: SOURCES["cross-site"] };
  assertEquals(await outcomeOf(await client.send("/notes", init)), "201");
});

interface App extends TestApp {
  readonly ran: string[];
}

function createApp(options: Parameters<typeof createTestApp>[0] & object): App {
  const app = createTestApp({ ...options, strategies: options.strategies ?? [] });
  const ran: string[] = [];
  const { runtime } = app;
  const handler = () => (ran.push("ran"), json("done", { status: 201 }));
  const inner = createRouter<unknown[]>().post("/notes", handler, { raw: true });
  app.router
    .post("/json", handler)
    .post("/raw", handler, { raw: true })
    .post("/multipart", handler, { multipart: true })
    .all("/all", handler)
    .post("/optional", handler, { auth: { mode: "optional" } })
    .post("/open", handler, { auth: false })
    .post("/used", handler, { auth: false, raw: true, use: [requireAuth({ runtime })] })
    .mount("/mounted", inner);
  return { ...app, ran };
}

async function enter(app: TestApp, signedIn: boolean): Promise<TestBrowser> {
  return signedIn ? await app.signedIn() : app.browser();
}

async function outcomeOf(response: Response): Promise<string> {
  const text = await response.text();
  return response.ok ? `${response.status}` : `${response.status} ${JSON.parse(text).code}`;
}

function isOwn(source: Source): boolean {
  return source === "same-origin" || source === "own Origin";
}

function form(): FormData {
  const data = new FormData();
  data.set("a", "1");
  return data;
}
