/**
 * Refusals for people who followed a link: a page, or a redirect to sign in. API clients get problems.
 *
 * @module
 */

import {
  type AuthError,
  editHeaders,
  redirect,
  type RouteRequest,
  safeRedirectPath,
} from "@gatehouse/http";
import { pathWithNext, registerPage, signInPage } from "./account.ts";
import { html } from "./html.ts";
import { pageResponse } from "./layout.ts";

/** Redirects people to the sign-in page where a session is required; `undefined` for API clients and other refusals. */
export function askToSignIn(error: AuthError, req: RouteRequest): Response | undefined {
  if (error.status !== 401 || !isNavigation(req)) return undefined;
  if (error.code === "insufficient_authentication") {
    return redirect(pathWithNext("/step-up", targetOf(req)), 303);
  }
  const ended = error.code === "session_expired";
  // These two are where people sign in: to send them there once more would go round in circles
  if (req.path === "/sign-in") {
    return signInPage({ next: nextOf(req), reason: ended ? "ended" : undefined });
  }
  if (req.path === "/register") {
    return registerPage({ next: nextOf(req), userAgent: req.headers.get("User-Agent") });
  }
  const path = pathWithNext("/sign-in", targetOf(req));
  const query = ended ? `${path.includes("?") ? "&" : "?"}ended=1` : "";
  return redirect(path + query, 303);
}

/** Renders a problem as a page for people; `undefined` for other responses, and for API clients. */
export function problemPage(response: Response, req: RouteRequest): Response | undefined {
  const { status, headers } = response;
  if (headers.get("Content-Type") !== "application/problem+json" || !isNavigation(req)) {
    return undefined;
  }
  response.body?.cancel();
  return editHeaders(refusalPage(status), (page) => {
    for (const [name, value] of headers) {
      if (!name.startsWith("content-")) page.append(name, value);
    }
    page.append("Vary", "Accept");
  });
}

/** The target of a redirect after the sign-in. */
export function nextOf({ query }: RouteRequest): string {
  const { next } = query;
  return safeRedirectPath(next);
}

/** Whether the request is a navigation: browsers accept HTML then, and in no other case. */
function isNavigation({ method, headers }: RouteRequest): boolean {
  const accepted = headers.get("Accept") ?? "";
  return (method === "GET" || method === "HEAD") && /(?:^|[,\s])text\/html\b/i.test(accepted);
}

/** Path and query of a request. The origin is the client's `Host` field and is not used. */
function targetOf({ url }: RouteRequest): string {
  return safeRedirectPath(url.replace(/^[^/?#]*:\/\/[^/?#]*/, ""));
}

function refusalPage(status: number): Response {
  const [title, text] = textOf(status);
  return pageResponse({
    title,
    status,
    content: html`
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/">Back to the start</a></p>
    `,
  });
}

function textOf(status: number): readonly [title: string, text: string] {
  switch (status) {
    case 403:
      return ["This is not yours", "It belongs to somebody else, and only its owner may see it."];
    case 404:
      return ["There is nothing here", "What you look for was deleted, or the address is wrong."];
    case 405:
      return ["This is no page", "The address is one for programs. The documentation says how."];
    default:
      return status < 500
        ? ["This does not work", "The address asks for something that nobody here understands."]
        : ["The service can't answer now", "It is not your fault. Try again in a minute."];
  }
}
