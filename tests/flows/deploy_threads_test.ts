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

/** Connections, of which the system gives each to any of the threads that listen: all go to one in 1 of 2^31 runs. */
const CONNECTIONS = 32;

/** How long the second thread may take to listen after the first one answers. */
const START_MS = 20_000;

/** Waits until both threads listen. @throws {Error} If the second one does not. */
async function bothThreads(get: (path: string) => Promise<Response>): Promise<void> {
  const threads = new Set<string | null>();
  const end = Date.now() + START_MS;
  while (threads.size < 2) {
    if (Date.now() > end) throw new Error("One thread of deno serve --parallel does not listen");
    const response = await get("/me");
    await response.body?.cancel();
    threads.add(response.headers.get("X-Thread"));
  }
}

Deno.test("examples/deploy has the same sessions in all threads of deno serve --parallel", async () => {
  await using options = await openFolder();
  const main = join(options.folder, "numbered.ts");
  await Deno.writeTextFile(main, NUMBERED);
  const flags = ["--parallel", ...options.flags];
  const env = { ...options.env, DENO_JOBS: "2" };

  await withServed(main, { ...options, flags, env }, async (origin) => {
    using connections = Deno.createHttpClient({ poolMaxIdlePerHost: 0 }); // each request has its own
    const { get, post } = createClient(origin, connections);
    assertEquals(await statusOf(post("/auth/register", ADA)), 201);
    await bothThreads(get);
    const me = await Promise.all(Array.from({ length: CONNECTIONS }, () => get("/me")));
    assertEquals(new Set(me.map(({ headers }) => headers.get("X-Thread"))).size, 2);
    const users = await Promise.all(me.map((response) => response.text()));
    assertEquals(new Set(users).size, 1);
    assertEquals(JSON.parse(users[0] ?? "").name, ADA.identifier);

    const refused = await Promise.all(
      Array.from({ length: 2 }, () => statusOf(post("/auth/login", WRONG))),
    );
    assertEquals(refused, [401, 401]);
    assertEquals(await statusOf(post("/auth/logout")), 204);
    const after = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => statusOf(get("/me"))),
    );
    assertEquals(after, Array.from({ length: CONNECTIONS }, () => 401));
  });
});
