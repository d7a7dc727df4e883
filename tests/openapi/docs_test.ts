import { assertEquals, assertExists } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { withProject } from "./_cli.ts";

Deno.test("docs/openapi.md prints the schema of the types that it shows", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/openapi.md"));
  const [, program] = /^```ts\n(\/\/ src\/pets\.ts\n[\s\S]*?)^```$/m.exec(page) ?? [];
  const [, schema] = /^```json\n(\{\n {2}"type": "object"[\s\S]*?)^```$/m.exec(page) ?? [];
  assertExists(program);
  assertExists(schema);
  await withProject({ "src/pets.ts": program }, async ({ generate, document }) => {
    const { code, stderr } = await generate("--controllers", "src/pets.ts");
    assertEquals([code, stderr], [0, ""]);
    const { paths, components } = await document();
    const { schemas } = components as { schemas?: Record<string, unknown> };
    const { post, get } = { ...paths["/pets"], ...paths["/pets/{chip}"] };
    assertEquals([post, get].map((one) => Object.keys(one?.responses ?? {})[0]), ["201", "200"]);
    assertEquals(Object.keys(schemas ?? {}), ["NewPet", "Pet", "ProblemDetails"]);
    assertEquals(schemas?.Pet, JSON.parse(schema));
  });
});
