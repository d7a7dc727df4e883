/**
 * A service with accounts in one file: sign-up, sign-in, guarded routes, validation and a page that documents them.
 *
 * ```sh
 * deno serve --host 127.0.0.1 examples/hello/main.ts   # http://127.0.0.1:8000, without further permissions
 * ```
 *
 * @module
 */

import {
  generateOpenAPI,
  generateSecret,
  getSession,
  inMemoryAuthStores,
  json,
  registerAuth,
  routerBuilder,
} from "@gatehouse/http";
import { docsPage } from "@gatehouse/http/docs";
import "swagger-ui-dist/package.json" with { type: "json" }; // so that Deno downloads what docsPage() reads
import { z } from "zod";

const Task = z.object({ title: z.string().min(1).max(100), done: z.boolean().default(false) })
  .meta({ id: "Task" });

/** Tasks by the subject id of their owner. Like the accounts, they are lost when the process ends. */
const tasks = new Map<string, z.infer<typeof Task>[]>();

const runtime = registerAuth({
  secret: generateSecret(), // in production: one fixed value from the environment
  stores: inMemoryAuthStores(), // in production: a database, see docs/stores.md
  deployment: "direct", // behind a proxy: { proxies: ["10.0.0.0/8"] }
});

const info = { title: "Hello", version: "1.0.0" };
const document = () => generateOpenAPI(info, router);

const router = routerBuilder()
  // Adds POST /auth/register, POST /auth/login, … and guards what follows; "closed" omits /auth/register
  .withAuth(runtime.integration({ routes: { registration: "open" } }))
  .build();

router
  .get("/", () => json({ hello: "world" }), { auth: false })
  .get("/me", (req) => json({ sub: req.principal.sub, name: getSession(req)?.user.identifier }))
  .get("/tasks", (req) => json(tasks.get(req.principal.sub) ?? []), {
    schema: { response: z.array(Task) },
  })
  .post("/tasks", (req) => {
    const { sub } = req.principal;
    tasks.set(sub, [...tasks.get(sub) ?? [], req.content]);
    return json(req.content, { status: 201 });
  }, { schema: { body: Task, response: Task } })
  .mount("/docs", docsPage({ document, csrf: "/auth/csrf" }), { auth: false });

export default router as Deno.ServeDefaultExport; // for `deno serve`
