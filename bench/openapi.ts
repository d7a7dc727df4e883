/**
 * What controllers cost a request, and what a document of many routes costs. `deno task bench:openapi`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import {
  Controller,
  createContainer,
  createRouter,
  generateOpenAPI,
  Get,
  json,
  routerBuilder,
} from "@gatehouse/http";
import { z } from "zod";
import { median } from "./_measure.ts";
import { kibibytes, table } from "./_table.ts";

const ROUNDS = 60;
const REQUESTS = 20_000;
const SIZES: readonly number[] = [200, 400, 2_000];

@Controller("/shared")
class Shared {
  @Get()
  answer(): Response {
    return json(1);
  }
}

@Controller("/fresh", { singleton: false })
class Fresh {
  @Get()
  answer(): Response {
    return json(1);
  }
}

/** Medians of rounds that take turns, in nanoseconds per request. */
async function measureControllers(): Promise<string[][]> {
  const router = routerBuilder({ container: createContainer() })
    .controllers(Shared, Fresh)
    .build()
    .get("/plain", () => json(1));
  const kinds = [
    ["a function", "/plain"],
    ["a controller", "/shared"],
    ["a controller for each call", "/fresh"],
  ].map(([name = "", path]) => ({
    name,
    request: new Request(`http://localhost${path}`),
    times: new Array<number>(),
  }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { request, times } of kinds) {
      const start = performance.now();
      for (let i = 0; i < REQUESTS; i++) await router.fetch(request);
      times.push((performance.now() - start) * 1e6 / REQUESTS);
    }
  }
  return kinds.map(({ name, times }) => [name, median(times).toFixed(0)]);
}

/** A document of routes that each have a parameter and schemas of their own. */
function measureDocument(size: number): string[] {
  const router = createRouter();
  for (let i = 0; i < size; i++) {
    const item = z.object({ id: z.string(), count: z.int(), tags: z.array(z.string()) })
      .meta({ id: `Item${i}` });
    router.post(`/items${i}/:id`, (req) => json(req.content), {
      schema: { body: item, response: item },
    });
  }
  const start = performance.now();
  const document = generateOpenAPI({ title: "Items", version: "1.0.0" }, router);
  const ms = performance.now() - start;
  return [String(size), ms.toFixed(0), kibibytes(JSON.stringify(document).length)];
}

if (import.meta.main) {
  console.log(table(["a static route of", "ns per request"], await measureControllers()));
  console.log(table(["routes", "ms", "KiB of JSON"], SIZES.map(measureDocument)));
}
