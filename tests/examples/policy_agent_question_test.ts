import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  policyAgentManager,
  type PolicyAgentOptions,
} from "../../examples/policy_agent/policy_agent.ts";
import { guardedRouter, type GuardedRouterOptions, withAgent } from "./_policy_agent.ts";

/** The input sent to an agent. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
}

async function sentBy(
  options: GuardedRouterOptions & { readonly agent?: Partial<PolicyAgentOptions> },
  init: RequestInit = {},
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const answer = async (request: Request) => {
    const { method, url, headers } = request;
    sent.push({ method, path: new URL(url).pathname, headers, text: await request.text() });
    return Response.json({ result: true });
  };
  await withAgent(answer, async (url) => {
    const { router } = guardedRouter(policyAgentManager({ url, ...options.agent }), options);
    const response = await router.request("/notes/a%20b?secret=query", init);
    await response.body?.cancel();
  });
  return sent;
}

const ADA = {
  sub: "ada",
  method: "bearer",
  amr: ["pwd", "otp"],
  acr: "2",
  authTime: 1_000,
  scope: ["notes:read"],
  sessionId: "s1",
  claims: { email: "ada@example.com", tier: "gold" },
} as const;
const ACTION = { method: "GET", route: "/notes/:id", params: { id: "a b" } };
const METADATA = { action: "read" };

const QUESTIONS: readonly (readonly [
  why: string,
  options: Parameters<typeof sentBy>[0],
  input: unknown,
])[] = [
  ["no principal", {}, { subject: null, action: ACTION, metadata: METADATA }],
  ["a principal without its session and claims", { principal: ADA }, {
    subject: {
      sub: "ada",
      method: "bearer",
      amr: ["pwd", "otp"],
      acr: "2",
      authTime: 1_000,
      scope: ["notes:read"],
    },
    action: ACTION,
    metadata: METADATA,
  }],
  ["a principal with few members", { principal: { sub: "bob", method: "api-key" } }, {
    subject: { sub: "bob", method: "api-key", authTime: 0 },
    action: ACTION,
    metadata: METADATA,
  }],
  ["the requested claims", {
    principal: { sub: "ada", method: "bearer", claims: ADA.claims },
    agent: { claims: ["tier", "absent"] },
  }, {
    subject: { sub: "ada", method: "bearer", authTime: 0, claims: { tier: "gold" } },
    action: ACTION,
    metadata: METADATA,
  }],
  ["metadata that is an array", { metadata: ["read", { of: "notes" }] }, {
    subject: null,
    action: ACTION,
    metadata: ["read", { of: "notes" }],
  }],
];

for (const [why, options, input] of QUESTIONS) {
  Deno.test(`policyAgentManager() sends the agent ${why}`, async () => {
    const [{ method, path, headers, text } = noQuestion(), ...others] = await sentBy(options);
    assertEquals(JSON.parse(text), { input });
    assertEquals([method, path], ["POST", "/v1/data/notes/allow"]);
    assertEquals(headers.get("Content-Type"), "application/json");
    assertEquals(headers.get("Authorization"), null);
    assertEquals(others, []);
  });
}

function noQuestion(): never {
  throw new Error("The agent received no query");
}

Deno.test("policyAgentManager() does not send header fields, query or body of the request", async () => {
  const [sent = noQuestion()] = await sentBy({}, {
    method: "POST",
    headers: { "X-Secret": "header", "Sec-Fetch-Site": "same-origin" },
    body: "secret body",
  });
  assertEquals(/secret/i.test(sent.text), false);
  assertEquals(sent.headers.get("X-Secret"), null);
  assertEquals(JSON.parse(sent.text).input.action, { ...ACTION, method: "POST" });
});

Deno.test("policyAgentManager() sends its token to the agent", async () => {
  const [{ headers } = noQuestion()] = await sentBy({ agent: { token: "abc-._~+/=" } });
  assertEquals(headers.get("Authorization"), "Bearer abc-._~+/=");
});

Deno.test("policyAgentManager() uses the option fetch", async () => {
  const urls: string[] = [];
  const send: PolicyAgentOptions["fetch"] = (url, init) => {
    urls.push(new URL(url).pathname);
    return fetch(url, init);
  };
  assertEquals((await sentBy({ agent: { fetch: send } })).length, 1);
  assertEquals(urls, ["/v1/data/notes/allow"]);
});

Deno.test("policyAgentManager() denies input that cannot be serialized as JSON, without a query", async () => {
  let asked = 0;
  await withAgent(() => Response.json({ result: ++asked > 0 }), async (url) => {
    const options = { metadata: { limit: 1n } };
    const { router, reasons } = guardedRouter(policyAgentManager({ url }), options);
    const response = await router.request("/notes/1");
    await response.body?.cancel();
    assertEquals([response.status, asked], [403, 0]);
    assertEquals(reasons, ["policy agent: the question cannot be written as JSON"]);
  });
});

Deno.test("policyAgentManager() aborts the query when the client disconnects", async () => {
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
  const { promise: left, resolve: tellLeft } = Promise.withResolvers<void>();
  const answer = ({ signal }: Request) =>
    new Promise<Response>((resolve) => {
      signal.addEventListener("abort", () => {
        tellLeft();
        resolve(new Response(null));
      }, { once: true });
      tellAsked();
    });
  await withAgent(answer, async (url) => {
    const manager = policyAgentManager({ url, timeoutMs: 60_000 });
    const { router, reasons } = guardedRouter(manager);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => router.request(request),
    );
    const client = new AbortController();
    const response = fetch(`http://127.0.0.1:${server.addr.port}/notes/1`, {
      signal: client.signal,
    });
    await asked;
    client.abort();
    await assertRejects(() => response, DOMException);
    await left;
    await server.shutdown();
    assertEquals(reasons, ["policy agent: the client went away"]);
  });
});

const REFUSED: readonly (readonly [
  why: string,
  options: Partial<PolicyAgentOptions>,
  error: typeof TypeError | typeof RangeError,
  says: string,
])[] = [
  [
    "a string that is not a URL",
    { url: "127.0.0.1:8181" },
    TypeError,
    "url must be an http or https URL",
  ],
  ["a path", { url: "/v1/data/allow" }, TypeError, "url must be an http or https URL"],
  ["a file", { url: "file:///v1/data/allow" }, TypeError, "url must be an http or https URL"],
  ["http to another machine", { url: "http://opa.internal/" }, TypeError, "use https"],
  [
    "http to a host with a loopback address as its prefix",
    { url: "http://127.0.0.1.evil/" },
    TypeError,
    "use https",
  ],
  ["http to a private address", { url: "http://10.0.0.1/" }, TypeError, "use https"],
  ["a password in the URL", { url: "https://a:b@localhost/" }, TypeError, "use token"],
  ["a user name in the URL", { url: "https://a@localhost/" }, TypeError, "use token"],
  ["only a password in the URL", { url: "https://:b@localhost/" }, TypeError, "use token"],
  ["a token of two lines", { token: "a\r\nX: y" }, TypeError, "token must be a bearer token"],
  ["an empty token", { token: "" }, TypeError, "token must be a bearer token"],
  ["a timeout of zero", { timeoutMs: 0 }, RangeError, "from 1 to 60000"],
  ["a timeout that is NaN", { timeoutMs: NaN }, RangeError, "from 1 to 60000"],
  ["a fractional timeout", { timeoutMs: 1.5 }, RangeError, "from 1 to 60000"],
  ["a timeout too long for timers", { timeoutMs: 2 ** 31 }, RangeError, "from 1 to 60000"],
];

for (const [why, options, error, says] of REFUSED) {
  Deno.test(`policyAgentManager() rejects ${why}`, () => {
    assertThrows(
      () => policyAgentManager({ url: "http://localhost:8181/", ...options }),
      error,
      says,
    );
  });
}

const TAKEN: readonly PolicyAgentOptions[] = [
  { url: "http://localhost:8181/v1/data/a" },
  { url: "http://opa.localhost/v1/data/a" },
  { url: "http://127.0.0.1:8181/v1/data/a" },
  { url: "http://[::1]:8181/v1/data/a" },
  { url: "https://opa.example.com/v1/data/a" },
  { url: "http://opa.internal/v1/data/a", insecureHttp: true },
];

Deno.test("policyAgentManager() accepts https, http to loopback, and http if allowed", () => {
  for (const options of TAKEN) policyAgentManager(options);
});
