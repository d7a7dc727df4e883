/**
 * A service whose requests are authorized by a policy agent:
 *
 * ```sh
 * deno run --allow-net examples/policy_agent/main.ts
 * ```
 *
 * It starts a stand-in for the agent too, unless an argument is the address of the rule in a real one:
 * `http://127.0.0.1:8181/v1/data/notes/allow`. Without an agent every request is denied.
 *
 * Deno 2.9 warns once that the signal of a request was read, which cancels a query when its client disconnects; with
 * `--unstable-no-legacy-abort` it does not.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import {
  authenticated,
  authFailed,
  type AuthStrategy,
  createContainer,
  createPrincipal,
  empty,
  generateSecret,
  HttpError,
  inMemoryAuthStores,
  json,
  noCredential,
  registerAuth,
  routerBuilder,
} from "@gatehouse/http";
import { serveStandInAgent } from "./agent.ts";
import { policyAgentManager } from "./policy_agent.ts";

/** Users by key, for demonstration. A service stores the digests of keys. */
const OWNERS: ReadonlyMap<string, string> = new Map([["key-of-ada", "ada"], ["key-of-bob", "bob"]]);

const demoKeys: AuthStrategy = {
  name: "demo-keys",
  scheme: { type: "header", name: "X-Api-Key" },
  authenticate({ request }) {
    const key = request.headers.get("X-Api-Key");
    if (key === null) return noCredential();
    const sub = OWNERS.get(key);
    if (sub === undefined) return authFailed("invalid_api_key", "API key is unknown");
    return authenticated(createPrincipal({ sub, method: "api-key" }));
  },
};

function createService(agentUrl: string): (request: Request) => Response | Promise<Response> {
  const container = createContainer();
  const runtime = registerAuth({
    container,
    secret: generateSecret(), // a real one outlives the process
    stores: inMemoryAuthStores(),
    strategies: [demoKeys],
    authorization: policyAgentManager({ url: agentUrl }),
    events(event) {
      if (event.type === "authz.denied") console.log(`denied: ${event.reason}`);
    },
  });
  const notes = new Map([["1", "Milk"]]);
  return routerBuilder({ container })
    .withAuth(runtime.integration({ routes: false }))
    .build()
    .get("/notes", (req) => json({ notes: [...notes.values()], for: req.principal.sub }), {
      authorization: { metadata: { action: "read", resource: "note" } },
    })
    .delete("/notes/:id", (req) => {
      if (!notes.delete(req.params.id)) throw new HttpError(404, "not_found");
      return empty(204);
    }, { authorization: { metadata: { action: "delete", resource: "note" } } })
    .fetch;
}

function printUsage({ port }: Deno.NetAddr): void {
  const notes = `http://localhost:${port}/notes`;
  console.log(`Notes are served at ${notes} (Ctrl-C stops). Try:
  curl -i ${notes}                                        # 401: anonymous
  curl -i -H 'X-Api-Key: key-of-bob' ${notes}             # 200: all may read
  curl -i -H 'X-Api-Key: key-of-bob' -X DELETE ${notes}/1 # 403: the reason is printed here, not sent
  curl -i -H 'X-Api-Key: key-of-ada' -X DELETE ${notes}/1 # 204`);
}

if (import.meta.main) {
  Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: printUsage },
    createService(Deno.args[0] ?? serveStandInAgent()),
  );
}
