import type { TypedRouter } from "@gatehouse/http";
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { withModule } from "../../../openapi/compiler/_route_validators.ts";
import { withProject } from "../_cli.ts";
import { withTypedProject } from "../compiler/_process.ts";
import { jsonRequest } from "../../router/_helpers.ts";

const APP = `import {
  createRouter, Get, type Json, json, type Multipart, type PathParams, Post, type QueryParams,
  type RequestSpec, routerBuilder, Controller, createContainer, type TypedRequest, type TypedResponse, type StandardSchemaV1,
} from "@gatehouse/http";
import { validators } from "./validators.ts";

interface Order {
  readonly item: string;
  /** @type integer @minimum 1 */
  readonly count: number;
  readonly note?: string | null;
}
interface Search { readonly q?: string; readonly limit?: number; readonly tag?: readonly string[] }
/** @format uuid */
type Id = string;

@Controller("/stock")
class StockController {
  @Get("/:id")
  find(req: TypedRequest<RequestSpec<PathParams<{ id: Id }>>>): TypedResponse<string> {
    return json(req.params.id);
  }
  @Post()
  add(req: TypedRequest<RequestSpec<Json<Order[]>>>): TypedResponse<number> {
    return json(req.content.length);
  }
}

const own: StandardSchemaV1<Order, Order> = {
  "~standard": { version: 1, vendor: "own", validate: (value) => ({ value: value as Order }) },
};

const inner = createRouter()
  .post<RequestSpec<Json<{ readonly a: string }>>>("/", (req) => json(req.content.a));

export const router = routerBuilder({ validators, info: { title: "Shop", version: "1" }, container: createContainer() })
  .prefix("/v1").controllers(StockController).build()
  .post<RequestSpec<Json<Order>>>("/orders", (req) => json(req.content.item.trim()))
  .get<RequestSpec<QueryParams<Search>>>("/orders", (req) => json(req.query))
  .put<RequestSpec<Json<Order>>>("/orders", (req) => json(req.content.item), { schema: { body: own } })
  .get("/orders/:id", (req) => json(req.params.id))
  .post<RequestSpec<Multipart<{ file: File }>>>("/files", () => json(1), { multipart: true })
  .post<RequestSpec<Json<Order>>>("/hidden", () => json(1), { openapi: false })
  .mount("/mounted", inner);
`;

const GENERATE = ["--controllers", "app.ts", "--validators", "validators.ts"];
const SUMMARY = "validators.ts (validators of 6 routes)";

Deno.test("generate --validators writes a module that the application imports", async () => {
  await withTypedProject({ "app.ts": APP }, async ({ generate, read, write }) => {
    const checked = await generate(...GENERATE, "--check");
    assertEquals([checked.code, checked.stdout], [1, ""]);
    assertStringIncludes(checked.stderr, "Out of date: validators.ts (missing); run");

    const first = await generate(...GENERATE);
    assertEquals([first.code, first.stderr], [0, ""]);
    assertStringIncludes(first.stdout, `Wrote ${SUMMARY}\n`);
    const text = await read("validators.ts");
    assertEquals([...text.matchAll(/^ {2}"([A-Z]+ \S+)": \{/gm)].map(([, key]) => key), [
      "GET /v1/stock/:id",
      "POST /v1/stock",
      "POST /v1/orders",
      "GET /v1/orders",
      "POST /v1/hidden",
      "POST /v1/mounted",
    ]);
    assertEquals(text.includes("import"), false, "it needs nothing");

    await write("validators.ts", text.replace("at least 1", "at least 2"));
    const stale = await generate(...GENERATE, "--check");
    assertEquals(stale.code, 1);
    assertEquals(stale.stderr, `Out of date: ${SUMMARY}; run the command without --check\n`);
    assertStringIncludes(stale.stdout, "Up to date: openapi.json");
    await write("validators.ts", text);

    const { router }: { router: TypedRouter } = await import(
      dataUrl(APP.replace("./validators.ts", dataUrl(text)))
    );
    for (const [method, path, body, expected] of ANSWERS) {
      const response = await router.fetch(
        body === undefined
          ? new Request(`http://localhost${path}`, { method })
          : jsonRequest(path, JSON.stringify(body), { method }),
      );
      const answer = await response.json();
      assertEquals([response.status, response.ok ? answer : answer.violations], expected, path);
    }
  });
});

function dataUrl(text: string): string {
  return `data:application/typescript,${encodeURIComponent(text)}`;
}

/** A request, and the status and the body or the violations of its response. */
const ANSWERS:
  readonly (readonly [method: string, path: string, body: unknown, answer: unknown])[] = [
    ["POST", "/v1/orders", { item: " tea ", count: 2, other: 1 }, [200, "tea"]],
    ["POST", "/v1/orders", { item: 1, count: 0.5 }, [422, [
      { in: "body", pointer: "/item", message: "must be a string" },
      { in: "body", pointer: "/count", message: "must be an integer" },
    ]]],
    ["POST", "/v1/stock", [{ item: "", count: 1 }, { item: "" }], [422, [
      { in: "body", pointer: "/1/count", message: "is required" },
    ]]],
    ["GET", "/v1/orders?limit=10&tag=a", undefined, [200, { limit: 10, tag: ["a"] }]],
    ["GET", "/v1/orders?limit=ten&q=a&q=b", undefined, [422, [
      { in: "query", pointer: "/q", message: "must be a string" },
      { in: "query", pointer: "/limit", message: "must be a number" },
    ]]],
    ["GET", "/v1/stock/7", undefined, [422, [
      { in: "params", pointer: "/id", message: "must be a UUID of RFC 9562" },
    ]]],
    ["POST", "/v1/hidden", [], [422, [{ in: "body", pointer: "", message: "must be an object" }]]],
    ["POST", "/v1/mounted", {}, [422, [{ in: "body", pointer: "/a", message: "is required" }]]],
    ["PUT", "/v1/orders", { item: 1 }, [200, 1]],
  ];

Deno.test("an application is imported with a module without validators where there is none, which is then removed", async () => {
  await withProject({ "old.ts": "old" }, async ({ folder, files }) => {
    const seen = await withModule(join(folder, "new.ts"), files);
    assertStringIncludes(seen["new.ts"] ?? "", "export const validators");
    assertEquals(await withModule(join(folder, "old.ts"), files), { "old.ts": "old" });
    await assertRejects(() =>
      withModule(join(folder, "new.ts"), () => Promise.reject(new Error()))
    );
    assertEquals(await files(), { "old.ts": "old" });
  });
});

const HEAD =
  `import { createRouter, type Json, json, type QueryParams, type RequestSpec } from "@gatehouse/http";
import { validators } from "./validators.ts";
export const router = createRouter({ validators, info: { title: "Wrong", version: "1" } })`;

const FAILURES:
  readonly (readonly [why: string, app: string, told: RegExp, args?: readonly string[]])[] = [
    [
      "types that a request cannot have, those of routes that are not documented included",
      `${HEAD}.post<RequestSpec<Json<{ a: Map<string, string> }>>>("/map", () => json(1), { openapi: false })
  .get<RequestSpec<QueryParams<{ where: { a: string } }>>>("/object", () => json(1))
  .get<RequestSpec<QueryParams<{ pair: [string, string] }>>>("/tuple", () => json(1))
  .get<RequestSpec<QueryParams<{ table: string[][] }>>>("/lists", () => json(1))
  .post<RequestSpec<Json<{ a: string }>>>("/twice", () => json(1))
  .post<RequestSpec<Json<{ b: string }>>>("/twice", () => json(1), { openapi: false });`,
      new RegExp(
        "^Cannot write validators:\\n" +
          "  POST /map: app\\.ts:\\d+:\\d+: req\\.content\\.a is of the type Map, .*\\n" +
          "  GET /object: where is an object, which a query cannot have; .*\\n" +
          "  GET /tuple: pair is a tuple, which a query cannot have; .*\\n" +
          "  GET /lists: table is an array of arrays, which a query cannot have\\n" +
          "  POST /twice: another route has the same method and path; .*\\n$",
      ),
    ],
    [
      "no router",
      `import { validators } from "./validators.ts"; console.assert(validators);
import { Controller, Get, json } from "@gatehouse/http";
@Controller("/a") export class A { @Get() a() { return json(1); } }`,
      /no router is exported/,
      ["--title", "A", "--api-version", "1"],
    ],
    ["--no-types", `${HEAD};`, /validators need types; omit --no-types/, ["--no-types"]],
    ["the document's file", `${HEAD};`, /validators\.ts: it is the file of validators/, [
      "--output",
      "validators.ts",
    ]],
  ];

for (const [why, app, told, args = []] of FAILURES) {
  Deno.test(`generate --validators fails, and leaves no file, for ${why}`, async () => {
    await withTypedProject({ "app.ts": app }, async ({ generate, files }) => {
      const { code, stdout, stderr } = await generate(...GENERATE, ...args);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr.replace(/^Note: .*\n/gm, ""), told);
      assertEquals(Object.keys(await files()), ["app.ts"]);
    });
  });
}
