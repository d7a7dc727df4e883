/**
 * The gates that every document of the generator has to pass. Each sees what the others do not:
 * Redocly knows good documents, the JSON Schema of OpenAPI 3.1 knows every field and keyword, and
 * our own assertions know how routes are turned into paths.
 *
 * @module
 */

import { findOwnProblems } from "./own_gate.ts";
import { formatProblem } from "./problem.ts";
import { findRedoclyProblems } from "./redocly_gate.ts";
import { findSchemaProblems } from "./schema_gate.ts";

/**
 * Sends a document through all gates, without network or files.
 *
 * @param document What becomes the document once it is written as JSON.
 * @returns One line for each problem: the gate, its rule, and where.
 */
export async function findProblems(document: unknown): Promise<readonly string[]> {
  const text = JSON.stringify(document); // Readers get text: what JSON cannot say is not there
  const problems = [
    await findRedoclyProblems(text),
    await findSchemaProblems(JSON.parse(text)),
    findOwnProblems(JSON.parse(text)),
  ];
  return problems.flat().map(formatProblem);
}
