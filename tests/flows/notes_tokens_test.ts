import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { type AuthStores, passwordService, pbkdf2Hasher, userService } from "@gatehouse/http/auth";
import { type NotesService, PASSWORD, withNotes } from "../examples/_notes_service.ts";
import { enter, start, withFolder } from "./_notes_process.ts";
import {
  ALL,
  bearer,
  NOTE,
  refresh,
  refusalOf,
  type SignedIn,
  signIn,
  signOut,
  statusOf,
} from "./_notes_api_clients.ts";

const START = Date.UTC(2030, 5, 14, 12, 3);

Deno.test("/tokens/login issues tokens that read and write notes for ten minutes, and refresh issues the next ones", async () => {
  let now = START;
  await withNotes(async ({ origin, create }) => {
    const { id } = await create({ title: "Ada's" });
    const first = await signIn(origin, "ada");
    assertEquals([first.tokenType, first.expiresIn, first.scope], ["Bearer", 600, ALL]);
    const call = bearer(origin, first.accessToken);
    assertEquals((await (await call(`/notes/${id}`)).json()).title, "Ada's");
    assertEquals(await statusOf(call("/notes", NOTE)), 201);

    now += 631_000; // with 30 seconds of leeway
    const late = await call("/notes");
    assertEquals([late.status, (await late.json()).code], [401, "token_expired"]);
    assertMatch(late.headers.get("www-authenticate") ?? "", /^Bearer .*error="invalid_token"/);

    const answer = await refresh(origin, first.refreshToken);
    assertEquals([answer.status, answer.headers.get("cache-control")], [200, "no-store"]);
    const next = await answer.json();
    assertNotEquals(next.refreshToken, first.refreshToken);
    assertEquals(await statusOf(bearer(origin, next.accessToken)("/notes")), 200);
  }, { nowMs: () => now });
});

Deno.test("/tokens/refresh accepts a token once: reuse revokes all tokens of the sign-in, and emits an event", async () => {
  await withNotes(async ({ origin, events }) => {
    const other = await signIn(origin, "ada");
    const { refreshToken } = await signIn(origin, "ada");
    const next = await (await refresh(origin, refreshToken)).json();
    const bodies = new Set<string>();
    for (const token of [refreshToken, next.refreshToken, "", "x.y", `${refreshToken}x`]) {
      const refused = await refresh(origin, token);
      assertEquals(refused.status, 401);
      bodies.add(await refused.text());
    }
    assertEquals(bodies.size, 1); // no reason is sent
    assertEquals(events.filter(({ type }) => type === "refresh.reuse_detected").length, 1);
    assertEquals(await statusOf(refresh(origin, other.refreshToken)), 200);
  });
});

Deno.test("/auth does not issue tokens, neither to pages nor for a refresh token", async () => {
  await withNotes(async ({ origin, stranger }) => {
    const client = stranger();
    for (const [route, status] of [["register", 201], ["login", 200]] as const) {
      const response = await client.enter(route, "bob");
      const names = Object.keys(await response.json()).sort();
      assertEquals([response.status, names], [status, [
        "csrfToken",
        "principal",
        "session",
        "user",
      ]]);
    }
    const { refreshToken } = await signIn(origin, "bob");
    assertEquals(await statusOf(client.send("POST", "/auth/refresh", { refreshToken })), 404);
    assertEquals(await statusOf(client.send("POST", "/tokens/register", {})), 404);
  });
});

Deno.test("/tokens/login sets no cookie and creates no session, with or without an existing one", async () => {
  await withNotes(async (service) => {
    const before = [...service.cookies];
    const body = { identifier: "ada", password: PASSWORD };
    for (const client of [service.stranger(), service]) {
      const answer = await client.send("POST", "/tokens/login", body);
      assertEquals([answer.status, answer.headers.getSetCookie()], [200, []]);
      assertEquals(answer.headers.get("cache-control"), "no-store");
      const { accessToken } = await answer.json();
      const who = await bearer(service.origin, accessToken)("/tokens/session");
      const { principal, session } = await who.json();
      assertEquals([principal.method, principal.sessionId, session], [
        "bearer",
        undefined,
        undefined,
      ]);
    }
    assertEquals([...service.cookies], before);
    const page = await (await service.page("/sessions")).text();
    assertEquals(page.includes("End this session"), false);
  });
});

Deno.test("/developer documents the requests of API clients, without cookies and CSRF tokens", async () => {
  await withNotes(async ({ origin, page }) => {
    const text = await (await page("/developer")).text();
    for (const path of ["login", "refresh", "logout"]) {
      assertStringIncludes(text, `${origin}/tokens/${path}`);
    }
    assertEquals(text.match(/\bjar\b|CSRF|csrf|\/auth\/(?!logout")/g), null);
  });
});

/** The types that a form of another site can send, and a script without a preflight. */
const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];
for (const type of [...FORM_TYPES, undefined]) {
  Deno.test(`/tokens/login rejects another site's page that sends ${type ?? "no type"}`, async () => {
    await withNotes(async ({ origin, stranger }) => {
      const answer = await stranger().call("/tokens/login", {
        method: "POST",
        body: new Blob([JSON.stringify({ identifier: "ada", password: PASSWORD })]),
        headers: {
          ...(type === undefined ? {} : { "Content-Type": type }),
          "Origin": "https://evil.example",
          "Sec-Fetch-Site": "cross-site",
        },
      });
      assertEquals([answer.status, answer.headers.getSetCookie()], [415, []]);
      assertEquals((await answer.json()).code, "unsupported_media_type");
      const asked = await fetch(`${origin}/tokens/login`, {
        method: "OPTIONS",
        headers: {
          "Origin": "https://evil.example",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type",
        },
      });
      await asked.body?.cancel();
      const granted = [...asked.headers.keys()].filter((name) => name.startsWith("access-control"));
      assertEquals(granted, []);
    });
  });
}

const POST = { method: "POST" };
const DELETE = { method: "DELETE" };

/** Actions of an operator, with the user store only. */
async function resetPassword({ users }: AuthStores, sub: string): Promise<void> {
  const passwords = passwordService({
    users,
    throttle: "insecureSkip",
    hasher: pbkdf2Hasher({ iterations: 1_000 }),
    warn: () => {},
  });
  await passwords.reset(sub, "six quiet herons at dusk");
}

function usersOf({ users }: AuthStores) {
  return userService({ users });
}

/** What revokes a program's tokens, and what does not. */
const ENDS: readonly (readonly [
  what: string,
  act: (service: NotesService, tokens: SignedIn) => Promise<unknown>,
  refreshes: boolean,
])[] = [
  [
    "the program signs out",
    ({ origin }, { refreshToken }) => statusOf(signOut(origin, refreshToken)),
    false,
  ],
  [
    "the program signs out with an older token",
    async ({ origin }, { refreshToken }) => {
      await statusOf(refresh(origin, refreshToken));
      await statusOf(signOut(origin, refreshToken));
    },
    false,
  ],
  [
    "the user's password is reset",
    ({ stores }, { user }) => resetPassword(stores, user.sub),
    false,
  ],
  ["the user is disabled", ({ stores }, { user }) => usersOf(stores).disable(user.sub), false],
  ["the user is removed", ({ stores }, { user }) => usersOf(stores).remove(user.sub), false],
  ["the user signs out on a page", ({ call }) => statusOf(call("/auth/logout", POST)), true],
  ["the user revokes all other sessions", ({ call }) => statusOf(call("/sessions", DELETE)), false],
  ["a program signs out without a token", ({ origin }) => statusOf(signOut(origin, "")), true],
];
for (const [what, act, refreshes] of ENDS) {
  Deno.test(`/tokens/refresh ${refreshes ? "still succeeds" : "fails"} after: ${what}`, async () => {
    await withNotes(async (service) => {
      const tokens = await signIn(service.origin, "ada");
      await act(service, tokens);
      const answer = refresh(service.origin, tokens.refreshToken);
      if (refreshes) assertEquals(await statusOf(answer), 200);
      else assertEquals(await refusalOf(answer), [401, "invalid_refresh_token"]);
    });
  });
}

/** Requests that need a session. */
const IN_PERSON: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/api-keys"],
  ["POST", "/api-keys"],
  ["DELETE", "/sessions"],
  ["GET", "/developer"],
];
for (const [method, path] of IN_PERSON) {
  Deno.test(`${method} ${path} rejects tokens`, async () => {
    await withNotes(async ({ origin, call }) => {
      const { accessToken } = await signIn(origin, "ada");
      const body = method === "POST" ? { body: '{"name":"a","scope":["notes:read"]}' } : {};
      const init = { method, headers: { "Content-Type": "application/json" }, ...body };
      const refused = bearer(origin, accessToken)(path, init);
      assertEquals(await refusalOf(refused), [403, "insufficient_scope"]);
      assertEquals(await statusOf(call("/auth/session")), 200);
    });
  });
}

/** Invalid tokens, made from a valid one. */
const WRONG: readonly (readonly [why: string, change: (token: string) => string])[] = [
  ["without a signature", (token) => token.replace(/[^.]*$/, "")],
  ["with another payload", (token) => token.replace(/\.[^.]*\./, `.${btoa("{}")}.`)],
  ["that is another string", () => "hunter2"],
  ["that is empty", () => ""],
];
for (const [why, change] of WRONG) {
  Deno.test(`GET /notes rejects a token ${why}, signed in or not`, async () => {
    await withNotes(async (service) => {
      const { accessToken } = await signIn(service.origin, "ada");
      const headers = { Authorization: `Bearer ${change(accessToken)}` };
      for (const { call } of [service.stranger(), service]) {
        const refused = await call("/notes", { headers });
        assertMatch(refused.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
        const text = await refused.text();
        assertEquals([refused.status, JSON.parse(text).code], [401, "invalid_token"]);
        assertEquals(text.includes("hunter2"), false);
      }
    });
  });
}

Deno.test("/.well-known/jwks.json publishes the public keys", async () => {
  await withNotes(async ({ origin }) => {
    const { accessToken } = await signIn(origin, "ada");
    const answer = await fetch(`${origin}/.well-known/jwks.json`);
    const { keys } = await answer.json();
    assertEquals(answer.headers.get("content-type"), "application/jwk-set+json");
    assertMatch(answer.headers.get("cache-control") ?? "", /^public, max-age=\d+$/);
    assertEquals(answer.headers.get("set-cookie"), null);
    const [header = "", payload = ""] = accessToken.split(".");
    const { kid, alg, typ } = JSON.parse(atob(header));
    assertEquals([alg, typ], ["ES256", "at+jwt"]);
    assert(keys.some((key: { kid: string }) => key.kid === kid));
    for (const key of keys) assertEquals(["d" in key, "k" in key], [false, false]);
    const { iss, aud, scope } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    assertEquals([iss, aud, scope], [origin, "notes", "notes:read notes:write"]);
  });
});

Deno.test("main.ts accepts the tokens of the previous process if its origin is the same", async () => {
  await withFolder(async (folder) => {
    const ORIGIN = "https://notes.example";
    const first = await start(folder, { env: { ORIGIN } });
    await enter(first.origin);
    const { accessToken, refreshToken } = await signIn(first.origin, "ada");
    assertEquals(await statusOf(bearer(first.origin, accessToken)("/notes")), 200);
    assertEquals(await first.stop("SIGTERM"), { code: 0, stderr: "" });

    const second = await start(folder, { env: { ORIGIN } });
    assertEquals(await statusOf(bearer(second.origin, accessToken)("/notes")), 200);
    assertEquals(await statusOf(refresh(second.origin, refreshToken)), 200);
    assertEquals((await second.stop("SIGTERM")).code, 0);

    const elsewhere = await start(folder);
    assertEquals(await statusOf(bearer(elsewhere.origin, accessToken)("/notes")), 401);
    assertEquals((await elsewhere.stop("SIGTERM")).code, 0);
  });
});
