/**
 * The application: routes, pages and documents.
 *
 * @module
 */

import {
  type AccessRules,
  createTokenRoutes,
  editHeaders,
  generateOpenAPI,
  json,
  mountAuthRoutes,
  mountStatic,
  type Principal,
  type RequestEvent,
  routerBuilder,
  staticFeatures,
  type TypedRouter,
} from "@gatehouse/http/native";
import { docsPage } from "@gatehouse/http/docs";
import "swagger-ui-dist/package.json" with { type: "json" }; // so that Deno downloads what docsPage() reads
import type { Needs } from "./access.ts";
import { addAccounts, addKeys, createAccounts } from "./accounts.ts";
import { addAttachments } from "./attachments.ts";
import { Changes } from "./changes.ts";
import { addChanges, addComments, addIssues } from "./issues.ts";
import { addOrganisations } from "./orgs.ts";
import { Store } from "./store.ts";

export interface TrackerOptions {
  readonly secret: string;
  readonly origin: string;
  readonly log: (line: string) => void;
}

const INFO = { title: "Tracker", version: "1.0.0" };
const PATHS = 'export const signIn = "/sign-in";\nexport const signOut = "/sign-out";\n';
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

export function createTracker(
  { secret, origin, log }: TrackerOptions,
): TypedRouter<[], Principal, AccessRules<Needs>> {
  const store = new Store();
  const accounts = createAccounts({ store, secret, origin });
  const { runtime } = accounts;
  const isSignedIn = async (request: Request) =>
    (await runtime.strategy.authenticate({ request })).status === "authenticated";
  const issues = { store, changes: new Changes(), isSignedIn };

  const router = routerBuilder({ onRequest: (event) => log(accessLine(event)) })
    .finally((response) => editHeaders(response, addSafeHeaders))
    .withAuth(runtime.integration({ routes: false }))
    .build();
  mountAuthRoutes(router, createTokenRoutes({ runtime, registration: "closed" }), "/tokens");
  addAccounts(router, accounts);
  addKeys(router, accounts);
  addOrganisations(router, { store, users: runtime.users });
  addIssues(router, issues);
  addComments(router, issues);
  addAttachments(router, store);
  addChanges(router, issues);

  const document = () => generateOpenAPI(INFO, router);
  const features = staticFeatures({ index: "index.html" });
  const page = mountStatic("/", { directory: `${import.meta.dirname}/../page`, features });
  const javaScript = { "Content-Type": "text/javascript; charset=utf-8" };
  return router
    .get("/openapi.json", () => json(document()), { auth: false, openapi: false })
    .get("/paths.js", () => new Response(PATHS, { headers: javaScript }), {
      auth: false,
      openapi: false,
    })
    .mount("/docs", docsPage({ document }), { auth: false })
    .mount("/", page, { auth: false });
}

function accessLine({ method, route, status, durationMs, sub = "-" }: RequestEvent): string {
  return `${method} ${route} ${status} ${durationMs.toFixed(1)} ms ${sub}`;
}

function addSafeHeaders(headers: Headers): void {
  headers.set("X-Content-Type-Options", "nosniff");
  if (!headers.has("Content-Security-Policy")) {
    headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  }
}
