/**
 * Token requests per second on Node: our authorization server and oidc-provider, each behind `node:http` in one process, with the
 * same client, the same algorithm (two signatures by ES256) and the same database. `server.ts` bundles this; packages are passed.
 *
 * @module
 */

import { type AuthStores, authStores, generateJwk, inMemoryAuthStores } from "../auth/mod.ts";
import { handleOAuthServerRequest } from "../auth/server/mod.ts";
import { sqlAdapter } from "../auth/stores/engines/sql.ts";
import {
  benchServer,
  CHALLENGE,
  CLIENT_ID,
  codeForm,
  REDIRECT_URI,
  refreshForm,
  SUB,
  tokenRequest,
} from "./_server_requests.ts";

/** The part of `node:http` that is used here. */
interface NodeHttp {
  createServer(
    handle: (req: NodeRequest, res: NodeResponse) => void,
  ): { listen(port: number, host: string, ready: () => void): void; close(): void };
}

interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface NodeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string>>): void;
  end(body: string): void;
}

/** The part of oidc-provider that is used here. */
interface Provider {
  readonly Grant: new (init: object) => {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  };
  readonly AuthorizationCode: new (init: object) => { save(): Promise<string> };
  readonly Client: { find(id: string): Promise<object> };
  callback(): (req: NodeRequest, res: NodeResponse) => void;
}

/** The part of postgres.js that is used here. */
interface Sql {
  unsafe(
    text: string,
    params?: readonly unknown[],
    options?: { readonly prepare: boolean },
  ): Promise<readonly Record<string, string>[]>;
}

/** What is compared with, and where. */
export interface Peers {
  readonly http: NodeHttp;
  readonly Provider: new (issuer: string, configuration: object) => Provider;
  /** Connection to PostgreSQL; in memory without it. */
  readonly sql?: Sql | undefined;
  /** Sends token requests, many at once, from another process. */
  readonly send: SendForms;
  readonly rounds: number;
}

/** Requests per second, medians of the rounds, and the median of their ratios. */
export interface Rates {
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
}

/** One side: its codes, its address, and how it is asked. */
interface Side {
  readonly origin: string;
  readonly tokenPath: string;
  issueCode(): Promise<string>;
}

const BATCH = 160;
const RESOURCE = "https://api.example";

/** Compares both in turns. */
export async function compareWithProvider(
  peers: Peers,
): Promise<{ readonly code: Rates; readonly refresh: Rates }> {
  const ours = await startOurs(peers);
  const theirs = await startProvider(peers);
  const code: [number[], number[]] = [[], []];
  const refresh: [number[], number[]] = [[], []];
  for (let round = -2; round < peers.rounds; round++) {
    const sides = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
    for (const side of sides) {
      const codes: string[] = [];
      for (let i = 0; i < BATCH; i++) codes.push(codeForm(await side.issueCode()));
      const first = await timeRequests(peers, side, codes);
      const second = await timeRequests(peers, side, first.tokens.map(refreshForm));
      if (round < 0) continue;
      const index = side === ours ? 0 : 1;
      code[index].push(first.perSecond);
      refresh[index].push(second.perSecond);
    }
  }
  return { code: ratesOf(code), refresh: ratesOf(refresh) };
}

/** Sends requests from another process. */
type SendForms = (
  url: string,
  forms: readonly string[],
) => Promise<{ readonly ms: number; readonly tokens: readonly string[] }>;

async function timeRequests(
  { send }: Peers,
  { origin, tokenPath }: Side,
  forms: readonly string[],
): Promise<{ readonly perSecond: number; readonly tokens: readonly string[] }> {
  const { ms, tokens } = await send(origin + tokenPath, forms);
  return { perSecond: forms.length * 1_000 / ms, tokens };
}

async function startOurs({ http, sql }: Peers): Promise<Side> {
  const { server, issueCode } = await benchServer({ stores: await openStores(sql) });
  const origin = await listen(http, async (req, res) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const text = chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
    const response = await handleOAuthServerRequest(server, tokenRequest(text));
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.end(await response.text());
  });
  return { origin, tokenPath: "/oauth/token", issueCode };
}

async function openStores(sql: Sql | undefined): Promise<AuthStores> {
  if (sql === undefined) return inMemoryAuthStores();
  const adapter = sqlAdapter({
    dialect: "postgres",
    query: (text, params) => sql.unsafe(text, params, { prepare: true }),
  });
  await adapter.migrate();
  return authStores(adapter);
}

async function startProvider({ http, Provider, sql }: Peers): Promise<Side> {
  if (sql !== undefined) await sql.unsafe(PEER_TABLE);
  const key = { ...await generateJwk("ES256"), use: "sig", alg: "ES256" };
  const provider = new Provider("http://127.0.0.1:9", {
    adapter: sql === undefined ? memoryAdapter() : sqlAdapterOf(sql),
    jwks: { keys: [key] },
    clients: [{
      client_id: CLIENT_ID,
      token_endpoint_auth_method: "none",
      redirect_uris: [REDIRECT_URI],
      grant_types: ["authorization_code", "refresh_token"],
      id_token_signed_response_alg: "ES256",
    }],
    scopes: ["openid", "read"],
    cookies: { keys: ["a secret of this benchmark"] },
    pkce: { required: () => true },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 3600,
      IdToken: 600,
      RefreshToken: 86_400,
      Grant: 86_400,
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "read",
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
  const client = await provider.Client.find(CLIENT_ID);
  return {
    origin: await listen(http, provider.callback()),
    tokenPath: "/token",
    async issueCode() {
      const grant = new provider.Grant({ accountId: SUB, clientId: CLIENT_ID });
      grant.addOIDCScope("openid");
      grant.addResourceScope(RESOURCE, "read");
      const grantId = await grant.save();
      return await new provider.AuthorizationCode({
        accountId: SUB,
        client,
        grantId,
        gty: "authorization_code",
        redirectUri: REDIRECT_URI,
        scope: "openid read",
        resource: RESOURCE,
        codeChallenge: CHALLENGE,
        codeChallengeMethod: "S256",
        nonce: "n-0S6_WzA2Mj",
        authTime: Math.floor(Date.now() / 1000) - 10,
        claims: {},
      }).save();
    },
  };
}

/** Records as oidc-provider passes them. */
interface Payload {
  readonly grantId?: string;
  consumed?: number;
}

/** The shortest adapter that is right for one process. */
function memoryAdapter(): unknown {
  const records = new Map<string, Payload>();
  return class {
    readonly name: string;
    constructor(name: string) {
      this.name = name;
    }
    upsert(id: string, payload: Payload) {
      records.set(`${this.name}:${id}`, payload);
      return Promise.resolve();
    }
    find(id: string) {
      return Promise.resolve(records.get(`${this.name}:${id}`));
    }
    findByUid() {
      return Promise.resolve(undefined);
    }
    consume(id: string) {
      const found = records.get(`${this.name}:${id}`);
      if (found !== undefined) found.consumed = Math.floor(Date.now() / 1000);
      return Promise.resolve();
    }
    destroy(id: string) {
      records.delete(`${this.name}:${id}`);
      return Promise.resolve();
    }
    revokeByGrantId() {
      return Promise.resolve();
    }
  };
}

const PEER_TABLE = `CREATE TABLE IF NOT EXISTS gatehouse_bench_peer (
  id text PRIMARY KEY, payload text NOT NULL, grant_id text, consumed bigint)`;

/** The same in a table, one statement for each call, as its documentation shows. */
function sqlAdapterOf(sql: Sql): unknown {
  const query = (text: string, params: readonly unknown[]) =>
    sql.unsafe(text, params, { prepare: true });
  return class {
    readonly name: string;
    constructor(name: string) {
      this.name = name;
    }
    async upsert(id: string, payload: Payload) {
      await query(
        `INSERT INTO gatehouse_bench_peer (id, payload, grant_id) VALUES ($1, $2, $3)
         ON CONFLICT (id) DO UPDATE SET payload = $2, grant_id = $3`,
        [`${this.name}:${id}`, JSON.stringify(payload), payload.grantId ?? null],
      );
    }
    async find(id: string) {
      const text = "SELECT payload, consumed FROM gatehouse_bench_peer WHERE id = $1";
      const [row] = await query(text, [`${this.name}:${id}`]);
      if (row === undefined) return undefined;
      const { payload = "{}", consumed } = row;
      return {
        ...JSON.parse(payload),
        ...(consumed === null ? {} : { consumed: Number(consumed) }),
      };
    }
    findByUid() {
      return Promise.resolve(undefined);
    }
    async consume(id: string) {
      const text = "UPDATE gatehouse_bench_peer SET consumed = $2 WHERE id = $1";
      await query(text, [`${this.name}:${id}`, Math.floor(Date.now() / 1000)]);
    }
    async destroy(id: string) {
      await query("DELETE FROM gatehouse_bench_peer WHERE id = $1", [`${this.name}:${id}`]);
    }
    async revokeByGrantId(grantId: string) {
      await query("DELETE FROM gatehouse_bench_peer WHERE grant_id = $1", [grantId]);
    }
  };
}

function listen(
  http: NodeHttp,
  handle: (req: NodeRequest, res: NodeResponse) => void,
): Promise<string> {
  const server = http.createServer(handle);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = (server as unknown as { address(): { port: number } }).address();
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

function ratesOf([ours, peer]: readonly [number[], number[]]): Rates {
  return {
    ours: median(ours),
    peer: median(peer),
    ratio: median(ours.map((rate, i) => rate / (peer[i] ?? NaN))),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
