/**
 * Prints all documents in the reverse order, after many other schemas were made. What libraries count up differs here.
 *
 * @module
 */

import { z } from "zod";
import { DOCUMENTS } from "./_documents.ts";
import { answer, documentOf } from "./_helpers.ts";

for (let i = 0; i < 500; i++) {
  const Other: z.ZodType = z.object({
    get other() {
      return z.array(Other);
    },
  });
  documentOf((router) => router.post("/a", answer, { schema: { body: Other } }));
}

const texts = DOCUMENTS.toReversed().map(([name, document]) => [name, JSON.stringify(document())]);
// deno-lint-ignore no-console -- what it prints is what it is for
console.log(JSON.stringify(Object.fromEntries(texts)));
