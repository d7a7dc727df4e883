import { nodeServerCases } from "../runtimes/node_server_cases.ts";

// On Node itself they run with `deno task test:runtimes`.
for (const { name, run } of nodeServerCases) Deno.test(name, async () => await run());
