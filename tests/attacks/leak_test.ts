/** The catalogue "Routing and content": the content of errors. */

import {
  createRouter,
  json,
  type ResponseHook,
  type RouterOptions,
  type TypedRouter,
  wrap,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { badly, untyped } from "../router/_helpers.ts";
import { rawFetch, withServer } from "./_raw.ts";

const SECRET = "db password=hunter2";

function fail(): never {
  throw new Error(SECRET, { cause: { SECRET } });
}

const SCHEMA = { "~standard": { version: 1, vendor: "x", validate: fail } } as const;

/** [where, router options, routes] Places that throw a secret. */
const THROWN: readonly (readonly [
  where: string,
  options: RouterOptions,
  add: (router: TypedRouter) => unknown,
])[] = [
  ["a handler", {}, (router) => router.all("/", fail)],
  [
    "an asynchronous handler",
    {},
    (router) => router.all("/", () => Promise.reject(new Error(SECRET))),
  ],
  ["before", { before: [fail] }, (router) => router.all("/", () => json(1))],
  ["under", {}, (router) => router.under("/", fail).all("/", () => json(1))],
  ["use", {}, (router) => router.all("/", () => json(1), { use: [fail] })],
  ["a wrapper", { before: [wrap(fail)] }, (router) => router.all("/", () => json(1))],
  ["a wrapper after next()", {
    before: [wrap(async (_req, next) => (await (await next()).body?.cancel(), fail()))],
  }, (router) => router.all("/", () => json(1))],
  ["a guard", {}, (router) => router.withAuth({ guard: fail }).all("/", () => json(1))],
  [
    "an optional guard",
    {},
    (router) =>
      router.withAuth({ guard: () => Promise.reject(new Error(SECRET)) }).all(
        "/",
        () => json(1),
        { auth: { mode: "optional" } },
      ),
  ],
  ["a schema", {}, (router) => router.all("/", () => json(1), { schema: { query: SCHEMA } })],
  ["a mounted application", {}, (router) => router.mount("/", { fetch: fail })],
  [
    "a mounted router",
    {},
    (router) => router.mount("/", createRouter({ onError: () => {} }).all("/", fail)),
  ],
  ["catch", { catch: fail }, (router) => router.all("/", fail)],
  ["finally", { finally: [fail] }, (router) => router.all("/", () => json(1))],
  [
    "finally and catch",
    { catch: fail, finally: [fail, fail] },
    (router) => router.all("/", fail),
  ],
  ["onError", { onError: fail }, (router) => router.all("/", fail)],
  [
    "a thrown string",
    {},
    (router) => router.all("/", () => badly(() => Promise.reject(SECRET))()),
  ],
  [
    "a thrown response",
    {},
    (router) =>
      router.all(
        "/",
        () =>
          badly(() => Promise.reject(new Response(SECRET, { headers: { "X-Secret": SECRET } })))(),
      ),
  ],
  [
    "an error with status and headers",
    {},
    (router) =>
      router.all("/", () =>
        Promise.reject(
          Object.assign(new Error(SECRET), {
            status: 400,
            code: "x",
            headers: { "X-Secret": SECRET },
            problem: { detail: SECRET },
          }),
        )),
  ],
  [
    "an error with a getter that throws",
    {},
    (router) =>
      router.all(
        "/",
        () => Promise.reject(Object.defineProperty(new Error("x"), "message", { get: fail })),
      ),
  ],
  [
    "an aggregate of errors",
    {},
    (router) =>
      router.all("/", () => Promise.reject(new AggregateError([new Error(SECRET)], SECRET))),
  ],
  ["a toJSON() that throws", {}, (router) => router.all("/", () => json({ toJSON: fail }))],
];

for (const [where, options, add] of THROWN) {
  Deno.test(`[leaks in three peers] a secret thrown by ${where} is a 500 problem without it, once`, async () => {
    let answers = 0;
    const count: ResponseHook = () => void answers++;
    const router = createRouter({
      onError: () => {},
      ...options,
      finally: [...options.finally ?? [], count],
    });
    add(router);
    await withServer(router.fetch, async (port) => {
      const response = await rawFetch(port, "/", { headers: ["Content-Length: 0"] });
      assertEquals([response.status, answers], [500, 1]);
      assert(
        !/hunter2|leak_test|Error/.test(
          response.text.replace("Internal Server Error", "").replace("Internal Server Error", ""),
        ),
        response.text,
      );
      assertEquals(
        JSON.parse(response.body),
        untyped({
          type: "about:blank",
          title: "Internal Server Error",
          status: 500,
          code: "internal_error",
        }),
      );
    });
  });
}
