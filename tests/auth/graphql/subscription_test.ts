/** Streams of subscriptions. */

import {
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
} from "@gatehouse/http/auth";
import {
  Authenticated,
  Authorize,
  type Declaration,
  protectSchema,
} from "@gatehouse/http/auth/graphql";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type Answer,
  codesOf,
  createUsers,
  QUIET,
  testBoth,
  type Users,
  type Version,
} from "./_schemas.ts";

const SDL = `
  type Tick { n: Int secret: String }
  type Query { x: Int }
  type Subscription { ticks(of: String): Tick open: Tick }
`;

/** A source whose events a test pushes, and what happened to it. */
interface Source extends AsyncIterable<unknown> {
  opened: number;
  returned: number;
  push(n: number): void;
  end(): void;
  fail(error: Error): void;
}

function createSource({ closing = "resolves" as "resolves" | "rejects" | "throws" } = {}): Source {
  const waiting: PromiseWithResolvers<IteratorResult<unknown>>[] = [];
  const results: Promise<IteratorResult<unknown>>[] = [];
  const add = (result: Promise<IteratorResult<unknown>>) => {
    result.catch(() => {});
    const first = waiting.shift();
    if (first === undefined) results.push(result);
    else first.resolve(result);
  };
  const source: Source = {
    opened: 0,
    returned: 0,
    push: (n) => {
      const tick = { n, secret: `secret ${n}` };
      add(Promise.resolve({ done: false, value: { ticks: tick, open: tick } }));
    },
    end: () => add(Promise.resolve({ done: true, value: undefined })),
    fail: (error) => add(Promise.reject(error)),
    [Symbol.asyncIterator]: () => ({
      next() {
        const result = results.shift();
        if (result !== undefined) return result;
        const later = Promise.withResolvers<IteratorResult<unknown>>();
        waiting.push(later);
        return later.promise;
      },
      return() {
        source.returned++;
        const done = { done: true, value: undefined } as const;
        for (const one of waiting.splice(0)) one.resolve(done);
        const error = new Error("closed badly");
        if (closing === "throws") throw error;
        return closing === "rejects" ? Promise.reject(error) : Promise.resolve(done);
      },
    }),
  };
  return source;
}

interface Stream {
  readonly source: Source;
  readonly users: Users;
  readonly stream: AsyncIterator<Answer> & AsyncIterable<Answer>;
  /** The next event: its number and the codes of its errors. */
  readonly next: () => Promise<
    readonly [n: unknown, codes: Readonly<Record<string, string>>] | "end"
  >;
}

interface StreamOptions {
  readonly declaration?: Declaration | readonly Declaration[];
  readonly field?: "ticks" | "open";
  readonly manager?: AuthorizationManager;
  readonly now?: () => number;
  readonly source?: Source;
  /** What the field's resolver returns for its source. */
  readonly wrap?: (source: Source) => unknown;
  readonly sub?: string;
}

/** Subscribes. @returns The stream, or the answer that refuses it. */
async function subscribe(version: Version, options: StreamOptions = {}): Promise<Stream | Answer> {
  const { declaration = Authenticated(), field = "ticks", manager, now, sub = "ada" } = options;
  const { source = createSource(), wrap = (stream) => stream } = options;
  const users = createUsers({ ...(manager && { manager }), ...(now && { now }) });
  if (now !== undefined) users.known.set("ada", { authTime: now() });
  const { module } = version;
  const rules = { Subscription: { ticks: declaration }, Tick: { secret: Authenticated() } };
  const schema = protectSchema(module.buildSchema(SDL), { rules, ...QUIET });
  const open = () => {
    source.opened++;
    return wrap(source);
  };
  const result = await module.subscribe({
    schema,
    document: module.parse(`subscription { ${field} { n secret } }`),
    rootValue: { ticks: open, open },
    contextValue: await users.as(sub === "" ? undefined : sub),
  });
  if (!(Symbol.asyncIterator in result)) return JSON.parse(JSON.stringify(result));
  const stream = result as unknown as Stream["stream"];
  return {
    source,
    users,
    stream,
    async next() {
      const { done, value } = await stream.next();
      if (done) return "end";
      const answer: Answer = JSON.parse(JSON.stringify(value));
      return [answer.data?.[field]?.n ?? null, codesOf(answer)];
    },
  };
}

async function opened(version: Version, options: StreamOptions = {}): Promise<Stream> {
  const result = await subscribe(version, options);
  assert("stream" in result, JSON.stringify(result));
  return result;
}

testBoth("A subscription is refused before its source is opened", async (version) => {
  const deny = { authorize: () => authorizationDenied("no") };
  for (
    const [options, code] of [
      [{ sub: "" }, "UNAUTHENTICATED"],
      [{ sub: "bad" }, "UNAUTHENTICATED"],
      [{ declaration: Authorize("x"), manager: deny }, "FORBIDDEN"],
      [{ declaration: Authenticated({ amr: ["mfa"] }) }, "UNAUTHENTICATED"],
    ] as const
  ) {
    const source = createSource();
    const answer = await subscribe(version, { ...options, source });
    assert(!("stream" in answer));
    assertEquals([codesOf(answer), source.opened], [{ ticks: code }, 0]);
  }
});

for (const [why, after] of [["revoked", undefined], ["another user's", { sub: "eve" }]] as const) {
  testBoth(`A stream ends with an error when the session is ${why}`, async (version) => {
    const { source, users, next } = await opened(version);
    source.push(1);
    assertEquals(await next(), [1, {}]);
    users.known.set("ada", after);
    source.push(2);
    source.push(3);
    assertEquals(await next(), [null, { ticks: "UNAUTHENTICATED" }]);
    assertEquals(source.returned, 1); // without waiting for the client
    assertEquals(await next(), "end");
    assertEquals(await next(), "end");
    assertEquals([source.opened, source.returned], [1, 1]);
    assertEquals(users.strategy.asked, 3); // when it was opened, and for two events
  });
}

for (
  const [what, wrap] of [
    ["a promise", (source: Source) => Promise.resolve(source)],
    [
      "a thenable of another library",
      (source: Source) => ({
        then: (done: (value: unknown) => unknown) => Promise.resolve(done(source)),
      }),
    ],
  ] as const
) {
  testBoth(
    `The stream of a resolver that returns ${what} is authenticated too`,
    async (version) => {
      const { source, users, next } = await opened(version, { wrap });
      source.push(1);
      assertEquals(await next(), [1, {}]);
      users.known.set("ada", undefined);
      source.push(2);
      assertEquals(await next(), [null, { ticks: "UNAUTHENTICATED" }]);
      assertEquals([await next(), source.returned], ["end", 1]);
    },
  );
}

testBoth("A stream ends when the sign-in becomes too old", async (version) => {
  const clock = { now: 1_000_000 };
  const declaration = Authenticated({ maxAge: 60 });
  const { source, next } = await opened(version, { declaration, now: () => clock.now });
  for (const n of [1, 2]) source.push(n);
  clock.now += 60;
  assertEquals(await next(), [1, {}]);
  clock.now++;
  assertEquals(await next(), [null, { ticks: "UNAUTHENTICATED" }]);
  assertEquals([await next(), source.returned], ["end", 1]);
});

testBoth(
  "A stream goes on after an event that the manager denies, or that cannot be authenticated",
  async (version) => {
    const verdicts = [true, true, false, true];
    const manager: AuthorizationManager = {
      authorize: () => verdicts.shift() ? authorizationAllowed() : authorizationDenied("not now"),
    };
    const { source, users, next } = await opened(version, { declaration: Authorize("x"), manager });
    for (const n of [1, 2, 3, 4, 5]) source.push(n);
    assertEquals(await next(), [1, {}]);
    assertEquals(await next(), [null, { ticks: "FORBIDDEN" }]);
    assertEquals(await next(), [3, {}]);
    const { authenticate } = users.strategy;
    users.strategy.authenticate = () => Promise.reject(new Error("the database is down"));
    assertEquals(await next(), [null, { ticks: "INTERNAL_SERVER_ERROR" }]);
    users.strategy.authenticate = authenticate;
    verdicts.push(true);
    assertEquals(await next(), [5, {}]);
    assertEquals(source.returned, 0);
    assertEquals(users.events.filter(({ type }) => type === "authz.denied").length, 1);
  },
);

testBoth("A public stream goes on without what is guarded below it", async (version) => {
  const { source, users, next } = await opened(version, { field: "open" });
  for (const n of [1, 2, 3]) source.push(n);
  assertEquals(await next(), [1, {}]);
  users.known.set("ada", undefined);
  assertEquals(await next(), [2, { "open.secret": "UNAUTHENTICATED" }]);
  users.known.delete("ada");
  assertEquals(await next(), [3, {}]);
  source.end();
  assertEquals([await next(), source.returned], ["end", 0]);
});

testBoth("An anonymous stream does not call the strategy for its events", async (version) => {
  const { source, users, next } = await opened(version, { field: "open", sub: "" });
  for (const n of [1, 2]) source.push(n);
  for (const n of [1, 2]) assertEquals(await next(), [n, { "open.secret": "UNAUTHENTICATED" }]);
  assertEquals(users.strategy.asked, 1);
});

testBoth(
  "A stream is closed at once, and once, when its client leaves while it waits",
  async (version) => {
    const { source, stream } = await opened(version);
    const pending = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 0));
    await stream.return?.();
    await stream.return?.();
    assertEquals((await pending).done, true);
    assertEquals(source.returned, 1);
  },
);

testBoth("No event arrives after its client has left", async (version) => {
  const { source, users, stream } = await opened(version);
  const { authenticate } = users.strategy;
  const answer = Promise.withResolvers<void>();
  users.strategy.authenticate = async (context) => {
    await answer.promise;
    return authenticate(context);
  };
  source.push(1);
  const pending = stream.next();
  await new Promise((resolve) => setTimeout(resolve, 0));
  const left = stream.return?.(); // version 17 waits for the event
  answer.resolve();
  await left;
  assertEquals((await pending).done, true);
});

testBoth(
  "A stream passes on the error of its source, and survives one that cannot be closed",
  async (version) => {
    const failing = await opened(version);
    failing.source.fail(new Error("the queue is gone"));
    await assertRejects(() => failing.stream.next(), Error, "the queue is gone");
    for (const closing of ["rejects", "throws"] as const) {
      const source = createSource({ closing });
      const { users, next } = await opened(version, { source });
      users.known.set("ada", undefined);
      source.push(1);
      assertEquals(await next(), [null, { ticks: "UNAUTHENTICATED" }]);
      assertEquals(await next(), "end");
      assertEquals(users.warnings.some((one) => one.startsWith("Cannot close the stream")), true);
    }
  },
);

testBoth(
  "A stream answers calls of next() in order, however long each authentication takes",
  async (version) => {
    const { source, users, stream } = await opened(version);
    const { authenticate } = users.strategy;
    let delay = 30;
    users.strategy.authenticate = async (context) => {
      await new Promise((resolve) => setTimeout(resolve, delay -= 10));
      return authenticate(context);
    };
    const calls = [stream.next(), stream.next(), stream.next()];
    for (const n of [1, 2, 3]) source.push(n);
    const values = await Promise.all(calls);
    assertEquals(values.map(({ value }) => value.data.ticks.n), [1, 2, 3]);
  },
);

testBoth(
  "A subscription whose resolver returns no stream fails as without guards",
  async (version) => {
    const source = { opened: 0, returned: 0 } as Source;
    await assertRejects(
      async () => {
        const result = await subscribe(version, { source });
        if ("errors" in result) throw new Error(result.errors?.[0]?.message);
      },
      Error,
      /* both versions */ "must return Async",
    );
    assertEquals(source.opened, 1);
  },
);
