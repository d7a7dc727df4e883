/**
 * An application whose own handlers sign users in.
 *
 * @module
 */

import {
  type Authentication,
  empty,
  json,
  type PasswordAuthentication,
  type RouteRequest,
  type SignedIn,
  type SignInOptions,
} from "@gatehouse/http";
import { assert } from "@std/assert";
import { createTestApp, type TestApp, type TestAppOptions, type TestBrowser } from "./_app.ts";
import { ADA } from "../_services.ts";

export interface Entered {
  readonly app: TestApp;
  readonly client: TestBrowser;
  readonly cookies: readonly string[];
  readonly data: SignedIn;
  send(): Promise<Response>;
}

/** A browser that signed in with a handler of the application. */
export async function signedIn(
  { app: given = {}, options = {} }: { app?: TestAppOptions; options?: SignInOptions } = {},
): Promise<Entered> {
  const app = enterApp(given);
  const client = app.browser();
  await authenticate(app);
  app.events.length = 0;
  const send = () => client.send("/enter", { method: "POST", json: options });
  const response = await send();
  const cookies = response.headers.getSetCookie();
  assert(cookies.length > 0);
  return { app, client, cookies, data: await response.json(), send };
}

/** Has `/enter`, which signs Ada in with the options in the body, and `/leave`. */
export function enterApp(
  options: TestAppOptions = {},
  change: (authentication: PasswordAuthentication) => Authentication = (same) => same,
): TestApp {
  const app = createTestApp(options);
  const enter = async (req: RouteRequest) =>
    json(await app.runtime.signIn(req, change(await authenticate(app)), req.content as object));
  const leave = async (req: RouteRequest) => (await app.runtime.signOut(req), empty());
  app.router.post("/enter", enter, { auth: false })
    .post("/leave", leave, { auth: false, raw: true });
  return app;
}

/** Authenticates Ada by password; creates her account the first time. */
export async function authenticate(
  { runtime: { passwords }, stores }: TestApp,
): Promise<PasswordAuthentication> {
  return await stores.users.findByIdentifier(ADA.identifier) === null
    ? await passwords.createUser({ ...ADA }, { sub: "u1" })
    : await passwords.verify({ ...ADA }, { address: undefined });
}
