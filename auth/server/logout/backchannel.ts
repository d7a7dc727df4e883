/**
 * OpenID Connect Back-Channel Logout 1.0: clients are told that a session has ended, each by one request to its own address.
 *
 * @module
 */

import { FetchError, fetchStatus } from "../../_fetch_json.ts";
import { randomId } from "../../_random.ts";
import type { AuthEvent } from "../../events.ts";
import { isClientDisabled } from "../../stores/checked_server.ts";
import type { SignIn } from "../../stores/server_types.ts";
import type { ServerContext } from "../core/context.ts";
import { takeSignIns } from "../core/sign_ins.ts";

/** What the delivery works with. */
type LogoutContext = Pick<
  ServerContext,
  | "clients"
  | "codes"
  | "emit"
  | "idTokenAlgorithm"
  | "insecureLoopback"
  | "issuer"
  | "keys"
  | "lifetimes"
  | "logout"
  | "now"
  | "warn"
>;

/** §2.4 */
const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const TYPE = "logout+jwt";
const LIFETIME = 120;

/** Bytes and milliseconds of one request. The answer has no content that matters, §2.8. */
const LIMITS = { accept: "*/*", maxBytes: 0, timeoutMs: 5_000 } as const;

/** Milliseconds before each attempt. All fit into the lifetime of the token. */
const PAUSES = [0, 1_000, 5_000] as const;

/**
 * Tells the clients of sessions that have ended: each once, whoever else calls this for the same sessions, in this process or
 * another.
 *
 * @returns When each is told, or does not answer.
 * @throws {AuthError} `service_unavailable` after repeated conflicts. Errors of the store are passed on.
 */
export async function tellClients(
  context: LogoutContext,
  sub: string,
  isEnded: (sessionId: string) => boolean,
): Promise<void> {
  if (context.logout === undefined) return;
  const ended = await takeSignIns(context, sub, isEnded);
  await Promise.all(ended.map((signIn) => tellClient(context, sub, signIn)));
}

/** The same without waiting for it. */
export function tellClientsLater(
  context: LogoutContext,
  sub: string,
  isEnded: (sessionId: string) => boolean,
): void {
  const told = tellClients(context, sub, isEnded)
    .catch((error) => context.warn("Cannot tell clients about the end of a session", error));
  context.logout?.waitUntil?.(told);
}

/** What an event of the application says of a user's sessions; `undefined` if they go on. */
export function endedBy(
  event: AuthEvent,
): { readonly sub: string; readonly isEnded: (sessionId: string) => boolean } | undefined {
  switch (event.type) {
    case "session.revoked": {
      const { sub, sessionId, exceptSessionId } = event;
      const isEnded = (id: string) =>
        sessionId === undefined ? id !== exceptSessionId : id === sessionId;
      return { sub, isEnded };
    }
    case "password.changed":
    case "user.disabled":
    case "user.removed":
      return { sub: event.sub, isEnded: () => true };
    default:
      return undefined;
  }
}

async function tellClient(
  context: LogoutContext,
  sub: string,
  { clientId, sessionId }: SignIn,
): Promise<void> {
  const { emit, warn } = context;
  const subject = { sub, clientId, sessionId };
  try {
    const uri = await addressOf(context, clientId);
    if (uri === undefined) return;
    // One token for all attempts: a client that has got it refuses its repetition by the `jti`
    const form = { logout_token: await logoutToken(context, { sub, clientId, sessionId }) };
    for (const [attempt, pause] of PAUSES.entries()) {
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      const failure = await post(context, uri, form);
      if (failure === undefined) return emit("logout.delivered", subject);
      const gaveUp = failure === "refused" || attempt === PAUSES.length - 1;
      emit("logout.failed", { ...subject, gaveUp });
      if (gaveUp) return;
    }
  } catch (error) { // the other clients are told all the same
    warn("Cannot tell a client about the end of a session", error);
    emit("logout.failed", { ...subject, gaveUp: true });
  }
}

/** Where a client wants to be told, §2.2; it may have changed since its sign-in. */
async function addressOf(
  { clients, insecureLoopback }: LogoutContext,
  clientId: string,
): Promise<string | undefined> {
  const client = await clients.find(clientId);
  if (client === null || isClientDisabled(client)) return undefined;
  const { backchannelLogoutUri: uri } = client;
  return uri?.startsWith("https:") || insecureLoopback ? uri : undefined;
}

/** §2.4. Without `nonce`, so that it cannot be taken for an ID token. */
async function logoutToken(
  { issuer, keys, idTokenAlgorithm }: LogoutContext,
  { sub, clientId, sessionId }: SignIn & { readonly sub: string },
): Promise<string> {
  return await keys.sign({
    iss: issuer,
    sub,
    aud: clientId,
    jti: randomId(),
    sid: sessionId,
    events: { [EVENT]: {} },
  }, {
    alg: idTokenAlgorithm,
    typ: TYPE,
    expiresIn: Math.min(LIFETIME, keys.maxTokenAge),
  });
}

/** One request, §2.5. @returns Why it failed: `refused` will not change. */
async function post(
  { logout }: LogoutContext,
  uri: string,
  form: Readonly<Record<string, string>>,
): Promise<"refused" | "unanswered" | undefined> {
  try {
    await fetchStatus(uri, { ...LIMITS, fetch: logout?.fetch, form });
    return undefined;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { status = 0 } = error;
    if (status === 204) return undefined; // §2.8: what some frameworks answer without content
    return status === 0 || status === 429 || status >= 500 ? "unanswered" : "refused";
  }
}
