/**
 * What a WASI component responds.
 *
 * @module
 */

import { encodeBase64Url } from "../../auth/_base64url.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { askWire } from "./static_http.ts";
import type { WasiBackend } from "./wasi_backend.ts";

/** Asks the component. */
type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** The cases of a component. */
export function wasiCases(url: URL, backend: WasiBackend): readonly RuntimeCase[] {
  const ask: Ask = (path, init = {}) =>
    fetch(new URL(path, url), { ...init, signal: AbortSignal.timeout(20_000), redirect: "manual" });
  return [
    ...routingCases(ask),
    ...assetCases(ask, url),
    ...tokenCases(ask, backend),
    ...sessionCases(ask, url, backend),
    ...missingCases(ask),
  ];
}

/** Status and body of a request. */
async function exchange(ask: Ask, path: string, init?: RequestInit): Promise<readonly unknown[]> {
  const response = await ask(path, init);
  const text = await response.text();
  const type = response.headers.get("Content-Type") ?? "";
  if (text === "" || !type.includes("json")) return [response.status, text];
  const body = JSON.parse(text);
  return [response.status, type.includes("problem") ? body.code : body];
}

function routingCases(ask: Ask): readonly RuntimeCase[] {
  const post = (body: BodyInit, type = "application/json"): RequestInit => ({
    method: "POST",
    headers: { "Content-Type": type },
    body,
  });
  const rows: readonly (readonly [path: string, init: RequestInit, expected: unknown[]])[] = [
    ["/hello", {}, [200, "world"]],
    ["/users/7?q=a%20b", {}, [200, ["7", "a b"]]],
    ["/users/caf%C3%A9", {}, [200, ["café", null]]],
    ["/notes", post('{"title":"Tee ☕"}'), [201, { title: "Tee ☕" }]],
    ["/notes", post('{"title"'), [400, "invalid_json"]],
    ["/notes", post("title", "text/plain"), [415, "unsupported_media_type"]],
    ["/notes", post(JSON.stringify("x".repeat(1023))), [413, "payload_too_large"]],
    ["/notes", { method: "DELETE" }, [204, ""]],
    ["/hello", { method: "HEAD" }, [200, ""]],
    ["/nothing", {}, [404, "not_found"]],
    ["/hello", { method: "DELETE" }, [405, "method_not_allowed"]],
    ["/throws", {}, [500, "internal_error"]],
  ];
  return [
    ...rows.map(([path, init, expected]): RuntimeCase => ({
      name: `wasi: ${init.method ?? "GET"} ${path} is ${expected[0]}`,
      async run() {
        assertSame(await exchange(ask, path, init), expected);
      },
    })),
    {
      name: "wasi: 405 says which methods there are",
      async run() {
        const response = await ask("/notes", { method: "PUT" });
        await response.body?.cancel();
        assertSame(response.headers.get("Allow"), "POST, DELETE, OPTIONS");
      },
    },
    {
      name: "wasi: a stream that is longer than the limit is 413, without a Content-Length",
      async run() {
        const body = new Blob([JSON.stringify("x".repeat(5000))]).stream();
        assertSame((await exchange(ask, "/notes", post(body)))[0], 413);
      },
    },
    {
      name: "wasi: what is thrown is not in the response",
      async run() {
        const text = await (await ask("/throws")).text();
        assert(!text.includes("a detail"), text);
      },
    },
  ];
}

function assetCases(ask: Ask, url: URL): readonly RuntimeCase[] {
  return [
    {
      name: "wasi: a packaged asset has its type, and is 304 to who has it",
      async run() {
        const response = await ask("/assets/app.css");
        assertSame(await response.text(), "body { margin: 0 }\n");
        assertSame(response.headers.get("Content-Type"), "text/css; charset=utf-8");
        const headers = { "If-None-Match": response.headers.get("ETag") ?? "" };
        assertSame(await exchange(ask, "/assets/app.css", { headers }), [304, ""]);
      },
    },
    {
      name: "wasi: an encoded way out of the assets is 403",
      async run() {
        const { status } = await askWire(Number(url.port), "/assets/..%2fapp.css");
        assertSame(status, 403);
      },
    },
  ];
}

function tokenCases(ask: Ask, { issue }: WasiBackend): readonly RuntimeCase[] {
  const withToken = (token: string, path = "/me"): Promise<Response> =>
    ask(path, { headers: { Authorization: `Bearer ${token}` } });

  /** The token is refused, whatever the reason is. */
  async function assertRefused(token: string, code = "invalid_token"): Promise<void> {
    const response = await withToken(token);
    assertSame([response.status, (await response.json()).code], [401, code]);
    const challenge = response.headers.get("WWW-Authenticate") ?? "";
    assert(challenge.includes('error="invalid_token"'), challenge);
  }

  return [
    {
      name: "wasi: without a token 401, with the challenge",
      async run() {
        const response = await ask("/me");
        assertSame([response.status, (await response.json()).code], [401, "unauthenticated"]);
        assertSame(response.headers.get("WWW-Authenticate"), 'Bearer realm="api", Session');
      },
    },
    {
      name: "wasi: a token by HS256 is accepted",
      async run() {
        const response = await withToken(await issue("HS256"), "/internal/me");
        assertSame([response.status, await response.json()], [200, { sub: "ada" }]);
      },
    },
    ...(["ES256", "ES384", "RS256"] as const).map((alg): RuntimeCase => ({
      name: `wasi: a token by ${alg} is accepted, by keys that are fetched`,
      async run() {
        const response = await withToken(await issue(alg));
        assertSame([response.status, await response.json()], [200, {
          sub: "ada",
          method: "bearer",
        }]);
      },
    })),
    ...(["PS256", "EdDSA"] as const).map((alg): RuntimeCase => ({
      name: `wasi: a token by ${alg}, which the engine cannot verify, is refused`,
      run: async () => await assertRefused(await issue(alg)),
    })),
    ...(["ES256", "ES384", "RS256"] as const).map((alg): RuntimeCase => ({
      name: `wasi: a token by ${alg} whose signature is another's is refused`,
      async run() {
        const [own, other] = [await issue(alg), await issue(alg, { sub: "eve" })];
        const signature = other.slice(other.lastIndexOf("."));
        await assertRefused(own.slice(0, own.lastIndexOf(".")) + signature);
      },
    })),
    {
      name: "wasi: a token that is not signed, or by HS256 with a public key, is refused",
      async run() {
        const [, claims = ""] = (await issue("ES256")).split(".");
        const none = encodeBase64Url(new TextEncoder().encode('{"alg":"none","typ":"at+jwt"}'));
        await assertRefused(`${none}.${claims}.`);
        await assertRefused(await issue("HS256"));
      },
    },
    {
      name: "wasi: a token that has expired, or is for others, is refused",
      async run() {
        await assertRefused(await issue("ES256", { exp: 1_700_000_000 }), "token_expired");
        await assertRefused(await issue("ES256", { aud: "https://other.example" }));
      },
    },
  ];
}

function sessionCases(
  ask: Ask,
  { origin }: URL,
  { signIn, sessions }: WasiBackend,
): readonly RuntimeCase[] {
  const posts: readonly (readonly [why: string, headers: Record<string, string>, number])[] = [
    ["neither Origin nor Sec-Fetch-Site", {}, 403],
    ["the origin of another site", { Origin: "https://evil.example" }, 403],
    ["its own origin", { Origin: origin }, 200],
    ["Sec-Fetch-Site: same-origin", { "Sec-Fetch-Site": "same-origin" }, 200],
    ["Sec-Fetch-Site: cross-site", { "Sec-Fetch-Site": "cross-site" }, 403],
  ];
  return [
    {
      name: "wasi: a session is verified, until it is revoked",
      async run() {
        const { cookie, token } = await signIn();
        const headers = { Cookie: cookie };
        const expected = [200, { sub: "ada", method: "session" }];
        assertSame(await exchange(ask, "/me", { headers }), expected);
        await sessions.revokeToken(token);
        assertSame(await exchange(ask, "/me", { headers }), [401, "session_expired"]);
      },
    },
    {
      name: "wasi: a session that nobody has created is refused",
      async run() {
        const headers = { Cookie: `__Host-sid=${"A".repeat(43)}` };
        assertSame(await exchange(ask, "/me", { headers }), [401, "session_expired"]);
      },
    },
    ...posts.map(([why, headers, status]): RuntimeCase => ({
      name: `wasi: a POST with a session and ${why} is ${status}`,
      async run() {
        const { cookie } = await signIn();
        const type = { "Content-Type": "application/json" };
        const init = {
          method: "POST",
          headers: { ...headers, ...type, Cookie: cookie },
          body: "{}",
        };
        const expected = status === 200 ? { sub: "ada", method: "session" } : "csrf_failed";
        assertSame(await exchange(ask, "/me", init), [status, expected]);
      },
    })),
  ];
}

const NO_DERIVE_BITS =
  "TypeError: Cannot derive keys: this runtime's crypto.subtle has no deriveBits()";

/** What StarlingMonkey lacks, and the error that names it. */
const MISSING: readonly (readonly [what: string, message: string])[] = [
  ["deriveKeys", NO_DERIVE_BITS],
  ["csrf", NO_DERIVE_BITS],
  ["keyService", "TypeError: crypto.subtle.generateKey is not a function"],
  ["encryptedKeyService", "TypeError: crypto.subtle.generateKey is not a function"],
  ["passwords", "TypeError: value.normalize is not a function"],
  ["unicodeProperties", "SyntaxError: invalid property name in regular expression"],
];

function missingCases(ask: Ask): readonly RuntimeCase[] {
  return MISSING.map(([what, message]): RuntimeCase => ({
    name: `wasi: ${what} fails with what is missing`,
    async run() {
      assertSame(await exchange(ask, `/missing/${what}`), [200, message]);
    },
  }));
}
