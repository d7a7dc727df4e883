/** The grant of the device flow, RFC 8628 §3.4 and §3.5: polls, tokens, and what ends them. AS35 */

import { assert, assertEquals } from "@std/assert";
import { inMemoryAuthStores } from "../../../auth/mod.ts";
import { DEVICE_REQUESTS as REQUESTS } from "../../_effort.ts";
import { DEVICE_CODE, type DeviceCodes, type DeviceSite, deviceSite } from "./_device.ts";
import { API, assertTokenError, claimsOf, ISSUER, type Params } from "./_site.ts";
import { changingClients, isAlive, lastRefusal, refreshAs, tokensOf, userinfo } from "./_tokens.ts";

/** A device whose user has allowed it. */
async function allowed(site: DeviceSite, params?: Params): Promise<DeviceCodes> {
  const device = await site.device(params);
  await (await site.answer(await site.signedIn(), device.user_code)).body?.cancel();
  return device;
}

Deno.test("redeemDeviceCode() gives an access token, an ID token and a refresh token, 8628-3.5, 9068-2", async () => {
  const site = deviceSite();
  const device = await allowed(site, { scope: "openid offline_access notes:read" });
  const tokens = await tokensOf(await site.poll(device));
  const { gid: grantId, ...claims } = claimsOf(tokens.access_token);
  assertEquals(
    [claims["iss"], claims["sub"], claims["aud"], claims["client_id"], claims["scope"]],
    [ISSUER, "u1", [API, ISSUER], "tv", "openid offline_access notes:read"],
  );
  const id = claimsOf(tokens.id_token);
  assertEquals([id["aud"], id["sub"], id["nonce"]], ["tv", "u1", undefined]);
  const at = site.app.clock.now;
  const created = site.app.events.filter(({ type }) => type === "grant.created");
  assertEquals<unknown>(created, [
    { type: "grant.created", at, sub: "u1", clientId: "tv", grantId },
  ]);
  assertEquals((await site.server.listGrants("u1")).map((grant) => grant.clientId), ["tv"]);
  assertEquals(await isAlive(site, tokens, "tv"), [true, true]);
});

Deno.test("redeemDeviceCode() gives no refresh token to a client that does not list the grant", async () => {
  const site = deviceSite();
  const device = await allowed(site, { client_id: "box" });
  const tokens = await tokensOf(await site.poll(device, { client_id: "box" }));
  assertEquals([tokens.refresh_token, (await userinfo(site, tokens.access_token)).status], [
    undefined,
    200,
  ]);
});

Deno.test("redeemDeviceCode() has the audience that was requested, and narrows it, 8707-2.2", async () => {
  const site = deviceSite({ server: { resources: [API, "https://two.example"] } });
  const params = { scope: "notes:read", resource: API };
  const device = await allowed(site, params);
  const other = { resource: "https://two.example" };
  await assertTokenError(await site.poll(device, other), "invalid_target");
  const tokens = await tokensOf(await site.poll(device));
  assertEquals(claimsOf(tokens.access_token)["aud"], API);
});

Deno.test("redeemDeviceCode() answers authorization_pending each 5 seconds, and slow_down before, 8628-3.5", async () => {
  const site = deviceSite();
  const device = await site.device();
  const outcomes: string[] = [];
  for (const wait of [0, 0, 4, 1, 5, 4.9, 0.1, 60, 1]) {
    site.app.clock.now += wait;
    outcomes.push((await (await site.poll(device)).json()).error);
  }
  const [wait, slow] = ["authorization_pending", "slow_down"];
  assertEquals(outcomes, [wait, slow, slow, wait, wait, slow, wait, wait, slow]);
  await (await site.answer(await site.signedIn(), device.user_code)).body?.cancel();
  await tokensOf(await site.poll(device)); // at once: there is nothing to wait for
});

Deno.test("redeemDeviceCode() lets one of 20 polls at once in 4 processes through, 8628-3.5", async () => {
  const site = deviceSite();
  const { app, options } = site;
  const { codes, states } = options;
  const sites = [
    site,
    ...Array.from(
      { length: 3 },
      () =>
        deviceSite({ app: { stores: app.stores, clock: app.clock }, server: { codes, states } }),
    ),
  ];
  const device = await site.device();
  const polls = await Promise.all(
    Array.from({ length: 5 }, () => sites.map((one) => one.poll(device))).flat(),
  );
  const errors = await Promise.all(polls.map(async (poll) => (await poll.json()).error));
  assertEquals(errors.filter((error) => error === "authorization_pending").length, 1);
  assertEquals(errors.filter((error) => error === "slow_down").length, 19);
});

Deno.test("redeemDeviceCode() counts no poll that has to wait as a refusal, so that many devices can wait", async () => {
  const site = deviceSite({ server: { clientAddress: () => "192.0.2.1" } });
  const devices = await Promise.all(Array.from({ length: 10 }, () => site.device()));
  for (let i = 0; i < 100; i++) {
    site.app.clock.now += 5;
    const polls = await Promise.all(devices.map((device) => site.poll(device)));
    for (const poll of polls) await assertTokenError(poll, "authorization_pending");
  }
  assertEquals(site.app.events.filter(({ type }) => type === "token.refused"), []);
  // Those that do not wait are
  const [device] = devices;
  assert(device !== undefined);
  const statuses = new Set<number>();
  for (let i = 0; i < 502; i++) {
    const poll = await site.poll(device);
    statuses.add(poll.status);
    await poll.body?.cancel();
  }
  assertEquals([...statuses], [400, 429]);
});

for (const processes of [1, 4]) {
  Deno.test(`redeemDeviceCode() redeems one of 20 polls at once in ${processes} processes, and ends the grant, AS9, AS35`, async () => {
    const site = deviceSite();
    const { app, options } = site;
    const { codes, states } = options;
    const others = Array.from(
      { length: processes - 1 },
      () =>
        deviceSite({ app: { stores: app.stores, clock: app.clock }, server: { codes, states } }),
    );
    const device = await allowed(site);
    const sites = [site, ...others];
    const polls = await Promise.all(
      Array.from({ length: 20 / processes }, () => sites.map((one) => one.poll(device))).flat(),
    );
    const bodies = await Promise.all(polls.map(async (poll) => await poll.json()));
    const [won, ...more] = bodies.filter(({ access_token }) => access_token !== undefined);
    assertEquals([more, won !== undefined], [[], true]);
    assertEquals([...new Set(bodies.flatMap(({ error }) => error ?? []))], ["invalid_grant"]);
    assertEquals(await isAlive(site, won, "tv"), [false, false]);
    assertEquals(await site.server.listGrants("u1"), []);
  });
}

Deno.test("redeemDeviceCode() of a device code that was redeemed ends the grant, as a code does, AS11", async () => {
  const site = deviceSite();
  const device = await allowed(site);
  const tokens = await tokensOf(await site.poll(device));
  site.app.clock.now += 3_600; // long after the code has expired
  await assertTokenError(await site.poll(device), "invalid_grant");
  assertEquals(lastRefusal(site), "code_replayed");
  assertEquals((await refreshAs(site, "tv", tokens.refresh_token)).status, 400);
});

Deno.test("redeemDeviceCode() answers expired_token once 600 seconds are over, decided or not, 8628-3.5", async () => {
  const site = deviceSite();
  const [pending, granted] = [await site.device(), await allowed(site)];
  const { device_code } = await site.device();
  site.app.clock.now += 599;
  await assertTokenError(await site.poll(pending), "authorization_pending");
  site.app.clock.now += 1;
  for (const device of [pending, granted]) {
    await assertTokenError(await site.poll(device), "expired_token");
  }
  // Most stores have deleted it by then
  const gone = deviceSite();
  await assertTokenError(await gone.poll({ ...pending, device_code }), "expired_token");
});

Deno.test("redeemDeviceCode() does not tell a made-up code from one whose user code exists", async () => {
  const site = deviceSite();
  const [pending, granted] = [await site.device(), await allowed(site)];
  const secret = "A".repeat(43);
  for (const { device_code } of [pending, granted]) {
    const [id = ""] = device_code.split(".");
    for (const one of [id, "A".repeat(22)]) {
      const poll = await site.poll({ ...pending, device_code: `${one}.${secret}` });
      await assertTokenError(poll, "expired_token");
    }
  }
  await tokensOf(await site.poll(granted));
});

Deno.test("redeemDeviceCode() refuses a device code of another client, and leaves it, 8628-3.4", async () => {
  const site = deviceSite();
  const device = await allowed(site);
  for (const clientId of ["box", "kiosk", "both"]) {
    await assertTokenError(await site.poll(device, { client_id: clientId }), "invalid_grant");
    assertEquals(lastRefusal(site), "client_mismatch");
  }
  await tokensOf(await site.poll(device));
});

/** Requests that have no device code. */
const MALFORMED:
  readonly (readonly [why: string, deviceCode: string | undefined, error: string])[] = [
    ["none", undefined, "invalid_request"],
    ["an empty one", "", "invalid_request"],
    ["another text", "x", "invalid_grant"],
    ["a longer one", `${"A".repeat(22)}.${"A".repeat(44)}`, "invalid_grant"],
    ["a very long one", "A".repeat(10_000), "invalid_grant"],
  ];
for (const [why, deviceCode, error] of MALFORMED) {
  Deno.test(`redeemDeviceCode() refuses ${why}`, async () => {
    const site = deviceSite();
    const form = { grant_type: DEVICE_CODE, client_id: "tv", device_code: deviceCode };
    await assertTokenError(await site.token(form), error);
    assertEquals(site.codes.calls, []);
  });
}

Deno.test("redeemDeviceCode() takes no authorization code, which would need no verifier, nor redeemCode() a device code", async () => {
  const site = deviceSite();
  const browser = await site.signedIn();
  const code = await site.code(browser, { client_id: "both" });
  const device = await allowed(site, { client_id: "both" });
  const form = { grant_type: DEVICE_CODE, client_id: "both", device_code: code };
  await assertTokenError(await site.token(form), "invalid_grant");
  const asCode = await site.redeem(device.device_code, {
    client_id: "both",
    redirect_uri: "https://app.example/cb",
  });
  await assertTokenError(asCode, "invalid_grant");
  assertEquals(lastRefusal(site), "code_unknown");
  const redeemed = await site.redeem(code, {
    client_id: "both",
    redirect_uri: "https://app.example/cb",
  });
  await tokensOf(redeemed);
  await tokensOf(await site.poll(device, { client_id: "both" }));
});

/** Changes between the decision and the poll. */
const CHANGES: readonly (readonly [why: string, change: object | null, error: string])[] = [
  ["deleted", null, "invalid_client"],
  ["disabled", { disabled: true }, "invalid_client"],
  ["without the grant", { grants: ["refresh_token"] }, "unauthorized_client"],
  ["without the scopes", { scope: [] }, "invalid_scope"],
];
for (const [why, change, error] of CHANGES) {
  Deno.test(`redeemDeviceCode() refuses a client that is ${why} meanwhile, AS46`, async () => {
    const clients = changingClients();
    clients.current.change = { grants: [DEVICE_CODE] };
    const site = deviceSite({ server: { clients: clients.clients } });
    const device = await allowed(site, { client_id: "spa" });
    clients.current.change = change === null ? null : { grants: [DEVICE_CODE], ...change };
    await assertTokenError(await site.poll(device, { client_id: "spa" }), error);
    clients.current.change = { grants: [DEVICE_CODE] };
    await tokensOf(await site.poll(device, { client_id: "spa" }));
  });
}

Deno.test("redeemDeviceCode() refuses the device of a user whose password has changed", async () => {
  const site = deviceSite();
  const device = await allowed(site);
  const user = await site.app.stores.users.findBySub("u1");
  assert(user !== null);
  const stamp = { securityStamp: "another" };
  assertEquals(await site.app.stores.users.update("u1", user.version, stamp), "updated");
  await assertTokenError(await site.poll(device), "invalid_grant");
  assertEquals(lastRefusal(site), "user_refused");
});

Deno.test(`AuthorizationServer keeps device codes until they expire, in bounded memory, of ${REQUESTS} requests, 8628-5`, async () => {
  const clock = { now: () => 0 };
  const { authorizations } = inMemoryAuthStores({ now: () => clock.now() });
  const ids: string[] = [];
  const codes: typeof authorizations = {
    ...authorizations,
    create(authorization) {
      ids.push(authorization.id);
      return authorizations.create(authorization);
    },
  };
  const nothing = () => Promise.resolve();
  const token = () => Promise.resolve({ fail: nothing });
  const throttle = { challenge: nothing, userCode: nothing, token };
  const site = deviceSite({ server: { codes, throttle } });
  clock.now = () => site.app.clock.now;
  for (let i = 0; i < REQUESTS; i++) {
    site.app.clock.now += 1;
    await (await site.begin()).body?.cancel();
  }
  const count = async () => {
    const found = await Promise.all(ids.map((id) => authorizations.find(id)));
    return found.filter((one) => one !== null).length;
  };
  assertEquals(await count(), 600);
  clock.now = () => 0; // nothing has expired, so that every record in memory is found
  const kept = await count();
  assert(kept >= 600 && kept < 1_500, `${kept} records`);
});
