/** The documentation page under its Content-Security-Policy, and what people try out in it. */

import {
  createContainer,
  generateOpenAPI,
  generateSecret,
  inMemoryAuthStores,
  json,
  registerAuth,
  routerBuilder,
} from "@gatehouse/http";
import { docsPage } from "@gatehouse/http/docs";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { openPage } from "./_notes.ts";
import type { Page } from "./_playwright.ts";
import { windowTest } from "./_windows.ts";

const info = { title: "Tasks", version: "1.0.0" };

/** An API whose every guarded request needs a CSRF token. */
function tasks(): { readonly fetch: Deno.ServeHandler } {
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    deployment: "direct",
    csrf: "token",
    container: createContainer(),
  });
  const router = routerBuilder<[info?: Deno.ServeHandlerInfo]>()
    .withAuth(runtime.integration({ routes: { registration: "open" } }))
    .build()
    .get("/tasks/:id", (req) => json(req.params.id), { openapi: { summary: "Read a task" } })
    .post("/tasks", (req) => json({ by: req.principal.sub }, { status: 201 }), {
      schema: { body: z.object({}) },
    })
    .get("/", () => json("root"));
  const document = () => generateOpenAPI(info, router);
  router.mount("/docs", docsPage({ document, csrf: "/auth/csrf" }), { auth: false });
  return { fetch: async (request, info) => await router.fetch(request, info) };
}

/** Tries out an operation, with a body if it is given, and gives the status of the answer. */
async function tryOut(page: Page, id: string, body?: string): Promise<string> {
  const operation = page.locator(`#operations-${id}`);
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".try-out__btn").click();
  if (body !== undefined) await operation.locator(".body-param__text").fill(body);
  await operation.locator(".execute").click();
  return (await operation.locator(".live-responses-table .response .response-col_status")
    .innerText()).trim();
}

windowTest(
  "docsPage() shows tags and summaries, and sends what is tried out with a CSRF token",
  async (useWindows) => {
    const stop = new AbortController();
    const server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      signal: stop.signal,
      onListen() {},
    }, tasks().fetch);
    try {
      await useWindows(async (open) => {
        const page = await openPage(await open(), `http://localhost:${server.addr.port}/docs`);
        await page.locator("#operations-tasks-post_tasks").waitFor();
        assertEquals(await page.evaluate("document.title"), "Tasks");
        assertEquals(
          await page.evaluate(
            "[...document.querySelectorAll('.opblock-tag')].map(({ dataset }) => dataset.tag)",
          ),
          ["tasks", "Authentication", "default"],
        );
        const summaries = await page.evaluate<string[]>(
          "[...document.querySelectorAll('.opblock-summary-description')].map(({ textContent }) => textContent)",
        );
        assertEquals(summaries.includes("Read a task"), true);
        assertEquals(summaries.filter((text) => /^(?:GET|POST) /.test(text)), []); // the row has these already
        assertEquals(await page.locator(".info .link").getAttribute("href"), "/docs/openapi.json");

        const credentials = {
          identifier: "ada@example.org",
          password: "five quiet herons at dawn",
        };
        const register = JSON.stringify(credentials);
        assertEquals(await tryOut(page, "Authentication-post_auth_register", register), "201");
        assertEquals(await tryOut(page, "tasks-post_tasks", "{}"), "201");
      });
    } finally {
      stop.abort();
      await server.finished;
    }
  },
);
