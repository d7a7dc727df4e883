/**
 * An application whose engine fails and recovers: until then requests get a 500 without details, no session is treated as
 * anonymous, and afterwards every session is valid again.
 */

import { assert, assertEquals } from "@std/assert";
import { authStores } from "../../auth/stores/repo.ts";
import type { AuthStores } from "../../auth/stores/types.ts";
import type { TestApp, TestBrowser } from "../auth/http/_app.ts";
import { assertRefused, FAULT, type Refusal } from "../auth/http/_routes.ts";
import { ADA, PASSWORD, START } from "../auth/_services.ts";
import { createTokenApp, refresh, signInForTokens } from "../auth/http/_token_routes.ts";
import { type AdapterOptions, type Client, CLIENTS } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";
import {
  assertTellsNothing,
  eventually,
  type FaultyPlace,
  inTime,
  openFaulty,
  secretsOf,
  TIMEOUT_MS,
} from "./_faults.ts";

/** An application on an engine that can fail, with Ada signed in. */
interface FaultyApp extends TestApp, Pick<FaultyPlace, "proxy" | "direct" | "reconnected"> {
  readonly ada: TestBrowser;
}

/** Guesses before the first wait. */
const FREE_GUESSES = 5;

/** The response of a guard that also accepts tokens. */
const GUARD_FAULT: Refusal = { ...FAULT, headers: { vary: "Authorization, Cookie" } };

/** Clients without a time limit. */
const PATIENT: readonly Client[] = ["postgres.js"];

for (const { name, engine } of CLIENTS) {
  const appTest = (
    title: string,
    run: (app: FaultyApp) => Promise<void>,
    options?: RunOptions,
  ) =>
    engineTest(engine, `${title}, over ${name}`, (url) => runApp(name, { ...options, url }, run));

  appTest("a guard responds 500 while the engine is away", async (app) => {
    const { ada, proxy, browser, errors } = app;
    const cookies = ada.jar.field();
    proxy.close();
    for (let times = 0; times < 3; times++) {
      for (const path of ["/me", "/maybe"]) {
        await assertRefused(await inTime(ada.send(path)), GUARD_FAULT);
      }
      const { status } = await inTime(ada.send("/auth/session"));
      assertEquals(status, 500);
    }
    assertEquals((await ada.send("/public")).status, 200);
    assertEquals(
      (await browser().send("/me")).status,
      401,
      "a request without credentials needs no store",
    );
    assertEquals(errors.length, 9, "every failure is reported");
    proxy.open();
    await untilBack(ada);
    assertEquals(ada.jar.field(), cookies);
  });

  appTest("a guard accepts a session after the engine restarted", async (app) => {
    const { ada, proxy } = app;
    for (let times = 0; times < 3; times++) {
      proxy.close();
      await new Promise((resolve) => setTimeout(resolve, 100)); // the idle client notices it
      proxy.open();
      await untilBack(ada);
    }
  });

  appTest("a guard responds 500 while the engine hangs", async ({ ada, proxy }) => {
    proxy.hang();
    const answer = ada.send("/me");
    if (PATIENT.includes(name)) {
      await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS));
      proxy.close();
    }
    await assertRefused(await inTime(answer), GUARD_FAULT);
    proxy.open();
    await untilBack(ada);
  }, { timeoutMs: TIMEOUT_MS });

  appTest("/auth/login responds 500 while the engine is away", async (app) => {
    const { ada, proxy, hasher, browser } = app;
    const page = browser();
    await page.token();
    proxy.close();
    await assertRefused(await inTime(page.login()), FAULT);
    assertEquals(hasher.calls, [], "no password is verified unless the attempt is counted");
    assertEquals(page.jar.names().includes("__Host-sid"), false);
    proxy.open();
    await untilBack(ada);
    assertEquals((await page.login()).status, 200);
  });

  appTest("/auth/login responds 500 while attempts cannot be counted", async (app) => {
    const { ada, proxy, hasher, browser } = app;
    const page = browser();
    await page.token();
    proxy.close();
    await assertRefused(await inTime(page.login()), FAULT);
    assertEquals(hasher.calls, []);
    assertEquals((await ada.send("/me")).status, 200, "a session needs no attempt");
    proxy.open();
    const response = await eventually(() => page.login(), {
      is: ({ status }) => status === 200,
      otherwise: (refused) => assertRefused(refused, FAULT),
    });
    assertEquals((await response.json()).principal.sub, "u1");
  }, { faulty: "throttle" });

  appTest("/auth/login allows no more guesses if the engine fails during one", async (app) => {
    const { proxy, hasher, browser, reconnected } = app;
    const page = browser();
    await page.token();
    const guess = () => inTime(page.login({ ...ADA, password: `${PASSWORD}!` }));
    for (let failures = 1; failures <= 3; failures++) {
      proxy.dropAt(`"failures":${failures}`, "after the request");
      await assertRefused(await guess(), FAULT);
      assertEquals(proxy.drops, failures);
      assertEquals(hasher.calls, []);
      await reconnected();
    }
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 9) statuses.push((await guess()).status);
    assertEquals(statuses, [...statuses.slice(0, -1).map(() => 401), 429]);
    assert(statuses.length <= 1 + FREE_GUESSES, `${statuses}`);
  });

  appTest("/auth/login sets no cookie if the response for its session is lost", async (app) => {
    const { proxy, direct, browser, reconnected } = app;
    const page = browser();
    await page.token();
    proxy.dropAt('"authTime"', "after the request");
    await assertRefused(await inTime(page.login()), FAULT);
    assertEquals(proxy.drops, 1);
    assertEquals(page.jar.names().includes("__Host-sid"), false);
    const { sessions } = authStores(direct.adapter);
    assertEquals(
      (await sessions.list("u1")).length,
      2,
      "Ada's, and one whose token was never sent",
    );
    await reconnected();
    assertEquals((await page.login()).status, 200);
  });

  appTest("/auth/logout keeps the cookie if the engine is away", async ({ ada, proxy }) => {
    await ada.token();
    const cookies = ada.jar.field();
    proxy.close();
    await assertRefused(await inTime(ada.logout()), FAULT);
    proxy.open();
    await untilBack(ada);
    assertEquals(ada.jar.field(), cookies);
    assertEquals((await ada.logout()).status, 204);
    assertEquals((await ada.send("/me")).status, 401);
  });

  appTest(
    "/auth/refresh accepts a token again if the engine did not get the request",
    async (app) => {
      const { refreshToken } = await signInForTokens(app);
      app.proxy.dropAt('"generation":1', "before the request");
      await assertRefreshFails(app, refreshToken);
      const answer = await inTime(refresh(app, refreshToken));
      assertEquals(answer.status, 200);
      assertEquals((await refresh(app, (await answer.json()).refreshToken)).status, 200);
    },
  );

  appTest("/auth/refresh treats a token whose response was lost as reused", async (app) => {
    const { refreshToken } = await signInForTokens(app);
    app.proxy.dropAt('"generation":1', "after the request");
    await assertRefreshFails(app, refreshToken);
    assertEquals((await inTime(refresh(app, refreshToken))).status, 401);
    const families = await authStores(app.direct.adapter).refreshTokens.list("u1");
    assertEquals(families, [], "both tokens are revoked");
    assertEquals((await app.browser().login()).status, 200);
  });
}

async function assertRefreshFails(app: FaultyApp, refreshToken: string): Promise<void> {
  const response = await inTime(refresh(app, refreshToken));
  assertEquals(app.proxy.drops, 1);
  assertEquals([response.status, (await response.json()).code], [500, "internal_error"]);
  await app.reconnected();
}

/** Repeats a request with the same cookie until the engine is back; until then the response must be a 500. */
async function untilBack(page: TestBrowser): Promise<void> {
  const response = await eventually(() => page.send("/me"), {
    is: ({ status }) => status === 200,
    otherwise: (refused) => assertRefused(refused, GUARD_FAULT),
  });
  assertEquals(await response.json(), { sub: "u1", method: "session" });
}

interface RunOptions extends Pick<AdapterOptions, "timeoutMs"> {
  /** The only store that is connected through the proxy. @default all */
  readonly faulty?: keyof AuthStores;
}

/** Runs an application on an engine, and checks that its reports disclose no secret. */
async function runApp(
  client: Client,
  { url, timeoutMs, faulty }: RunOptions & { readonly url: string },
  run: (app: FaultyApp) => Promise<void>,
): Promise<void> {
  const clock = { now: START };
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  await using place = await openFaulty(client, { ...limit, url, now: () => clock.now });
  const { proxy, direct, reconnected } = place;
  const stores = authStores(place.faulty.adapter);
  const app = createTokenApp({
    stores: faulty === undefined ? stores : {
      ...authStores(direct.adapter),
      [faulty]: stores[faulty],
    },
    clock,
  });
  const ada = await app.signedIn();
  const token = ada.jar.get("__Host-sid") ?? "";
  assertEquals((await ada.send("/me")).status, 200);
  await run({ ...app, proxy, direct, reconnected, ada });

  const { errors, events, warnings } = app;
  assertTellsNothing([errors, events, warnings], [
    ...secretsOf(proxy.url),
    ...[token, PASSWORD, ADA.identifier],
  ]);
}
