import { assertEquals } from "@std/assert";
import { authorizationDenied } from "@gatehouse/http";
import { policyAgentManager } from "../../examples/policy_agent/policy_agent.ts";
import { type Answer, guardedRouter, seen, withAgent } from "./_policy_agent.ts";

const LIMIT = 65_536;
const ALLOWING = '{"result":true}';
const JSON_HEADERS = { "Content-Type": "application/json" };
const ENCODER = new TextEncoder();
const ADA = { principal: { sub: "ada", method: "api-key" } } as const;

function answers(body: BodyInit | null, init: ResponseInit = {}): Answer {
  return () => new Response(body, { ...init, headers: { ...JSON_HEADERS, ...init.headers } });
}

/** Redirects to a path of the same agent that allows. */
function redirects(status: number): Answer {
  return ({ url }) =>
    url.endsWith("?again")
      ? new Response(ALLOWING, { headers: JSON_HEADERS })
      : new Response(ALLOWING, { status, headers: { ...JSON_HEADERS, Location: `${url}?again` } });
}

/** Sends the parts of a body with a delay in milliseconds before each, and never closes it. */
function sends(parts: readonly string[], everyMs = 0): Answer {
  return () => {
    const left = [...parts];
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const stream = new ReadableStream({
      pull: (controller) =>
        new Promise((resolve) => {
          const part = left.shift();
          if (part === undefined) return; // never closed
          timers.add(setTimeout(() => resolve(controller.enqueue(ENCODER.encode(part))), everyMs));
        }),
      cancel: () => timers.forEach(clearTimeout),
    }, { highWaterMark: 0 });
    return new Response(stream, { headers: JSON_HEADERS });
  };
}

/** Never responds within the timeout. */
const silent: Answer = () =>
  new Promise((resolve) => setTimeout(() => resolve(new Response(ALLOWING)), 200));

const bomb: Answer = () => {
  const text = new Blob([ALLOWING, " ".repeat(100 * LIMIT)]).stream();
  return new Response(text.pipeThrough(new CompressionStream("gzip")), {
    headers: { ...JSON_HEADERS, "Content-Encoding": "gzip" },
  });
};

const UNDEFINED = "the rule is undefined";
const NEITHER = "the rule is neither true nor false";
const NO_OBJECT = "the answer is no JSON object";
const NO_JSON = "the answer is not application/json";
const TOO_LONG = "the answer exceeds 65536 bytes";

const DENIALS: readonly (readonly [why: string, answer: Answer, reason: string])[] = [
  ["the rule is false", answers('{"result":false}'), "the rule is false"],
  ["the rule is undefined, as for an unknown path", answers("{}"), UNDEFINED],
  ["the member has another name", answers('{"Result":true,"allow":true}'), UNDEFINED],
  ["the member comes from a prototype", answers('{"__proto__":{"result":true}}'), UNDEFINED],
  ["true is a string", answers('{"result":"true"}'), NEITHER],
  ["true is a number", answers('{"result":1}'), NEITHER],
  ["the result is null", answers('{"result":null}'), NEITHER],
  ["the rule is a whole package", answers('{"result":{"allow":true}}'), NEITHER],
  ["the rule is a set of reasons", answers('{"result":[true]}'), NEITHER],
  ["the result is not in an object, as under /v0/data", answers("true"), NO_OBJECT],
  ["the body is null", answers("null"), NO_OBJECT],
  ["the body is an array", answers(`[${ALLOWING}]`), UNDEFINED],
  ["the body is empty", answers(null), NO_OBJECT],
  ["the JSON is truncated", answers('{"result":true'), NO_OBJECT],
  ["the body has two JSON values", answers(ALLOWING + ALLOWING), NO_OBJECT],
  ["the body is YAML", answers("result: true"), NO_OBJECT],
  [
    "the response is HTML",
    answers(ALLOWING, { headers: { "Content-Type": "text/html" } }),
    NO_JSON,
  ],
  [
    "the response is a problem",
    answers(ALLOWING, { headers: { "Content-Type": "application/problem+json" } }),
    NO_JSON,
  ],
  [
    "the type has application/json as a prefix",
    answers(ALLOWING, { headers: { "Content-Type": "application/json-seq" } }),
    NO_JSON,
  ],
  ["the response has no type", () => new Response(new Blob([ALLOWING])), NO_JSON],
  ["the status is 201", answers(ALLOWING, { status: 201 }), "answered with status 201"],
  ["the status is 204", answers(null, { status: 204 }), "answered with status 204"],
  ["the response is a redirect", redirects(302), "answered with status 302"],
  ["the response is a redirect that keeps the method", redirects(307), "answered with status 307"],
  ["the agent requires a token", answers(ALLOWING, { status: 401 }), "answered with status 401"],
  ["the agent responds 403", answers(ALLOWING, { status: 403 }), "answered with status 403"],
  ["the agent responds 500", answers(ALLOWING, { status: 500 }), "answered with status 500"],
  ["a proxy responds 503", answers(ALLOWING, { status: 503 }), "answered with status 503"],
  [
    "a truncated UTF-8 sequence follows the result",
    answers(new Uint8Array([...ENCODER.encode(ALLOWING), 0xe2])),
    NO_OBJECT,
  ],
  ["the body is a byte too long", answers(ALLOWING.padEnd(LIMIT + 1)), TOO_LONG],
  ["the body is too long after decompression", bomb, TOO_LONG],
  ["the response head does not arrive", silent, "timed out after 50 ms"],
  ["the response body does not arrive", sends([]), "timed out after 50 ms"],
  ["the response body is infinite", sends([ALLOWING]), "timed out after 50 ms"],
  ["the body trickles", sends([..." ".repeat(40), ALLOWING], 5), "timed out after 50 ms"],
];

/** The response to a denial without an agent. */
async function plainDenial(): Promise<unknown> {
  const { router } = guardedRouter({ authorize: () => authorizationDenied("no") }, ADA);
  return await seen(await router.request("/notes/1"));
}

for (const [why, answer, reason] of DENIALS) {
  Deno.test(`policyAgentManager() denies if ${why}`, async () => {
    await withAgent(answer, async (url) => {
      const timeoutMs = reason.startsWith("timed out") ? 50 : 5000;
      const { router, reasons } = guardedRouter(policyAgentManager({ url, timeoutMs }), ADA);
      const response = await router.request("/notes/1");
      assertEquals(response.status, 403);
      assertEquals(await seen(response), await plainDenial());
      assertEquals(reasons, [`policy agent: ${reason}`]);
    });
  });
}

Deno.test("policyAgentManager() denies with access_denied and no details", async () => {
  const { body } = await plainDenial() as { body: string };
  assertEquals(JSON.parse(body), {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
    code: "access_denied",
  });
});

Deno.test("policyAgentManager() denies if the agent is unreachable", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  await deniesUnreachable(listener.addr);
});

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n";

for (
  const [why, text] of [
    ["the connection closes without a response", ""],
    ["the response head is truncated", HEAD.slice(0, 40)],
    ["the response body is a byte too short", HEAD + ALLOWING],
    ["the response is not HTTP", ALLOWING],
  ] as const
) {
  Deno.test(`policyAgentManager() denies if ${why}`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const answered = answerOnce(listener, text);
    await deniesUnreachable(listener.addr);
    await answered;
  });
}

/** Sends a text to one connection after its request, and closes it. */
async function answerOnce(listener: Deno.TcpListener, text: string): Promise<void> {
  using connection = await listener.accept();
  await connection.read(new Uint8Array(LIMIT));
  await connection.write(ENCODER.encode(text));
}

async function deniesUnreachable({ port }: Deno.NetAddr): Promise<void> {
  const url = `http://127.0.0.1:${port}/v1/data/notes/allow`;
  const manager = policyAgentManager({ url, timeoutMs: 5000 });
  const { router, reasons } = guardedRouter(manager, ADA);
  assertEquals(await seen(await router.request("/notes/1")), await plainDenial());
  assertEquals(reasons, ["policy agent: the connection failed"]);
}

const ALLOWED: readonly (readonly [why: string, answer: Answer])[] = [
  ["the rule is true", answers(ALLOWING)],
  [
    "the type has a parameter",
    answers(ALLOWING, { headers: { "Content-Type": "Application/JSON; charset=utf-8" } }),
  ],
  ["the response has more members", answers('{"decision_id":"7","result":true,"metrics":{}}')],
  ["the body has the maximum length", answers(ALLOWING.padEnd(LIMIT))],
];

for (const [why, answer] of ALLOWED) {
  Deno.test(`policyAgentManager() allows if ${why}`, async () => {
    await withAgent(answer, async (url) => {
      const { router, reasons } = guardedRouter(policyAgentManager({ url, timeoutMs: 5000 }), ADA);
      const response = await router.request("/notes/1");
      assertEquals([response.status, await response.json()], [200, "the note"]);
      assertEquals(reasons, []);
    });
  });
}

Deno.test("policyAgentManager() times out after 500 ms by default", async () => {
  const late: Answer = () =>
    new Promise((resolve) => setTimeout(() => resolve(Response.json({ result: true })), 600));
  await withAgent(late, async (url) => {
    const { router, reasons } = guardedRouter(policyAgentManager({ url }), ADA);
    const response = await router.request("/notes/1");
    await response.body?.cancel();
    assertEquals(reasons, ["policy agent: timed out after 500 ms"]);
  });
});

Deno.test("policyAgentManager() queries the agent for every request", async () => {
  const decisions = [true, false, true];
  await withAgent(() => Response.json({ result: decisions.shift() }), async (url) => {
    const { router } = guardedRouter(policyAgentManager({ url, timeoutMs: 5000 }), ADA);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      const response = await router.request("/notes/1");
      await response.body?.cancel();
      statuses.push(response.status);
    }
    assertEquals(statuses, [200, 403, 200]);
  });
});

Deno.test("policyAgentManager() does not read a decision from a polluted prototype", async () => {
  const prototype = Object.prototype as { result?: boolean };
  await withAgent(answers("{}"), async (url) => {
    const { router, reasons } = guardedRouter(policyAgentManager({ url, timeoutMs: 5000 }), ADA);
    prototype.result = true;
    try {
      const response = await router.request("/notes/1");
      await response.body?.cancel();
      assertEquals([response.status, reasons], [403, [`policy agent: ${UNDEFINED}`]]);
    } finally {
      delete prototype.result;
    }
  });
});
