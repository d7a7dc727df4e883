import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../../dev/_project.ts";
import { COMPILER } from "../../../openapi/compiler/_program.ts";
import { withTypedProject } from "./_process.ts";

// The program gets past the types of routes, which would say so: the command does not check it.
Deno.test("generate refuses a handler that takes a form on a route that takes JSON", async () => {
  const program = `
import { createRouter, empty, type Multipart, type RequestSpec, type ResponseSpec } from "@gatehouse/http";
const router = createRouter({ info: { title: "t", version: "1" } });
type Upload = RequestSpec<Multipart<{ photo: File }>>;
(router as unknown as { post<S, R>(path: string, handler: () => unknown): void })
  .post<Upload, ResponseSpec<1>>("/stated", () => empty());
router.post("/inferred", (_: { content: FormData }) => empty(), { multipart: false as true });
export { router };
`;
  await withTypedProject({ "app.ts": program }, async ({ generate }) => {
    const { code, stderr } = await generate("--controllers", "app.ts");
    const why = "its handler takes a form, but the route takes JSON; set multipart: true";
    const routes = ["/stated", "/inferred"];
    assertEquals([code, stderr], [
      1,
      `Cannot write the document:\n${routes.map((one) => `  POST ${one}: ${why}\n`).join("")}`,
    ]);
  });
});

Deno.test("generate takes a form without documented fields as one", async () => {
  const program = `
import { createRouter, empty } from "@gatehouse/http";
export const router = createRouter({ info: { title: "t", version: "1" } })
  .post("/up", (req) => empty(req.content.has("a") ? 204 : 205), { multipart: true });
`;
  await withTypedProject({ "app.ts": program }, async ({ generate, document }) => {
    assertEquals((await generate("--controllers", "app.ts")).stderr, "");
    const { post } = { ...(await document()).paths["/up"] };
    assertEquals<unknown>((post as { requestBody?: unknown }).requestBody, {
      content: { "multipart/form-data": { schema: { type: "object" } } },
      required: true,
    });
  });
});

Deno.test("The compiler is the one that the project's configuration pins", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  assertEquals(imports.typescript, COMPILER);
});
