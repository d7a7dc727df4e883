/**
 * A Worker that wrangler has bundled, in Miniflare, which is what `wrangler dev` runs: with a port that is free, and without
 * its questions to Cloudflare.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { createClient, statusOf } from "../flows/_served.ts";
import { withWorker } from "../runtimes/launch.ts";
import type { Ask } from "./_page.ts";
import type { Project } from "./_projects.ts";

/** Where wrangler has databases of `--local`, by their `database_id`. */
const DATABASES = ".wrangler/state/v3/d1";

const ADA = { identifier: "ada@example.org", password: "five quiet herons at dawn" };

/** Runs the Worker of the last `wrangler deploy --dry-run`. One with accounts signs a user in as well. */
export async function runWorker(project: Project, line: string, ask: Ask): Promise<void> {
  const [, main = "app.ts"] = /^npx wrangler dev ?(\S+)?$/.exec(line) ?? [];
  const script = join(project.folder, "dist", main.replace(/\.ts$/, ".js"));
  const [, secret = ""] = /^SECRET=(.*)$/m.exec(await project.read(".dev.vars")) ?? [];
  const outcome = await withWorker(script, async ({ ready }) => {
    const { origin } = await ready;
    await ask(origin);
    if (main === "app.ts") await signIn(origin);
    return [];
  }, {
    bindings: { SECRET: secret },
    d1Databases: { DB: "local" },
    d1Persist: join(project.folder, DATABASES),
  });
  assertEquals("results" in outcome ? outcome.results : outcome, []);
}

async function signIn(origin: string): Promise<void> {
  const { get, post } = createClient(origin);
  assertEquals(await statusOf(post("/auth/register", ADA)), 201);
  assertEquals(await statusOf(get("/me")), 200);
  assertEquals(await statusOf(post("/auth/logout")), 204);
  assertEquals(await statusOf(get("/me")), 401);
  const wrong = { ...ADA, password: "five quiet herons at dusk" };
  assertEquals(await statusOf(post("/auth/login", wrong)), 401);
  assertEquals(await statusOf(post("/auth/login", ADA)), 200);
  assertEquals(await statusOf(get("/me")), 200);
}
