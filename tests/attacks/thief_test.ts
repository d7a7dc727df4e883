/** What a thief can do: the table of docs/accounts.md, row by row; rows are only added. */

import { type AccountMessage, emailAccounts, totpCode, totpFactors } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { createTestApp, type TestApp } from "../auth/http/_app.ts";
import type { TestBrowser } from "../auth/_browser.ts";
import { ADA, OTHER_PASSWORD, PASSWORD } from "../auth/_services.ts";

interface Victim extends TestApp {
  /** Ada's own browser, signed in by both factors. */
  readonly owner: TestBrowser;
  /** The thief's. */
  readonly thief: TestBrowser;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** A code of the authenticator that was not used. */
  code(): Promise<string>;
  /** The latest message of a kind. */
  mail(kind: AccountMessage["kind"]): Promise<AccountMessage>;
}

/** Ada has a verified address and an authenticator, and is signed in by both factors. */
async function createVictim(): Promise<Victim> {
  const outbox: AccountMessage[] = [];
  const app = createTestApp({
    accounts: emailAccounts({
      deliver: (message) => void outbox.push(message),
      origin: "https://example.com",
      verifyEmail: { page: "/verify" },
      changeEmail: { page: "/verify" },
      resetPassword: { page: "/reset" },
      signInLink: { page: "/link", anyBrowser: true },
      signInCode: {},
    }),
    secondFactors: totpFactors({ issuer: "Notes" }),
  });
  const { clock, stores } = app;
  const owner = app.browser();
  assertEquals((await owner.register()).status, 201);
  async function mail(kind: AccountMessage["kind"]): Promise<AccountMessage> {
    for (let turn = 0; turn < 100; turn++) {
      const message = outbox.findLast((one) => one.kind === kind);
      if (message !== undefined) return message;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    throw new Error(`No message: ${kind}`);
  }
  const token = tokenOf(await mail("verify_email"));
  assertEquals((await owner.post("/auth/email/verify/finish", { token })).status, 200);
  const { secret } = await (await owner.post("/auth/second-factors/totp/start")).json();
  const code = async (): Promise<string> => {
    clock.now += 30; // the next step
    return await totpCode(secret, clock.now);
  };
  const confirmed = await owner.post("/auth/second-factors/totp/confirm", { code: await code() });
  const { recoveryCodes } = await confirmed.json();
  assertEquals((await owner.post("/auth/step-up", { totp: await code() })).status, 200);
  outbox.length = 0;
  assert(
    await stores.factors.find((await stores.users.findByIdentifier(ADA.identifier))?.sub ?? ""),
  );
  return { ...app, owner, thief: app.browser(), secret, recoveryCodes, code, mail };
}

function tokenOf({ url = "" }: AccountMessage): string {
  return new URL(url).searchParams.get("token") ?? "";
}

async function refusal(response: Response): Promise<string> {
  assert(response.status >= 400, `${response.status}`);
  return (await response.json()).code;
}

/** Whether a browser has a session. */
async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  return (await browser.send("/me")).status === 200;
}

/** The first column of the table, and its test. */
const ROWS: Readonly<Record<string, (victim: Victim) => Promise<void>>> = {
  async "the mailbox"({ thief, mail, stores, runtime }) {
    await thief.post("/auth/link/start", { email: ADA.identifier });
    const link = { token: tokenOf(await mail("sign_in_link")) };
    assertEquals(await refusal(await thief.post("/auth/link/finish", link)), "mfa_required");
    await thief.post("/auth/code/start", { email: ADA.identifier });
    const code = { email: ADA.identifier, code: (await mail("sign_in_code")).code };
    assertEquals(await refusal(await thief.post("/auth/code/finish", code)), "mfa_required");
    await thief.post("/auth/password/forgot", { identifier: ADA.identifier });
    const reset = { token: tokenOf(await mail("reset_password")), newPassword: OTHER_PASSWORD };
    assertEquals((await thief.post("/auth/password/reset", reset)).status, 204);
    const login = await thief.login({ ...ADA, password: OTHER_PASSWORD });
    assertEquals(await refusal(login), "mfa_required");
    assertEquals(await isSignedIn(thief), false);
    const user = await stores.users.findByIdentifier(ADA.identifier);
    assertEquals(await runtime.secondFactors?.has(user?.sub ?? ""), true);
  },

  async "the password"({ thief, owner, code }) {
    assertEquals(await refusal(await thief.login()), "mfa_required");
    const right = await code();
    const wrong = right === "000000" ? "000001" : "000000";
    const codes: string[] = [];
    for (let i = 0; i < 6; i++) {
      if (i === 5) await thief.login(); // another ticket
      codes.push(await refusal(await thief.post("/auth/login/second-factor", { totp: wrong })));
    }
    assertEquals(codes, [...Array(5).fill("invalid_second_factor"), "throttled"]);
    const step = await owner.post("/auth/step-up", { totp: right });
    assertEquals(await refusal(step), "throttled"); // the owner waits, too
    const later = await owner.post("/auth/step-up", { totp: await code() }); // 30 s later
    assertEquals(later.status, 200);
    assertEquals(await isSignedIn(thief), false);
  },

  async "the phone"({ thief, code }) {
    const totp = await code();
    assertEquals(
      await refusal(await thief.post("/auth/login/second-factor", { totp })),
      "mfa_expired",
    );
    const login = await thief.login({ ...ADA, password: OTHER_PASSWORD });
    assertEquals(await refusal(login), "invalid_credentials");
    assertEquals(await isSignedIn(thief), false);
  },

  async "the recovery codes"({ thief, recoveryCodes: [recoveryCode] }) {
    const used = await thief.post("/auth/login/second-factor", { recoveryCode });
    assertEquals(await refusal(used), "mfa_expired");
    assertEquals(await isSignedIn(thief), false);
  },

  async "the password and one code"({ thief, browser, code }) {
    const totp = await code();
    await thief.login();
    assertEquals((await thief.post("/auth/login/second-factor", { totp })).status, 200);
    const again = browser();
    await again.login();
    const second = await again.post("/auth/login/second-factor", { totp });
    assertEquals(await refusal(second), "invalid_second_factor");
  },

  async "a remembered browser's cookie"({ owner, browser, code, runtime }) {
    await owner.logout();
    await owner.login();
    const proof = { totp: await code(), rememberBrowser: true };
    assertEquals((await owner.post("/auth/login/second-factor", proof)).status, 200);
    const { mfadev } = runtime.cookies.names;
    const cookie = owner.jar.get(mfadev) ?? "";
    const thief = browser();
    thief.jar.set(mfadev, cookie);
    assertEquals(await isSignedIn(thief), false);
    const login = await thief.login({ ...ADA, password: OTHER_PASSWORD });
    assertEquals(await refusal(login), "invalid_credentials");
    assertEquals((await thief.login()).status, 200); // what the cookie is for
  },

  async "the session cookie"({ owner, thief, clock, runtime }) {
    const { sid } = runtime.cookies.names;
    thief.jar.set(sid, owner.jar.get(sid) ?? "");
    assertEquals(await isSignedIn(thief), true);
    clock.now += 901;
    const changes: readonly (readonly [path: string, body: unknown])[] = [
      ["/auth/email/change", { email: "eve@example.com" }],
      ["/auth/second-factors/totp/start", {}],
      ["/auth/second-factors/recovery-codes", {}],
      ["/auth/second-factors/remove", {}],
    ];
    for (const [path, body] of changes) {
      const code = await refusal(await thief.post(path, body));
      assertEquals(code, "insufficient_authentication", path);
    }
  },

  async "a used link"({ owner, thief, mail }) {
    await owner.post("/auth/password/forgot", { identifier: ADA.identifier });
    const token = tokenOf(await mail("reset_password"));
    const reset = { token, newPassword: OTHER_PASSWORD };
    assertEquals((await owner.post("/auth/password/reset", reset)).status, 204);
    const again = await thief.post("/auth/password/reset", { ...reset, newPassword: PASSWORD });
    assertEquals(await refusal(again), "invalid_link");
  },

  async "the database"({ owner, thief, stores, runtime, mail, secret, recoveryCodes }) {
    await owner.post("/auth/password/forgot", { identifier: ADA.identifier });
    const token = tokenOf(await mail("reset_password"));
    const user = await stores.users.findByIdentifier(ADA.identifier);
    const sub = user?.sub ?? "";
    const sessions = await stores.sessions.list(sub);
    const dump = JSON.stringify([user, sessions, await stores.factors.find(sub)]);
    const session = owner.jar.get(runtime.cookies.names.sid) ?? "";
    const secrets = [PASSWORD, session, token, secret, ...recoveryCodes];
    assertEquals(secrets.filter((one) => one === "" || dump.includes(one)), []);
    for (const { tokenHash } of sessions) {
      thief.jar.set(runtime.cookies.names.sid, tokenHash);
      assertEquals(await isSignedIn(thief), false);
    }
  },
};

for (const [what, run] of Object.entries(ROWS)) {
  Deno.test(`A thief of ${what} can do what docs/accounts.md says, and no more`, async () => {
    await run(await createVictim());
  });
}

Deno.test("docs/accounts.md says of every thief what a test shows", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/accounts.md", import.meta.url));
  const [, table = ""] = page.split(/^\| a thief of .*$/m);
  const rows = [...table.matchAll(/^\| ([a-z][^|]*?) +\|/gm)].map(([, first]) => first);
  assertEquals(rows, Object.keys(ROWS));
});
