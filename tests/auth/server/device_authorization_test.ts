/** The device authorization endpoint, RFC 8628 §3.1, §3.2 and §6.1. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import type { AuthorizationServerOptions } from "../../../auth/server/mod.ts";
import { randomUserCode } from "../../../auth/server/device/user_code.ts";
import { DEVICE_CODE, deviceSite, GRANTS } from "./_device.ts";
import { API, assertTokenError, ISSUER, type Params, serverSite } from "./_site.ts";
import { lastRefusal } from "./_tokens.ts";

Deno.test("authorizeDevice() answers as RFC 8628 §3.2 does, 8628-3.2", async () => {
  const site = deviceSite();
  const response = await site.begin({ scope: undefined });
  assertEquals([response.status, response.headers.get("Cache-Control")], [200, "no-store"]);
  const { device_code, user_code, ...rest } = await response.json();
  assertMatch(device_code, /^[\w-]{22}\.[\w-]{43}$/);
  assertEquals(rest, {
    verification_uri: `${ISSUER}/oauth/device`,
    verification_uri_complete: `${ISSUER}/oauth/device?user_code=${user_code}`,
    expires_in: 600,
    interval: 5,
  });
});

Deno.test("authorizeDevice() creates user codes of 8 of 20 consonants with a hyphen, 8628-6.1", async () => {
  const site = deviceSite({ server: { throttle: unlimited() } });
  const letters = new Map<string, number>();
  const codes = new Set<string>();
  for (let i = 0; i < 400; i++) {
    const { user_code } = await site.device();
    assertMatch(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    codes.add(user_code);
    for (const letter of user_code.replace("-", "")) {
      letters.set(letter, (letters.get(letter) ?? 0) + 1);
    }
  }
  assertEquals([codes.size, letters.size], [400, 20]);
  // 160 of each are expected; 60 is 8 standard deviations away
  for (const [letter, count] of letters) assert(count > 60 && count < 260, `${letter}: ${count}`);
});

Deno.test("randomUserCode() takes no byte by which some letters would be more frequent, 8628-6.1", () => {
  const { getRandomValues } = crypto;
  const bytes = [255, 240, 239, 0, 20, 1, 21, 19, 241, 2, 3];
  crypto.getRandomValues = <T extends ArrayBufferView | null>(array: T): T => {
    assert(array instanceof Uint8Array);
    array[0] = bytes.shift() ?? 0;
    return array;
  };
  try {
    assertEquals([randomUserCode(), bytes], ["ZBBCCZDF", []]);
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
});

Deno.test("authorizeDevice() stores the APIs of a request, each of which is a parameter, 8707-2", async () => {
  const two = "https://two.example";
  const site = deviceSite({ server: { resources: [API, two] } });
  for (const resources of [[], [API], [API, two]]) {
    const body = new URLSearchParams({ client_id: "tv", scope: "notes:read" });
    for (const resource of resources) body.append("resource", resource);
    const response = await site.send("/oauth/device_authorization", { method: "POST", body });
    const { device_code } = await response.json();
    const record = site.codes.records.get(device_code.split(".")[0]);
    const asked = resources.length === 0 ? {} : { resources };
    assertEquals(record?.state === "device_pending" && record.request, {
      scope: ["notes:read"],
      ...asked,
    });
  }
});

Deno.test("authorizeDevice() stores digests, the request and nothing else, AS6", async () => {
  const site = deviceSite();
  const { device_code, user_code } = await site.device({ resource: API });
  const [id = "", secret = ""] = device_code.split(".");
  const at = site.app.clock.now;
  assertEquals([...site.codes.records.values()], [{
    state: "device_pending",
    id,
    issuer: ISSUER,
    clientId: "tv",
    request: { scope: ["openid", "notes:read"], resources: [API] },
    codeHash: await digestText(secret),
    createdAt: at,
    expiresAt: at + 600,
  }]);
  const stored = JSON.stringify([...site.codes.records.values()]);
  for (const text of [secret, user_code, user_code.replace("-", "")]) {
    assertEquals(stored.includes(text), false);
  }
});

Deno.test("authorizeDevice() takes another user code if one is taken, and fails if the store does", async () => {
  const site = deviceSite();
  const { create } = site.codes.store;
  let failures = 1;
  const codes = {
    ...site.codes.store,
    create: (...args: Parameters<typeof create>) =>
      failures-- > 0 ? Promise.reject(new Error("its id is taken")) : create(...args),
  };
  const other = deviceSite({ server: { codes, warn() {} } });
  assertEquals((await other.begin()).status, 200);
  failures = 2;
  await assertTokenError(await other.begin(), "server_error", 500);
});

const REFUSED: readonly (readonly [why: string, params: Params, error: string, reason: string])[] =
  [
    ["an unknown client", { client_id: "who" }, "invalid_client", "client_unknown"],
    ["a client that does not list the grant", {}, "unauthorized_client", "grant_type_not_allowed"],
    ["a scope that is unknown", { scope: "fly" }, "invalid_scope", "scope_too_wide"],
    ["a malformed scope", { scope: 'a"b' }, "invalid_scope", "scope_too_wide"],
    [
      "a scope that the client may not have",
      { scope: "notes:write" },
      "invalid_scope",
      "scope_too_wide",
    ],
    ["an unknown API", { resource: "https://other.example" }, "invalid_target", "resource_refused"],
  ];

for (const [why, params, error, reason] of REFUSED) {
  Deno.test(`authorizeDevice() refuses ${why}, and writes nothing, 8628-3.1`, async () => {
    const site = deviceSite();
    const clientId = reason === "grant_type_not_allowed" ? "spa" : "kiosk";
    await assertTokenError(await site.begin({ client_id: clientId, ...params }), error);
    assertEquals([lastRefusal(site), site.codes.calls], [reason, []]);
  });
}

Deno.test("authorizeDevice() authenticates clients that have a secret, and writes nothing if it is wrong", async () => {
  const site = deviceSite();
  const body = new URLSearchParams({ client_id: "box" });
  const response = await site.send("/oauth/device_authorization", { method: "POST", body });
  await assertTokenError(response, "invalid_client");
  assertEquals(site.codes.calls, []);
  assertEquals((await site.begin({ client_id: "box" })).status, 200);
});

Deno.test("authorizeDevice() limits the requests of one address", async () => {
  const site = deviceSite({ server: { clientAddress: () => "192.0.2.1" } });
  const statuses = new Set<number>();
  for (let i = 0; i < 501; i++) {
    const response = await site.begin();
    statuses.add(response.status);
    await response.body?.cancel();
  }
  assertEquals([[...statuses], site.codes.records.size], [[200, 429], 500]);
});

Deno.test("AuthorizationServer has no devices unless the grant is switched on, 8628-4", async () => {
  const off = serverSite();
  for (const path of ["/oauth/device", "/oauth/device_authorization"]) {
    assertEquals((await off.send(path, { method: "POST" })).status, 404);
  }
  const { device_authorization_endpoint: none } = off.server.metadata();
  const { device_authorization_endpoint, grant_types_supported } = deviceSite().server.metadata();
  assertEquals([none, device_authorization_endpoint, grant_types_supported], [
    undefined,
    `${ISSUER}/oauth/device_authorization`,
    GRANTS,
  ]);
});

Deno.test("The device authorization endpoint is open to pages of all origins, and the user's page to none", async () => {
  const site = deviceSite();
  const post = await site.begin();
  assertEquals(post.headers.get("Access-Control-Allow-Origin"), "*");
  const page = await site.send("/oauth/device");
  assertEquals([page.status, page.headers.get("Access-Control-Allow-Origin")], [200, null]);
  assertEquals((await site.send("/oauth/device", { method: "HEAD" })).status, 405);
  assertEquals((await site.send("/oauth/device_authorization")).status, 405);
});

Deno.test("AuthorizationServer refuses the grant without states or a throttle of user codes", () => {
  const { states } = deviceSite().options;
  const throttle = unlimited();
  const { userCode: _, ...others } = throttle;
  const rows: readonly Partial<AuthorizationServerOptions>[] = [
    { states: undefined },
    { throttle: undefined },
    { throttle: others },
  ];
  for (const row of rows) {
    const server = { grants: GRANTS, states, throttle, ...row };
    assertThrows(() => serverSite({ server }), TypeError, `the grant ${DEVICE_CODE} needs`);
  }
  serverSite({ server: { grants: GRANTS, states, throttle } });
});

for (const deviceCode of [0, -1, 3_601, NaN]) {
  Deno.test(`AuthorizationServer refuses a lifetime of device codes of ${deviceCode}`, () => {
    assertThrows(() => deviceSite({ server: { lifetimes: { deviceCode } } }), RangeError);
  });
}

Deno.test("authorizeDevice() of two servers with one store has codes of its own", async () => {
  const site = deviceSite();
  const first = await site.device();
  const second = await site.device();
  assertNotEquals(first.device_code, second.device_code);
  assertNotEquals(first.user_code, second.user_code);
});

function unlimited(): NonNullable<AuthorizationServerOptions["throttle"]> {
  return {
    challenge: () => Promise.resolve(),
    token: () => Promise.resolve({ fail: () => Promise.resolve() }),
    userCode: () => Promise.resolve(),
  };
}
