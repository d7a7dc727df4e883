import { assert, assertEquals } from "@std/assert";
import { testVectors } from "../vectors/_vectors.ts";
import { BASE_DOCUMENT } from "./base_document.ts";
import { COMPONENT_MUTANTS } from "./component_mutants.ts";
import { add, all, type Edit, remove } from "./edit.ts";
import { findProblems } from "./openapi_gate.ts";
import { findOwnProblems } from "./own_gate.ts";
import { PATH_MUTANTS } from "./path_mutants.ts";
import type { Gate } from "./problem.ts";
import { findSchemaProblems } from "./schema_gate.ts";

const MUTANTS = [...PATH_MUTANTS, ...COMPONENT_MUTANTS];

/** Other than `structuredClone()`, it makes two objects of one that stands in two places. */
function mutate(edit: Edit): unknown {
  const document: unknown = JSON.parse(JSON.stringify(BASE_DOCUMENT));
  edit(document);
  return document;
}

Deno.test("findProblems() has nothing against a good document", async () => {
  assertEquals(await findProblems(BASE_DOCUMENT), []);
});

Deno.test("findProblems() says in one line which gate, which rule, where and what", async () => {
  const document = mutate(all(
    remove(["info", "version"]),
    remove(["paths", "/notes/{id}", "get", "responses"]),
  ));
  assertEquals(await findProblems(document), [
    "redocly struct at #/info: The field `version` must be present on this level.",
    "schema required at #/info: fails https://spec.openapis.org/oas/3.1/schema#/$defs/info/required",
    "own operation-response at #/paths/~1notes~1{id}/get: has no response that is a 2xx or 3xx",
  ]);
});

Deno.test("findProblems() does not see what JSON leaves out", async () => {
  const document = mutate(add(["info", "description"], undefined));
  assertEquals(await findProblems(document), []);
});

for (const [why, caughtBy, edit] of MUTANTS) {
  Deno.test(`findProblems() finds that ${why}`, async () => {
    const lines = await findProblems(mutate(edit));
    const rules = new Set(lines.map((line) => line.slice(0, line.indexOf(" at #"))));
    assertEquals([...rules].join(", "), caughtBy, lines.join("\n"));
  });
}

Deno.test("Every gate catches mutants, and mutants that no other gate catches", () => {
  const gatesOf = MUTANTS.map(([, caughtBy]) => new Set(caughtBy.split(", ").map(gateOf)));
  const describe = (name: string, gate: Gate) => {
    const caught = gatesOf.filter((gates) => gates.has(gate));
    const alone = caught.filter((gates) => gates.size === 1);
    assert(alone.length > 0, gate);
    return `${name} ${caught.length} (${alone.length} alone)`;
  };
  const counts = [
    describe("Redocly caught", "redocly"),
    describe("schema", "schema"),
    describe("own", "own"),
  ];
  // deno-lint-ignore no-console -- what each gate is good for is part of the result
  console.log(`gates: ${MUTANTS.length} mutants, ${counts.join(", ")}`);
});

function gateOf(rule: string): string {
  return rule.slice(0, rule.indexOf(" "));
}

interface DocumentCase {
  readonly id: string;
  readonly document: unknown;
  readonly schema: "valid" | "invalid";
  readonly schemaBase: "valid" | "invalid";
}

const VECTORS = "openapi/documents.json";

testVectors<DocumentCase>({
  file: VECTORS,
  /**
   * The vectors were made with the schemas of 2025-11-23. The npm package has an edition without a date that is older: what
   * it lets pass has to be caught by our own gate.
   */
  async run({ id, document, schema, schemaBase }) {
    const editions = [["schema", schema], ["schema-base", schemaBase]] as const;
    for (const [edition, expected] of editions) {
      const isValid = (await findSchemaProblems(document, edition)).length === 0;
      const isMissed = isValid && expected === "invalid";
      if (isMissed) assert(findOwnProblems(document).length > 0, `${id} ${edition}`);
      else assertEquals(isValid ? "valid" : "invalid", expected, `${id} ${edition}`);
    }
  },
});
