/**
 * Many requests at once to one isolate of workerd, where no request may wait for what another has begun: whoever does hangs
 * until workerd ends it.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import { assertSame, runCases, type RuntimeCase } from "./harness.ts";
import { withWorker, type WorkerBindings } from "./launch.ts";
import type { Outcome } from "./report.ts";
import { type Account, ADA, type Call, createProgram, type Program } from "./token_program.ts";

const TIMEOUT_MS = 10_000;

/** What the Worker has, and what is said of it. */
const WORKERS: readonly (readonly [suffix: string, bindings: WorkerBindings])[] = [
  ["", {}],
  [" on D1", { d1Databases: { DB: "gatehouse" } }],
];

/** Runs the cases on each Worker. @param folder Where the bundle goes. */
export async function* runTokenWorkers(folder: string): AsyncIterable<Outcome> {
  await Deno.mkdir(folder);
  const worker = await bundle(join(ROOT, "tests/runtimes/token_worker_main.ts"), folder);
  for (const [suffix, bindings] of WORKERS) {
    const outcome = await runWorker(worker, bindings);
    yield { ...outcome, name: `${outcome.name}, tokens for many at once${suffix}` };
  }
}

async function runWorker(script: string, bindings: WorkerBindings): Promise<Outcome> {
  return await withWorker(script, async (miniflare) => {
    const { origin } = await miniflare.ready;
    const program = createProgram(async ({ url, method, headers, body }) => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const { pathname, search } = new URL(url);
      const content = body === null ? {} : { body: await new Response(body).text() };
      return await fetch(`${origin}${pathname}${search}`, { method, headers, signal, ...content });
    });
    return await runCases(workerCases(program));
  }, bindings);
}

/** The first request of all makes the keys; each case needs those before it. */
function workerCases({ call, signIn }: Program): readonly RuntimeCase[] {
  let account: Account | undefined;

  /** Answers of as many calls at once: the statuses, each once, and the bodies. */
  async function burst(
    count: number,
    send: (i: number) => Promise<Response>,
  ): Promise<{ statuses: readonly number[]; bodies: readonly string[] }> {
    const answers = await Promise.all(Array.from({ length: count }, (_, i) => send(i)));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    return { statuses: answers.map(({ status }) => status).sort(), bodies };
  }

  /** Answers of as many calls behind one that has begun, and is gone. */
  async function burstBehind(path: string, named: Call = {}) {
    assertSame((await call(path, { ...named, headers: { Leaves: "1" } })).status, 204);
    return await burst(30, () => call(path, named));
  }

  return [
    {
      name: "workerd: 30 requests for keys that one is making, which goes away, get the same ones",
      async run() {
        const { statuses, bodies } = await burstBehind("/.well-known/jwks.json");
        assertSame([...new Set(statuses), new Set(bodies).size], [200, 1]);
      },
    },
    {
      name: "workerd: eight people register at once, and each token is its owner's",
      async run() {
        const accounts = await Promise.all(
          Array.from(
            { length: 8 },
            (_, i) => signIn("/auth/register", { ...ADA, identifier: `ada${i}@example.org` }),
          ),
        );
        account = accounts[0];
        const { bodies } = await burst(
          8,
          (i) => call("/me", { bearer: accounts[i]?.accessToken ?? "" }),
        );
        assertSame(
          bodies.map((body) => JSON.parse(body).sub),
          accounts.map(({ user: { sub } }) => sub),
        );
      },
    },
    {
      name: "workerd: 30 tokens at an application that fetches keys for one, which goes away",
      async run() {
        const { statuses } = await burstBehind("/elsewhere", {
          bearer: account?.accessToken ?? "",
        });
        assertSame([...new Set(statuses)], [200]);
      },
    },
    {
      name: "workerd: of 30 refreshes at once one succeeds, and its token is dead too",
      async run() {
        const body = { refreshToken: account?.refreshToken };
        const { statuses, bodies } = await burst(30, () => call("/auth/refresh", { body }));
        assertSame(statuses, [200, ...Array(29).fill(401)]);
        const taken = bodies.find((text) => text.includes("accessToken")) ?? "{}";
        const { refreshToken } = JSON.parse(taken);
        assertSame((await call("/auth/refresh", { body: { refreshToken } })).status, 401);
      },
    },
  ];
}
