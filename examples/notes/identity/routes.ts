/**
 * Routes of Notes ID besides those of OAuth: the page to sign in, and the page of applications.
 *
 * @module
 */

import {
  AuthError,
  type BuiltRouter,
  getSession,
  HttpError,
  type Principal,
  redirect,
  type RouteRequest,
  safeRedirectPath,
  type TokenRuntime,
} from "@gatehouse/http/native";
import type { AuthorizationServer, staticClients } from "@gatehouse/http/auth/server";
import type { Connection } from "../api.ts";
import { type Application, applicationsPage } from "./applications_page.ts";
import { identitySignInPage } from "./sign_in_page.ts";

/** Parts of the routes. */
export interface IdentityParts {
  /** Signs users in. */
  readonly runtime: TokenRuntime;
  /** Lists and revokes grants. */
  readonly server: AuthorizationServer;
  /** Knows the names of applications. */
  readonly clients: ReturnType<typeof staticClients>;
}

/** Forms work without JavaScript. Where one comes from is checked by its origin, against forgeries. */
const FORM = { multipart: true, openapi: false } as const;

/** Adds the routes. */
export function addIdentityRoutes(
  router: BuiltRouter<Connection, Principal>,
  { runtime, server, clients }: IdentityParts,
): void {
  router
    .get("/", async (req) => {
      const applications = await listApplications(req.principal.sub);
      return applicationsPage({ identifier: identifierOf(req), applications });
    }, { openapi: false })
    .post("/revoke", async (req) => {
      const clientId = req.content.get("client");
      const { sub } = req.principal;
      for (const grant of await server.listGrants(sub)) {
        if (grant.clientId === clientId) await server.revokeGrant(sub, grant.grantId);
      }
      return redirect("/", 303);
    }, FORM)
    .get("/sign-in", (req) => {
      const { query, principal } = req;
      const next = safeRedirectPath(query.next);
      const reason = typeof query.reason === "string" ? query.reason : "signed_out";
      // For any other reason the client wants more than the session: to return at once would go round in circles
      if (principal !== undefined && reason === "signed_out") return redirect(next, 303);
      const identifier = typeof query.login_hint === "string" ? query.login_hint : "";
      return identitySignInPage({ next, reason, identifier });
    }, { auth: { mode: "optional" }, openapi: false })
    .post("/sign-in", async (req, ...args) => {
      const field = (name: string) => textOf(req.content.get(name));
      const [identifier, reason] = [field("identifier"), field("reason")];
      const next = safeRedirectPath(field("next"));
      try {
        const credentials = { identifier, password: field("password") };
        const client = runtime.client(req, ...args);
        const verified = await runtime.passwords.verify(credentials, client);
        await runtime.signIn(req, verified); // refuses forms of other sites
        return redirect(next, 303);
      } catch (error) {
        if (!(error instanceof AuthError)) throw error;
        return identitySignInPage({ next, reason, identifier, failure: error });
      }
    }, { ...FORM, auth: false })
    .post("/sign-out", async (req) => {
      await runtime.signOut(req);
      return redirect("/sign-in", 303);
    }, FORM);

  /** One for each client: each sign-in there has a grant of its own. */
  async function listApplications(sub: string): Promise<readonly Application[]> {
    const grants = Map.groupBy(await server.listGrants(sub), ({ clientId }) => clientId);
    return await Promise.all([...grants].map(async ([clientId, all]) => ({
      clientId,
      name: (await clients.find(clientId))?.name ?? clientId,
      scope: [...new Set(all.flatMap(({ scope }) => scope))],
      since: Math.min(...all.map(({ createdAt }) => createdAt)),
    })));
  }
}

/** Sends people to sign in where a page needs it. */
export function askToSignIn({ status }: AuthError): Response | undefined {
  return status === 401 ? redirect("/sign-in", 303) : undefined;
}

function identifierOf(req: Pick<RouteRequest, "raw">): string {
  return getSession(req)?.user.identifier ?? "";
}

function textOf(value: FormDataEntryValue | null): string {
  if (typeof value === "string") return value;
  throw new HttpError(422, "invalid_form");
}
