/**
 * What has to hold on every runtime. Nothing here may import from Deno or Node: it is bundled once,
 * and the same bundle runs everywhere.
 *
 * @module
 */

import { allDecoratorCases, observeMode } from "../router/_decorator_cases.ts";
import { accountCases } from "./account_cases.ts";
import { authCases } from "./auth_cases.ts";
import { authFlowCases } from "./auth_flow_cases.ts";
import { clientCases } from "./client_cases.ts";
import { dailyCases } from "./daily_cases.ts";
import { encryptedKeyCases } from "./encrypted_key_cases.ts";
import { factorCases } from "./factor_cases.ts";
import { graphqlCases } from "./graphql_cases.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";
import { oauthCases } from "./oauth_cases.ts";
import { openApiCases } from "./openapi_cases.ts";
import { passkeyCases } from "./passkey_cases.ts";
import { passkeyFlowCases } from "./passkey_flow_cases.ts";
import { routerCases } from "./router_cases.ts";
import { serverCases } from "./server_cases.ts";
import { serverFlowCases } from "./server_flow_cases.ts";
import { staticCases } from "./static_cases.ts";
import { storeCases } from "./store_cases.ts";
import { tokenCases } from "./token_cases.ts";
import { tokenFlowCases } from "./token_flow_cases.ts";
import { tokenKeyCases } from "./token_key_cases.ts";
import { validatorCases } from "./validator_cases.ts";

/** Every case with standard decorators, in the order in which they run. */
export const cases: readonly RuntimeCase[] = [
  {
    name: "Request and Response carry JSON",
    async run() {
      const request = new Request("https://example.com/a?b=c", { method: "POST", body: "[1]" });
      const response = Response.json(await request.json(), { status: 201 });
      assertSame([response.status, await response.json()], [201, [1]]);
    },
  },
  {
    name: "Web Crypto hashes",
    async run() {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"));
      assertSame([...new Uint8Array(digest)].slice(0, 4), [0xba, 0x78, 0x16, 0xbf]);
    },
  },
  ...routerCases,
  ...openApiCases,
  ...validatorCases,
  ...dailyCases,
  ...clientCases,
  ...staticCases,
  ...authCases,
  ...authFlowCases,
  ...accountCases,
  ...tokenCases,
  ...tokenKeyCases,
  ...encryptedKeyCases,
  ...tokenFlowCases,
  ...passkeyCases,
  ...passkeyFlowCases,
  ...factorCases,
  ...oauthCases,
  ...serverCases,
  ...serverFlowCases,
  ...graphqlCases,
  ...storeCases,
  ...decoratorCases("standard"),
];

/** Those that run again with legacy decorators: the router without them is the same. */
export const legacyCases: readonly RuntimeCase[] = decoratorCases("legacy");

function decoratorCases(mode: "standard" | "legacy"): readonly RuntimeCase[] {
  return [
    { name: `decorators: they are ${mode}`, run: () => assertSame(observeMode().mode, mode) },
    ...allDecoratorCases.map(({ name, run }) => ({ name: `decorators: ${name}`, run })),
  ];
}
