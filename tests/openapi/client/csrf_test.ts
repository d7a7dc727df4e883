import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { connect } from "../../../openapi/client/runtime.ts";
import type { ClientOptions } from "../../../openapi/client/runtime_types.ts";
import { ADA, API, ORIGIN, site } from "./_site.ts";

Deno.test("connect() fetches a CSRF token once, before the first request that changes state", async () => {
  const { page, requests, count } = await site();
  const call = connect(API, { baseUrl: ORIGIN, fetch: page() });
  assertEquals((await call("GET /notes")).status, 401);
  assertEquals(count("/auth/csrf"), 0);
  const [first] = await Promise.all([
    call("POST /auth/login", { body: ADA }),
    call("POST /auth/logout"),
    call("POST /auth/logout"),
  ]);
  assertEquals([first.status, count("/auth/csrf")], [200, 1]);
  assertEquals(
    requests.filter(({ method }) => method === "GET")
      .filter(({ headers }) => headers.has("X-CSRF-Token")),
    [],
  );
});

Deno.test("connect() takes the CSRF token that a sign-in returns", async () => {
  const { page, requests, count } = await site();
  const call = connect(API, { baseUrl: ORIGIN, fetch: page() });
  const entered = await call("POST /auth/login", { body: ADA });
  assert(entered.ok);
  assertEquals((await call("POST /notes", { body: {} })).status, 201);
  const sent = requests.map(({ headers }) => headers.get("X-CSRF-Token"));
  assertEquals(sent.slice(2), [(entered.data as { csrfToken: string }).csrfToken]);
  assertNotEquals(sent[1], sent[2]);
  assertEquals(count("/auth/csrf"), 1);
});

Deno.test("connect() fetches another CSRF token after a rejection, once for all calls", async () => {
  const { page, count } = await site();
  const fetch = page();
  const tab = connect(API, { baseUrl: ORIGIN, fetch });
  const other = connect(API, { baseUrl: ORIGIN, fetch });
  await tab("POST /auth/login", { body: ADA });
  await other("POST /auth/login", { body: ADA }); // another session: the token of the first tab is void
  const before = count("/auth/csrf");
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () => tab("POST /notes", { body: {} })),
  );
  assertEquals(outcomes.map(({ status }) => status), [201, 201, 201, 201, 201]);
  assertEquals(count("/auth/csrf") - before, 1);
});

Deno.test("connect() returns the second rejection of a CSRF token, and sends no third request", async () => {
  const sent: string[] = [];
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: ({ method, url }) => {
      sent.push(`${method} ${new URL(url).pathname}`);
      return method === "GET"
        ? Response.json({ csrfToken: "t", header: "X-CSRF-Token" })
        : Response.json({ code: "csrf_failed" }, { status: 403 });
    },
  });
  assertEquals((await call("POST /notes", { body: {} })).status, 403);
  assertEquals(sent, ["GET /auth/csrf", "POST /notes", "GET /auth/csrf", "POST /notes"]);
});

Deno.test("connect() returns the refusal of a CSRF token, rejects as fetch does, and keeps neither", async () => {
  const answers = [
    () => Response.json({ code: "csrf_failed" }, { status: 403 }),
    () => Promise.reject(new TypeError("network")),
    () => Response.json({ csrfToken: "t" }),
    () => Response.json({ header: "X-CSRF-Token" }),
    () => new Response(null, { status: 204 }),
    () => Response.json({ csrfToken: "t", header: "X-CSRF-Token" }),
    () => Response.json({ done: true }),
  ];
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: () => answers.shift()?.() ?? new Response(),
  });
  assertEquals((await call("POST /notes", { body: {} })).status, 403);
  const none = "Cannot read CSRF token: the response has none";
  for (const message of ["network", none, none, none]) {
    await assertRejects(() => call("POST /notes", { body: {} }), TypeError, message);
  }
  assertEquals((await call("POST /notes", { body: {} })).status, 200);
});

Deno.test("connect() fetches one CSRF token for two calls whose rejections come one after the other", async () => {
  const sent: string[] = [];
  let late: ((response: Response) => void) | undefined;
  const rejection = () => Response.json({ code: "csrf_failed" }, { status: 403 });
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: ({ method, url, headers }) => {
      const token = headers.get("X-CSRF-Token");
      sent.push(`${method} ${new URL(url).pathname} ${token}`);
      if (method === "GET") {
        return Response.json({ csrfToken: `t${sent.length}`, header: "X-CSRF-Token" });
      }
      if (token !== "t1") return new Response();
      return url.endsWith("/late") ? new Promise((resolve) => late = resolve) : rejection();
    },
  });
  const slow = call("POST /late");
  assertEquals((await call("POST /soon")).status, 200);
  late?.(rejection());
  assertEquals((await slow).status, 200);
  assertEquals(sent, [
    "GET /auth/csrf null",
    "POST /late t1",
    "POST /soon t1",
    "GET /auth/csrf null",
    "POST /soon t4",
    "POST /late t4",
  ]);
});

Deno.test("connect() takes no CSRF token from a refusal, nor what is no text", async () => {
  const answers = [
    Response.json({ csrfToken: "refused" }, { status: 409 }),
    Response.json({ csrfToken: 1 }),
    Response.json({}),
  ];
  const sent: (string | null)[] = [];
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: ({ method, headers }) => {
      if (method === "GET") return Response.json({ csrfToken: "t", header: "X-CSRF-Token" });
      sent.push(headers.get("X-CSRF-Token"));
      return answers.shift() ?? new Response();
    },
  });
  for (const status of [409, 200, 200]) assertEquals((await call("POST /notes")).status, status);
  assertEquals(sent, ["t", "t", "t"]);
});

Deno.test("connect() sends no CSRF token with HEAD and OPTIONS", async () => {
  const sent: string[] = [];
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: ({ method }) => {
      sent.push(method);
      return new Response();
    },
  });
  await call("HEAD /notes");
  await call("OPTIONS /notes");
  assertEquals(sent, ["HEAD", "OPTIONS"]);
});

Deno.test("connect() aborts the request for a CSRF token, too", async () => {
  const controller = new AbortController();
  const sent: string[] = [];
  const call = connect(API, {
    baseUrl: ORIGIN,
    signal: controller.signal,
    fetch: ({ url, signal }) => {
      sent.push(new URL(url).pathname);
      controller.abort(new Error("enough"));
      signal.throwIfAborted();
      return Response.json({ csrfToken: "t", header: "X-CSRF-Token" });
    },
  });
  await assertRejects(() => call("POST /notes"), Error, "enough");
  assertEquals(sent, ["/auth/csrf"]);
});

/** Options without CSRF tokens. */
const WITHOUT: readonly (readonly [string, ClientOptions])[] = [
  ["csrf: false", { csrf: false }],
  ["cookies", { credentials: "omit" }],
];
for (const [why, options] of WITHOUT) {
  Deno.test(`connect() sends no CSRF token with ${why}`, async () => {
    const { program, count } = await site();
    const call = connect(API, { baseUrl: ORIGIN, fetch: program, ...options });
    await call("POST /notes", { body: {} });
    assertEquals([count("/auth/csrf"), count("/notes")], [0, 1]);
  });
}
