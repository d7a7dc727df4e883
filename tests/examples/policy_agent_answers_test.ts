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

/** Redirects to itself, where it allows. */
function redirects(status: number): Answer {
  return ({ url }) =>
    url.endsWith("?again")
      ? new Response(ALLOWING, { headers: JSON_HEADERS })
      : new Response(ALLOWING, { status, headers: { ...JSON_HEADERS, Location: `${url}?again` } });
}

/** Sends the parts of a body with so many milliseconds in front of each, and never ends it. */
function sends(parts: readonly string[], everyMs = 0): Answer {
  return () => {
    const left = [...parts];
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const stream = new ReadableStream({
      pull: (controller) =>
        new Promise((resolve) => {
          const part = left.shift();
          if (part === undefined) return; // and so for ever
          timers.add(setTimeout(() => resolve(controller.enqueue(ENCODER.encode(part))), everyMs));
        }),
      cancel: () => timers.forEach(clearTimeout),
    }, { highWaterMark: 0 });
    return new Response(stream, { headers: JSON_HEADERS });
  };
}

/** Holds its answer back for longer than anybody waits. */
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
  ["the rule says no", answers('{"result":false}'), "the rule is false"],
  ["the rule is undefined, OPA's answer to a wrong path too", answers("{}"), UNDEFINED],
  ["the member has another name", answers('{"Result":true,"allow":true}'), UNDEFINED],
  ["the member comes from a prototype", answers('{"__proto__":{"result":true}}'), UNDEFINED],
  ["true is a text", answers('{"result":"true"}'), NEITHER],
  ["true is a number", answers('{"result":1}'), NEITHER],
  ["true is null", answers('{"result":null}'), NEITHER],
  ["the rule is a whole package", answers('{"result":{"allow":true}}'), NEITHER],
  ["the rule is a set of reasons", answers('{"result":[true]}'), NEITHER],
  ["the decision has no object, as under /v0/data", answers("true"), NO_OBJECT],
  ["the answer is null", answers("null"), NO_OBJECT],
  ["the answer is a list of answers", answers(`[${ALLOWING}]`), UNDEFINED],
  ["the answer is empty", answers(null), NO_OBJECT],
  ["the JSON is cut off", answers('{"result":true'), NO_OBJECT],
  ["there is JSON twice", answers(ALLOWING + ALLOWING), NO_OBJECT],
  ["the JSON is YAML", answers("result: true"), NO_OBJECT],
  ["a page answers", answers(ALLOWING, { headers: { "Content-Type": "text/html" } }), NO_JSON],
  [
    "a problem answers",
    answers(ALLOWING, { headers: { "Content-Type": "application/problem+json" } }),
    NO_JSON,
  ],
  [
    "a type answers whose name begins alike",
    answers(ALLOWING, { headers: { "Content-Type": "application/json-seq" } }),
    NO_JSON,
  ],
  ["the answer has no type", () => new Response(new Blob([ALLOWING])), NO_JSON],
  ["the status is 201", answers(ALLOWING, { status: 201 }), "answered with status 201"],
  ["the status is 204", answers(null, { status: 204 }), "answered with status 204"],
  ["a redirect leads to a yes", redirects(302), "answered with status 302"],
  ["a redirect keeps the method", redirects(307), "answered with status 307"],
  ["the agent wants a token", answers(ALLOWING, { status: 401 }), "answered with status 401"],
  ["the agent says 403", answers(ALLOWING, { status: 403 }), "answered with status 403"],
  ["the agent breaks", answers(ALLOWING, { status: 500 }), "answered with status 500"],
  ["a proxy answers", answers(ALLOWING, { status: 503 }), "answered with status 503"],
  [
    "half a character follows the yes",
    answers(new Uint8Array([...ENCODER.encode(ALLOWING), 0xe2])),
    NO_OBJECT,
  ],
  ["the body is a byte too long", answers(ALLOWING.padEnd(LIMIT + 1)), TOO_LONG],
  ["the body is long once unpacked", bomb, TOO_LONG],
  ["the head does not come", silent, "timed out after 50 ms"],
  ["the body does not come", sends([]), "timed out after 50 ms"],
  ["the body does not end", sends([ALLOWING]), "timed out after 50 ms"],
  ["the body trickles", sends([..." ".repeat(40), ALLOWING], 5), "timed out after 50 ms"],
];

/** What a client gets of a denial that has nothing to do with an agent. */
async function plainDenial(): Promise<unknown> {
  const { router } = guardedRouter({ authorize: () => authorizationDenied("no") }, ADA);
  return await seen(await router.request("/notes/1"));
}

for (const [why, answer, reason] of DENIALS) {
  Deno.test(`policyAgentManager() denies where ${why}`, async () => {
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

Deno.test("policyAgentManager() denies with access_denied and says nothing else", async () => {
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
    ["the connection ends without an answer", ""],
    ["the head breaks off", HEAD.slice(0, 40)],
    ["the body breaks off a byte early", HEAD + ALLOWING],
    ["what answers speaks no HTTP", ALLOWING],
  ] as const
) {
  Deno.test(`policyAgentManager() denies where ${why}`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const answered = answerOnce(listener, text);
    await deniesUnreachable(listener.addr);
    await answered;
  });
}

/** Sends a text to one connection once it has asked, and closes it. */
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
  ["the agent says more", answers('{"decision_id":"7","result":true,"metrics":{}}')],
  ["the body is as long as it may be", answers(ALLOWING.padEnd(LIMIT))],
];

for (const [why, answer] of ALLOWED) {
  Deno.test(`policyAgentManager() allows where ${why}`, async () => {
    await withAgent(answer, async (url) => {
      const { router, reasons } = guardedRouter(policyAgentManager({ url, timeoutMs: 5000 }), ADA);
      const response = await router.request("/notes/1");
      assertEquals([response.status, await response.json()], [200, "the note"]);
      assertEquals(reasons, []);
    });
  });
}

Deno.test("policyAgentManager() waits for half a second", async () => {
  const late: Answer = () =>
    new Promise((resolve) => setTimeout(() => resolve(Response.json({ result: true })), 600));
  await withAgent(late, async (url) => {
    const { router, reasons } = guardedRouter(policyAgentManager({ url }), ADA);
    const response = await router.request("/notes/1");
    await response.body?.cancel();
    assertEquals(reasons, ["policy agent: timed out after 500 ms"]);
  });
});

Deno.test("policyAgentManager() asks again each time", async () => {
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

Deno.test("policyAgentManager() takes no decision from a polluted prototype", async () => {
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
