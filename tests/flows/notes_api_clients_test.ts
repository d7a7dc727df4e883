import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Client, withNotes } from "../examples/_notes_service.ts";
import { program, refresh, refusalOf, signIn, signOut, statusOf } from "./_notes_api_clients.ts";

const START = Date.UTC(2030, 5, 14, 12, 3);
const DELETE = { method: "DELETE" };

/** Ids of the programs that a user's page lists, in its order. */
async function programsOf({ page }: Client): Promise<readonly string[]> {
  const [, list = ""] = /<ul id="programs"[^>]*>([^]*?)<\/ul>/.exec(await pageOf(page)) ?? [];
  return [...list.matchAll(/<li class="card" data-id="([^"]+)"/g)].map(([, id = ""]) => id);
}

async function pageOf(page: Client["page"]): Promise<string> {
  return await (await page("/sessions")).text();
}

Deno.test("/sessions lists API clients, newest first, with start and expiry", async () => {
  let now = START;
  await withNotes(async (service) => {
    assertStringIncludes(
      await pageOf(service.page),
      '<p id="no-programs" >No program is signed in.',
    );
    const { refreshToken } = await signIn(service.origin, "ada");
    const [older = ""] = await programsOf(service);
    now += 1_200_000;
    await signIn(service.origin, "ada");
    const [newer = "", ...rest] = await programsOf(service);
    assertEquals(rest, [older]);
    assertMatch(newer, /^[\w-]{43}$/);

    const text = await pageOf(service.page);
    assertStringIncludes(text, `hidden>No program is signed in.`);
    for (const time of ["2030-06-14T12:03", "2030-06-14T12:23", "2030-06-28T12:03"]) {
      assertStringIncludes(text, `<time datetime="${time}`);
    }
    assertStringIncludes(text, "notes:read, notes:write");
    await statusOf(refresh(service.origin, refreshToken));
    const after = await pageOf(service.page); // now expires with the other one
    assertEquals(after.match(/datetime="2030-06-28T12:23/g)?.length, 2);
    assertEquals(after.includes(refreshToken), false);
  }, { nowMs: () => now });
});

Deno.test("DELETE /programs/:id signs one API client out permanently", async () => {
  await withNotes(async (service) => {
    const { origin, call } = service;
    const first = await signIn(origin, "ada");
    const [id = ""] = await programsOf(service);
    const second = await signIn(origin, "ada");
    assertEquals(await statusOf(call(`/programs/${id}`, DELETE)), 204);
    assertEquals(await refusalOf(refresh(origin, first.refreshToken)), [
      401,
      "invalid_refresh_token",
    ]);
    assertEquals(await statusOf(refresh(origin, second.refreshToken)), 200);
    assertEquals((await programsOf(service)).includes(id), false);
    assertEquals(await refusalOf(call(`/programs/${id}`, DELETE)), [404, "no_such_program"]);
  });
});

Deno.test("/sessions does not list API clients that signed out or were revoked after token reuse", async () => {
  await withNotes(async (service) => {
    const { origin } = service;
    const out = await signIn(origin, "ada");
    await statusOf(signOut(origin, out.refreshToken));
    const stolen = await signIn(origin, "ada");
    for (let i = 0; i < 2; i++) await statusOf(refresh(origin, stolen.refreshToken));
    assertEquals(await programsOf(service), []);
  });
});

Deno.test("/sessions does not list API clients that were inactive for two weeks", async () => {
  let now = START;
  await withNotes(async (service) => {
    await signIn(service.origin, "ada");
    now += 14 * 86_400_000;
    const client = service.stranger(); // the session has expired, too
    await statusOf(client.enter("login", "ada"));
    assertEquals(await programsOf(client), []);
  }, { nowMs: () => now });
});

/** Who tries to sign out Ada's program, and the response. */
const OTHERS: readonly (readonly [
  why: string,
  status: number,
  code: string,
  headers: Readonly<Record<string, string>>,
  identifier?: string,
])[] = [
  ["another user", 404, "no_such_program", {}, "eve"],
  ["another site's page", 403, "csrf_failed", { "Sec-Fetch-Site": "cross-site" }],
  ["a request without a session", 401, "unauthenticated", { Cookie: "a=b" }],
];
for (const [why, status, code, headers, identifier] of OTHERS) {
  Deno.test(`DELETE /programs/:id rejects ${why}`, async () => {
    await withNotes(async (service) => {
      const { refreshToken } = await signIn(service.origin, "ada");
      const [id = ""] = await programsOf(service);
      const { call } = identifier === undefined ? service : await service.user(identifier);
      const refused = call(`/programs/${id}`, { ...DELETE, headers });
      assertEquals(await refusalOf(refused), [status, code]);
      assertEquals(await statusOf(refresh(service.origin, refreshToken)), 200);
      if (identifier !== undefined) {
        assertEquals(await programsOf(await service.user("bob")), []);
      }
    });
  });
}

Deno.test("DELETE /programs/:id rejects API clients, their own sign-in included", async () => {
  await withNotes(async (service) => {
    const { accessToken } = await signIn(service.origin, "ada");
    const [id = ""] = await programsOf(service);
    const call = program(service.origin, { Authorization: `Bearer ${accessToken}` });
    assertEquals(await refusalOf(call(`/programs/${id}`, DELETE)), [403, "insufficient_scope"]);
    assertEquals(await programsOf(service), [id]);
  });
});
