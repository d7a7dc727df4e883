/**
 * What a component asks of others: the issuer's keys, and a database with sessions.
 *
 * @module
 */

import { generateJwk, publicJwk } from "../../auth/jwt/jwk.ts";
import { signJwt } from "../../auth/jwt/jwt.ts";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import type { Jwk, JwtClaims } from "../../auth/jwt/types.ts";
import { cookiePolicy } from "../../auth/session/cookie_policy.ts";
import { sessionService } from "../../auth/session/session_service.ts";
import type { SessionService } from "../../auth/session/types.ts";
import { memoryAdapter } from "../../auth/stores/memory.ts";
import { repoSessionStore, repoUserStore } from "../../auth/stores/repo.ts";
import { packageOf, utf8 } from "./static_assets.ts";
import { respondCall } from "./wasi_adapter.ts";
import { ALGORITHMS, AUDIENCE, ISSUER, type WasiAppOptions } from "./wasi_site.ts";

/** The other side of the component, on Deno. */
export interface WasiBackend extends AsyncDisposable {
  /** What the component is told. */
  readonly options: WasiAppOptions;
  readonly sessions: SessionService;
  /** Issues a token of a user. */
  issue(alg: JwaAlgorithm, claims?: JwtClaims): Promise<string>;
  /** A user's session, as a cookie. */
  signIn(): Promise<{ readonly cookie: string; readonly token: string }>;
}

/** Starts it. */
export async function startBackend(): Promise<WasiBackend> {
  const keys = new Map<JwaAlgorithm, Jwk>();
  for (const alg of ["HS256", ...ALGORITHMS] as const) keys.set(alg, await generateJwk(alg));
  const keyOf = (alg: JwaAlgorithm) => keys.get(alg) as Jwk;
  const jwks = { keys: ALGORITHMS.map((alg) => publicJwk(keyOf(alg))) };

  const adapter = memoryAdapter();
  const users = repoUserStore({ adapter });
  const sessions = sessionService({ sessions: repoSessionStore({ adapter }), users });
  const user = { sub: "ada", identifier: "ada", securityStamp: "first", createdAt: 0 };
  await users.create(user);

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) =>
      request.url.endsWith("/jwks.json")
        ? Response.json(jwks)
        : await respondCall(adapter, request),
  );
  const assets = await packageOf({ "app.css": utf8("body { margin: 0 }\n") });
  return {
    options: { backend: `http://127.0.0.1:${server.addr.port}`, secret: keyOf("HS256"), assets },
    sessions,
    async issue(alg, claims = {}) {
      const own = {
        iss: ISSUER,
        aud: AUDIENCE,
        sub: "ada",
        scope: "me",
        exp: seconds() + 600,
        ...claims,
      };
      const header = { typ: "at+jwt" };
      return await signJwt(own, { algorithms: [alg], key: keyOf(alg), header });
    },
    async signIn() {
      const { sub, securityStamp } = user;
      const { token } = await sessions.create({
        ...{ sub, securityStamp },
        authTime: seconds(),
        amr: ["pwd"],
      });
      const [cookie = ""] = cookiePolicy().set("sid", token).split(";");
      return { cookie, token };
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
