/**
 * What grants cost as they become more: statements and times of a refresh, a revocation and a list, with 10³ to 10⁶ grants of
 * other users beside those of one. For `server.ts`.
 *
 * @module
 */

import { handleOAuthServerRequest } from "../auth/server/mod.ts";
import type { AuthStores } from "../auth/mod.ts";
import { median } from "./_measure.ts";
import {
  benchServer,
  CLIENT_ID,
  codeForm,
  ISSUER,
  refreshForm,
  SUB,
  tokenRequest,
} from "./_server_requests.ts";
import type { StoreEngine } from "./_store_types.ts";

/** What was measured with so many grants: statements, and median milliseconds. */
export interface GrantCosts {
  readonly grants: number;
  readonly refresh: Cost;
  readonly revoke: Cost;
  readonly list: Cost;
}

/** Of one operation. */
export interface Cost {
  readonly statements: number;
  readonly ms: number;
}

const COUNTS = [1_000, 10_000, 100_000, 1_000_000];

/** Grants of the user whose operations are timed. */
const OWN = 10;

const TIMES = 200;
const AT_ONCE = 64;

/** Measures on one engine, to at most so many grants. */
export async function measureGrants(
  engine: StoreEngine,
  { most, now }: { readonly most: number; readonly now: () => number },
): Promise<readonly GrantCosts[]> {
  let statements = 0;
  const stores = engine.stores(() => statements++);
  const { server, issueCode } = await benchServer({ stores, now });

  async function tokensOf(form: string): Promise<string> {
    const response = await handleOAuthServerRequest(server, tokenRequest(form));
    const { refresh_token, error } = await response.json();
    if (refresh_token === undefined) throw new Error(`Cannot measure: ${error}`);
    return refresh_token;
  }

  async function cost(times: number, work: () => Promise<unknown>): Promise<Cost> {
    const ms: number[] = [];
    let counted = 0;
    for (let i = 0; i < times; i++) {
      const before = statements;
      const from = performance.now();
      await work();
      ms.push(performance.now() - from);
      counted = statements - before;
    }
    return { statements: counted, ms: median(ms) };
  }

  let [existing, token] = [0, ""];
  for (let i = 0; i < OWN; i++) token = await tokensOf(codeForm(await issueCode()));
  const results: GrantCosts[] = [];
  for (const grants of COUNTS.filter((count) => count <= most)) {
    await addGrants(stores, { from: existing, to: grants, now });
    existing = grants;
    const refresh = await cost(TIMES, async () => {
      token = await tokensOf(refreshForm(token));
    });
    const list = await cost(TIMES, () => server.listGrants(SUB));
    const spare: string[] = [];
    for (let i = 0; i < TIMES; i++) spare.push(await tokensOf(codeForm(await issueCode())));
    const revoke = await cost(TIMES, async () => {
      const body = new URLSearchParams({ client_id: CLIENT_ID, token: spare.pop() ?? "" });
      const request = new Request(`${ISSUER}/oauth/revoke`, { method: "POST", body });
      await (await handleOAuthServerRequest(server, request)).body?.cancel();
    });
    results.push({ grants, refresh, revoke, list });
  }
  return results;
}

/** Adds grants of other users, one each. */
async function addGrants(
  { refreshTokens }: AuthStores,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: () => number },
): Promise<void> {
  const at = now();
  for (let first = from; first < to; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, to - first);
    await Promise.all(Array.from({ length: count }, (_, i) =>
      refreshTokens.create({
        id: `other-grant-${first + i}`,
        sub: `other-${first + i}`,
        securityStamp: "s1",
        currentHash: "x".repeat(43),
        generation: 0,
        revoked: false,
        createdAt: at,
        expiresAt: at + 1_209_600,
        familyExpiresAt: at + 2_592_000,
        authTime: at,
        amr: ["pwd"],
        scope: ["openid"],
        data: { issuer: ISSUER, clientId: CLIENT_ID },
      })));
  }
}
