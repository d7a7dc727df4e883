/**
 * The user's consent: what its page shows, and what the form of the answer must have.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import { accountOf } from "./account.ts";
import type { ServerContext } from "./context.ts";
import { isOwnPage } from "./own_page.ts";
import { refusePage } from "./refusal.ts";
import { OPENID } from "./scopes.ts";
import type { ConsentPrompt } from "./types.ts";

/** What the user of one browser is asked. */
export interface ConsentQuestion {
  /** Id of the authorization. */
  readonly id: string;
  readonly clientId: string;
  /** Requested scopes. */
  readonly scope: readonly string[];
  /** Value of the cookie that only this browser has. */
  readonly browser: string;
  /** The user who is signed in now. */
  readonly sub: string;
}

/** The user's decision. */
export type ConsentDecision =
  | { readonly kind: "allowed"; readonly scope: readonly string[] }
  | { readonly kind: "denied" };

/** What all pages that ask for consent show: scopes with their descriptions, and the account. */
export async function consentDetails(
  { scopes, users }: Pick<ServerContext, "scopes" | "users">,
  { scope, sub }: Pick<ConsentQuestion, "scope" | "sub">,
): Promise<Pick<ConsentPrompt, "sub" | "account" | "scopes">> {
  const account = accountOf(await users.findBySub(sub), sub);
  return {
    sub,
    ...(account === undefined ? {} : { account }),
    scopes: scope.map((name) => ({
      description: name, // a scope that the server has lost since the request came
      ...scopes.get(name),
      name,
      required: name === OPENID,
    })),
  };
}

/**
 * The token of the consent form: it proves that the form was shown in this browser, to this user, for this request. Whoever does
 * not have the browser's cookie cannot compute it.
 */
export async function consentToken(
  { id, browser, sub }: Pick<ConsentQuestion, "id" | "browser" | "sub">,
): Promise<string> {
  return await digestText(`consent\n${id}\n${browser}\n${sub}`);
}

/**
 * Reads the decision. The form must come from a page of this server in the browser that began the request, and have been shown to
 * the user who is signed in now.
 *
 * @throws {ServerRefusal} A page.
 */
export async function readConsent(
  { origin }: Pick<ServerContext, "origin">,
  { request, form, question }: {
    readonly request: Request;
    readonly form: URLSearchParams;
    readonly question: ConsentQuestion;
  },
): Promise<ConsentDecision> {
  const decision = form.get("decision");
  const isOurs = isOwnPage(request, origin) &&
    equalText(form.get("token") ?? "", await consentToken(question));
  if (!isOurs || (decision !== "allow" && decision !== "deny")) {
    throw refusePage("consent_forged", question.clientId);
  }
  const ticked = new Set(form.getAll("scope"));
  const scope = question.scope.filter((name) => name === OPENID || ticked.has(name));
  const isNothing = scope.length === 0 && question.scope.length > 0;
  return decision === "deny" || isNothing ? { kind: "denied" } : { kind: "allowed", scope };
}
