import { SHARED_CASES } from "../flows/_notes_processes.ts";
import { engineTest } from "./_engines.ts";

for (const { name, run } of SHARED_CASES) {
  engineTest(
    "postgres",
    name,
    (DATABASE_URL) => run({ kept: /^PostgreSQL$/, env: { DATABASE_URL } }),
  );
  engineTest("redis", name, (REDIS_URL) => run({ kept: /^Redis$/, env: { REDIS_URL } }));
}
