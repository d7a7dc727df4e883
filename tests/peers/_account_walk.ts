/**
 * A program that uses the operations of accounts by e-mail and of second factors by a client.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import type { Outbox } from "../../examples/notes/outbox.ts";
import { OPENAPI_FETCH } from "./versions.ts";

/** The latest message of a kind. */
export type ReadMail = (kind: string) => Promise<{ readonly url?: string; readonly code?: string }>;

/** Reads messages from the outbox of the service. */
export function mailReader(outbox: Outbox): ReadMail {
  return async (kind) => {
    for (let turn = 0; turn < 100; turn++) {
      const message = outbox.list().find((one) => one.kind === kind);
      if (message !== undefined) return message;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`There is no message: ${kind}`);
  };
}

const TOTP = toFileUrl(join(ROOT, "auth/factors/totp.ts")).href;

/** Exports `walkAccounts`: somebody registers, uses every flow, sets up a second factor, and deletes the account. */
export const ACCOUNT_WALK: string = `import { assert, assertEquals } from "@std/assert";
import type createClient from "${OPENAPI_FETCH}";
import { totpCode } from "${TOTP}";
import type { paths } from "./api.ts";

type Client = ReturnType<typeof createClient<paths>>;
type Mail = (kind: string) => Promise<{ readonly url?: string; readonly code?: string }>;

async function tokenOf(client: Client): Promise<{ header: { "X-CSRF-Token": string } }> {
  const { data } = await client.GET("/auth/csrf");
  assert(data !== undefined);
  return { header: { "X-CSRF-Token": data.csrfToken } };
}

/** A client does not read what has the length 0. The test, which has a copy of the response, does not either. */
async function accepted({ response }: { response: Response }): Promise<void> {
  assertEquals(response.status, 202);
  await response.text();
}

async function linkOf(mail: Mail, kind: string): Promise<string> {
  return new URL((await mail(kind)).url ?? "").searchParams.get("token") ?? "";
}

export async function walkAccounts(client: Client, phone: Client, mail: Mail): Promise<void> {
  const email = "hopper@example.org";
  const credentials = { identifier: email, password: "seven grey moths at noon" };
  const params = () => tokenOf(client);
  await client.POST("/auth/register", { params: await params(), body: credentials });
  await accepted(await client.POST("/auth/email/verify/start", { params: await params() }));
  const body = { token: await linkOf(mail, "verify_email") };
  const verified = await client.POST("/auth/email/verify/finish", { params: await params(), body });
  assertEquals(verified.data?.email, email);
  const change = { email: "grace.hopper@example.org" };
  await accepted(await client.POST("/auth/email/change", { params: await params(), body: change }));

  const own = { params: await tokenOf(phone), body: { email } };
  await accepted(await phone.POST("/auth/link/start", own));
  const link = { token: await linkOf(mail, "sign_in_link") };
  const linked = await phone.POST("/auth/link/finish", { params: await tokenOf(phone), body: link });
  assertEquals(linked.data?.principal.amr, ["email"]);
  const next = { params: await tokenOf(phone), body: { email } };
  await accepted(await phone.POST("/auth/code/start", next));
  const { code = "" } = await mail("sign_in_code");
  const coded = await phone.POST("/auth/code/finish", {
    params: await tokenOf(phone),
    body: { email, code },
  });
  assertEquals(coded.data?.user.identifier, email);

  const before = await client.GET("/auth/second-factors");
  assertEquals(before.data?.totp, undefined);
  const enrolled = await client.POST("/auth/second-factors/totp/start", { params: await params() });
  const secret: string = enrolled.data?.secret ?? "";
  const confirmed = await client.POST("/auth/second-factors/totp/confirm", {
    params: await params(),
    body: { code: await totpCode(secret, Date.now() / 1000) },
  });
  const [first = "", second = "", third = ""] = confirmed.data?.recoveryCodes ?? [];
  const login = await phone.POST("/auth/login", { params: await tokenOf(phone), body: credentials });
  assertEquals([login.response.status, login.error?.code], [401, "mfa_required"]);
  const both = await phone.POST("/auth/login/second-factor", {
    params: await tokenOf(phone),
    body: { recoveryCode: first, rememberBrowser: false },
  });
  assertEquals(both.data?.principal.amr?.includes("mfa"), true);
  const program = await phone.POST("/tokens/login", { body: credentials });
  const { ticket } = program.error as unknown as { ticket: string };
  const issued = await phone.POST("/tokens/login/second-factor", {
    body: { ticket, recoveryCode: second },
  });
  assertEquals(issued.data?.tokenType, "Bearer");
  const stepped = await client.POST("/auth/step-up", {
    params: await params(),
    body: { recoveryCode: third },
  });
  assertEquals(stepped.response.status, 200);
  const codes = await client.POST("/auth/second-factors/recovery-codes", { params: await params() });
  assertEquals(codes.data?.recoveryCodes.length, 10);
  const removed = await client.POST("/auth/second-factors/remove", { params: await params() });
  assertEquals([removed.response.status, removed.data], [204, undefined]);

  const forgot = { identifier: email };
  await accepted(
    await client.POST("/auth/password/forgot", { params: await params(), body: forgot }),
  );
  const newPassword = "nine green frogs at dusk";
  const reset = await client.POST("/auth/password/reset", {
    params: await params(),
    body: { token: await linkOf(mail, "reset_password"), newPassword },
  });
  assertEquals([reset.response.status, reset.error], [204, undefined]);
  const again = await client.POST("/auth/login", {
    params: await params(),
    body: { ...credentials, password: newPassword },
  });
  assertEquals(again.response.status, 200);
  const deleted = await client.DELETE("/account");
  assertEquals([deleted.response.status, deleted.error], [204, undefined]);
  assertEquals((await client.GET("/auth/session")).response.status, 401);
}
`;
