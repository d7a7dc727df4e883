/**
 * What programs do with tokens and API keys, which has to go the same way on every runtime.
 *
 * @module
 */

import { verifyJwt } from "../../mod.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";
import { AUDIENCE, createTokenApp, type TokenApp } from "./token_app.ts";
import { type Account, ADA, createProgram, ISSUER, type Program } from "./token_program.ts";

const START = 1_700_000_000;

interface Bench extends Program, Pick<TokenApp, "runtime" | "apiKeys" | "fetched"> {
  readonly clock: { now: number };
  /** Registers. */
  register(): Promise<Account>;
  refresh(refreshToken: unknown): Promise<Response>;
}

function createBench(): Bench {
  const clock = { now: START };
  const { fetch, ...app } = createTokenApp({ now: () => clock.now });
  const program = createProgram(fetch);
  return {
    ...app,
    ...program,
    clock,
    register: () => program.signIn("/auth/register", ADA),
    refresh: (refreshToken) => program.call("/auth/refresh", { body: { refreshToken } }),
  };
}

/** Status of an answer and code of its problem, if it is one. */
async function outcome(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  const { code = "" } = text.startsWith("{") ? JSON.parse(text) : {};
  return `${response.status} ${code}`.trim();
}

const DEAD = "401 invalid_refresh_token";

/** The cases, in the order in which they run. */
export const tokenFlowCases: readonly RuntimeCase[] = [
  {
    name: "token flow: sign-in, access token, refresh; the old refresh token ends all of them",
    async run() {
      const { call, refresh, signIn, register, clock } = createBench();
      const { user: { sub } } = await register();
      const first = await signIn("/auth/login", ADA);
      assertSame([first.tokenType, first.expiresIn, first.scope], ["Bearer", 600, ["notes:read"]]);
      const me = await call("/me", { bearer: first.accessToken });
      assertSame(await me.json(), { sub, method: "bearer", scope: ["notes:read"], amr: ["pwd"] });

      clock.now += 629; // to the last second of the tolerance
      assertSame(await outcome(call("/me", { bearer: first.accessToken })), "200");
      clock.now += 1;
      const late = await call("/me", { bearer: first.accessToken });
      const challenge = late.headers.get("WWW-Authenticate") ?? "";
      assertSame([late.status, challenge.includes('error="invalid_token"')], [401, true]);

      const second = await (await refresh(first.refreshToken)).json();
      assertSame(await outcome(call("/me", { bearer: second.accessToken })), "200");
      const third = await (await refresh(second.refreshToken)).json();
      const refusals = [first, second, third, first].map(({ refreshToken }) => refreshToken);
      const bodies: string[] = [];
      for (const token of [...refusals, "x", "", null]) {
        const response = await refresh(token);
        bodies.push(`${response.status} ${await response.text()}`);
      }
      assertSame(new Set(bodies).size, 1);
      assertSame(bodies[0]?.includes("invalid_refresh_token"), true);
    },
  },
  {
    name: "token flow: of 50 refreshes at once one succeeds, and its token is dead too",
    async run() {
      const { refresh, register } = createBench();
      const { refreshToken } = await register();
      const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(refreshToken)));
      const taken = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 401);
      assertSame([taken.length, refused.length], [1, 49]);
      const next = await taken[0]?.json();
      assertSame(await outcome(refresh(next.refreshToken)), DEAD);
    },
  },
  {
    name: "token flow: logout ends a refresh token, and a closed account those of its user",
    async run() {
      const { change, refresh, signIn, register, runtime } = createBench();
      const { refreshToken, user } = await register();
      const other = await signIn("/auth/login", ADA);
      assertSame(await outcome(change("/auth/logout", { refreshToken })), "204");
      assertSame(await outcome(refresh(refreshToken)), DEAD);
      const next = await (await refresh(other.refreshToken)).json();
      await runtime.users.disable(user.sub);
      assertSame(await outcome(refresh(next.refreshToken)), DEAD);
    },
  },
  {
    name: "token flow: published keys verify access tokens, and have no private member",
    async run() {
      const { call, register } = createBench();
      const { accessToken } = await register();
      const response = await call("/.well-known/jwks.json");
      const keys = await response.json();
      const { header, claims } = await verifyJwt(accessToken, {
        algorithms: ["ES256"],
        keys,
        typ: "at+jwt",
        issuer: ISSUER,
        audience: AUDIENCE,
        now: () => START,
      });
      assertSame([header.kid, claims.iat, claims.scope], [keys.keys[0].kid, START, "notes:read"]);
      const members = Object.keys(keys.keys[0]).sort();
      assertSame(members, ["alg", "crv", "kid", "kty", "use", "x", "y"]);
      const etag = response.headers.get("ETag") ?? "";
      const again = await call("/.well-known/jwks.json", { headers: { "If-None-Match": etag } });
      assertSame([again.status, await again.text()], [304, ""]);
    },
  },
  {
    name: "token flow: another application takes the tokens by the keys that it fetches",
    async run() {
      const { call, register, runtime, fetched, clock } = createBench();
      const { accessToken, user: { sub } } = await register();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => call("/elsewhere", { bearer: accessToken })),
      );
      assertSame(await Promise.all(answers.map((answer) => answer.json())), Array(20).fill(sub));
      await runtime.tokens?.keys.rotate();
      clock.now += 30;
      const next = await runtime.tokens?.issue({
        sub,
        securityStamp: "s",
        authTime: START,
        amr: ["pwd"],
      });
      const bearer = next?.accessToken ?? "";
      assertSame(await outcome(call("/elsewhere", { bearer })), "200");
      assertSame(await outcome(call("/elsewhere", { bearer: accessToken })), "200");
      assertSame(fetched.count > 1, true);
      assertSame(
        await outcome(call("/elsewhere", { bearer: flipped(bearer) })),
        "401 invalid_token",
      );
      assertSame(await outcome(call("/elsewhere")), "401 unauthenticated");
    },
  },
  {
    name: "token flow: scopes limit tokens and API keys",
    async run() {
      const { call, register, apiKeys } = createBench();
      const { accessToken: bearer, user: { sub } } = await register();
      const { key } = await apiKeys.create(sub, { scope: ["notes:write"] });
      const headers = { "X-API-Key": key };
      assertSame(await outcome(call("/notes", { bearer })), "200");
      assertSame(await outcome(call("/notes", { bearer, body: {} })), "403 insufficient_scope");
      assertSame(await outcome(call("/notes", { headers })), "403 insufficient_scope");
      assertSame(await outcome(call("/notes", { headers, body: {} })), "200");
    },
  },
  {
    name: "token flow: API keys are taken until they are revoked, and no others",
    async run() {
      const { call, register, apiKeys } = createBench();
      const { user: { sub } } = await register();
      const { key, info } = await apiKeys.create(sub, { name: "Backup" });
      const send = (text: string) => outcome(call("/me", { headers: { "X-API-Key": text } }));
      const me = await call("/me", { headers: { "X-API-Key": key } });
      assertSame(await me.json(), { sub, method: "api-key", scope: [] });
      for (const wrong of ["", "key", `${key}0`, flipped(key), key.toUpperCase()]) {
        assertSame(await send(wrong), "401 invalid_api_key");
      }
      assertSame(await outcome(call(`/me?api_key=${key}`)), "401 unauthenticated");
      assertSame(await apiKeys.revoke(sub, info.id), true);
      assertSame(await send(key), "401 invalid_api_key");
    },
  },
  {
    name: "token flow: what is no token of ours is refused, wherever it stands",
    async run() {
      const { call, register, apiKeys } = createBench();
      const { accessToken, refreshToken, user: { sub } } = await register();
      const { key } = await apiKeys.create(sub);
      for (const bearer of [flipped(accessToken), refreshToken, key, "", "a.b.c"]) {
        assertSame(await outcome(call("/me", { bearer })), "401 invalid_token");
      }
      const query = `access_token=${accessToken}`;
      assertSame(await outcome(call(`/me?${query}`)), "401 unauthenticated");
      assertSame(await outcome(call("/me", { headers: { Authorization: accessToken } })), NOBODY);
      const twice = { Authorization: `Bearer ${accessToken}, Bearer ${accessToken}` };
      assertSame(await outcome(call("/me", { headers: twice })), "401 invalid_token");
    },
  },
];

const NOBODY = "401 unauthenticated";

/** A text whose last character but one is another. */
function flipped(text: string): string {
  return text.slice(0, -2) + (text.at(-2) === "A" ? "B" : "A") + text.slice(-1);
}
