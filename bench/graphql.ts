/**
 * What guards of a GraphQL schema cost: `deno task bench:graphql`. Queries of 1,000 and 15,000 fields beside the same schema
 * without guards, graphql-shield and Pothos' plugin, on Deno, Node and Bun; and memory.
 *
 * `--rounds=41` is the default.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import * as graphql from "graphql";
import { type GraphqlTime, measureGraphqlMemory } from "./_graphql_contests.ts";
import { runEverywhere } from "./_runtime_script.ts";
import { numberOption, table } from "./_table.ts";

const ROUNDS = numberOption("rounds", 41);

/** Most that a query of 1,000 fields takes with `Authenticated`, as a multiple of the unprotected one. */
const TARGET = 1.15;

/** graphql-shield works with GraphQL.js 16 alone. */
const PACKAGES = {
  "graphql": "16.15.0",
  "graphql-shield": "7.6.5",
  "graphql-middleware": "6.1.35",
  "@pothos/core": "4.15.1",
  "@pothos/plugin-scope-auth": "4.2.1",
};

for (const fields of [1_000, 15_000]) {
  const results = await runEverywhere<readonly GraphqlTime[]>({
    module: "bench/_graphql_contests.ts",
    packages: PACKAGES,
    source: (module) =>
      `import * as graphql from "graphql"; 
      import * as middleware from "graphql-middleware"; import * as pothos from "@pothos/core";
      import * as scopeAuth from "@pothos/plugin-scope-auth"; import { compareGraphql } from ${module};
      const shield = await import("graphql-shield").catch(() => undefined);
      const packages = { graphql, shield, middleware, pothos, scopeAuth };
      const options = { fields: ${fields}, rounds: ${ROUNDS} };
      console.log(JSON.stringify(await compareGraphql(packages, options)));`,
  });
  const names = [...new Set(results.flatMap(([, times]) => times.map(({ name }) => name)))];
  console.log(table(
    [`${fields.toLocaleString("en")} fields`, ...results.flatMap(([name]) => [`${name}, µs`, "÷"])],
    names.map((name) => [
      name,
      ...results.flatMap(([, times]) => {
        const time = times.find((one) => one.name === name);
        return time === undefined ? ["", ""] : [time.us.toFixed(0), time.ratio.toFixed(2)];
      }),
    ]),
  ));
  console.log();
}
console.log(`Target of Authenticated: ${TARGET}; Authorize: no slower than graphql-shield`);

const { queries, before, after } = await measureGraphqlMemory(graphql, 100_000);
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
console.log(
  `\n${queries.toLocaleString("en")} queries, each with a context of its own: ${
    mebibytes(before)
  } MiB before, ` +
    `${mebibytes(after)} after`,
);
