import { assertEquals } from "@std/assert";
import { DOCUMENTS } from "../openapi/_documents.ts";
import { findProblems } from "./openapi_gate.ts";

for (const [name, document] of DOCUMENTS) {
  Deno.test(`The generated document of ${name} passes all gates`, async () => {
    assertEquals(await findProblems(document()), []);
  });
}
