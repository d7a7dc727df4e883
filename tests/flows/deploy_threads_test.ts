/** `examples/deploy` in several threads of `deno serve --parallel`, which share the database and nothing else. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ADA, MAIN, openFolder, WRONG } from "./_deploy.ts";
import { createClient, statusOf, withServed } from "./_served.ts";

/** The example, with a header that tells its threads apart. */
const NUMBERED = `import application from ${JSON.stringify(MAIN.href)};
const thread = crypto.randomUUID();
export default {
  async fetch(request, info) {
    const response = await application.fetch(request, info);
    response.headers.set("X-Thread", thread);
    return response;
  },
};
`;

/** Connections at once. Any of the threads that listen takes them, under load one may take them all. */
const CONNECTIONS = 16;
/** How long the second thread may take until it answers; then the server is started again, at most so often. */
const ANSWER_MS = 5_000;
const STARTS = 3;

class MissingThread extends Error {}

interface Answer {
  readonly thread: string | null;
  readonly status: number;
  readonly body: string;
}

/** What both threads answer. @throws {MissingThread} If the second one does not. */
async function askBoth(get: (path: string) => Promise<Response>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const end = Date.now() + ANSWER_MS;
  while (new Set(answers.map(({ thread }) => thread)).size < 2) {
    if (Date.now() > end) throw new MissingThread("One thread does not answer");
    const responses = Array.from({ length: CONNECTIONS }, async () => {
      const response = await get("/me");
      const { status, headers } = response;
      return { thread: headers.get("X-Thread"), status, body: await response.text() };
    });
    answers.push(...await Promise.all(responses));
  }
  return answers;
}

Deno.test("examples/deploy has the same sessions in all threads of deno serve --parallel", async () => {
  for (let start = 1;; start++) {
    try {
      return await compareThreads();
    } catch (error) {
      if (!(error instanceof MissingThread) || start === STARTS) throw error;
    }
  }
});

async function compareThreads(): Promise<void> {
  await using options = await openFolder();
  const main = join(options.folder, "numbered.ts");
  await Deno.writeTextFile(main, NUMBERED);
  const flags = ["--parallel", ...options.flags];
  const env = { ...options.env, DENO_JOBS: "2" };

  await withServed(main, { ...options, flags, env }, async (origin) => {
    using connections = Deno.createHttpClient({ poolMaxIdlePerHost: 0 }); // each request has its own
    const { get, post } = createClient(origin, connections);
    assertEquals(await statusOf(post("/auth/register", ADA)), 201);
    const users = new Set((await askBoth(get)).map(({ body }) => body));
    assertEquals([...users].map((user) => JSON.parse(user).name), [ADA.identifier]);

    const refused = await Promise.all(
      Array.from({ length: 2 }, () => statusOf(post("/auth/login", WRONG))),
    );
    assertEquals(refused, [401, 401]);
    assertEquals(await statusOf(post("/auth/logout")), 204);
    const after = new Set((await askBoth(get)).map(({ status }) => status));
    assertEquals([...after], [401]);
  });
}
