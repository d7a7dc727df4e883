/**
 * The part of a client that sends requests, with a scripted provider.
 *
 * @module
 */

import { assert, assertRejects } from "@std/assert";
import type { ClientContext } from "../../../auth/oauth/_context.ts";
import { failureOf } from "../../../auth/oauth/_failure.ts";
import { serverSource } from "../../../auth/oauth/server_metadata.ts";
import { AuthError, cookiePolicy, inMemoryAuthStores } from "../../../auth/mod.ts";
import { type OAuthProvider, oidcProvider } from "../../../auth/oauth/mod.ts";
import { endpointsOf } from "./_fake_provider.ts";
import { NOW, REDIRECT_URI } from "./_sign_in.ts";

export const ISSUER = "https://id.example";

/** Static metadata of {@linkcode ISSUER}. */
export const METADATA = endpointsOf(ISSUER) as unknown as Exclude<
  OAuthProvider["server"],
  { readonly discover: string }
>;

/** A provider whose secret has characters that must be encoded. */
export const PROVIDER: OAuthProvider = {
  ...oidcProvider({ issuer: ISSUER, clientId: "client", clientSecret: "s3cret", name: "fake" }),
  server: METADATA,
};

/** A response, or what happens instead. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** A client's parts, and the requests it sent. */
export interface Scripted {
  readonly context: ClientContext;
  readonly requests: Request[];
  /** Forms of the requests with a body. */
  readonly forms: URLSearchParams[];
}

/** Creates the parts of a client whose every request gets one answer. */
export function scripted(answer: Answer, changes: Partial<OAuthProvider> = {}): Scripted {
  const requests: Request[] = [];
  const forms: URLSearchParams[] = [];
  const provider = { ...PROVIDER, ...changes };
  const now = () => NOW;
  const warn = () => {};
  const fetch = async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    requests.push(request);
    if (request.method === "POST") {
      forms.push(new URLSearchParams(await request.clone().text()));
    }
    return await answer(request);
  };
  const sending = { fetch, insecureLoopback: false, now, warn };
  const context: ClientContext = {
    ...sending,
    provider,
    redirectUri: REDIRECT_URI,
    postLogoutRedirectUri: undefined,
    states: inMemoryAuthStores({ now }).states,
    cookies: cookiePolicy(),
    lifetime: 600,
    clockTolerance: 30,
    emit: () => {},
    server: serverSource(provider, sending),
  };
  return { context, requests, forms };
}

/** Why something was refused: code and reason. Answers that contain "s3cret" must not be quoted. */
export async function refusalOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const error = await assertRejects(work, AuthError);
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    assert(!cause.message.includes("s3cret"), cause.message);
    cause = cause.cause;
  }
  return [error.code, failureOf(error) ?? `another reason: ${error.reason}`];
}

/** Answers that are neither of the asked type nor within limits; every request must refuse them. */
export const UNREADABLE: readonly (readonly [why: string, answer: () => Response])[] = [
  ["HTML", () => new Response("<p>s3cret", { headers: { "Content-Type": "text/html" } })],
  ["5 MB", () => new Response(`{"a":"${"x".repeat(5_000_000)}"}`)],
  ["a body that never ends", endless],
  ["nothing", () => new Response(null)],
  ["truncated JSON", () => new Response('{"s3cret":')],
  ["duplicate names", () => new Response('{"access_token":"a","access_token":"s3cret"}')],
  ["Latin-1", () => new Response(new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]))],
  ["UTF-16", () => new Response(new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]))],
];

/** Statuses that are refusals, and those that mean that the provider does not answer now. */
export const REFUSED_STATUSES: readonly number[] = [
  201,
  204,
  301,
  302,
  307,
  308,
  400,
  401,
  403,
  404,
];
export const OUTAGE_STATUSES: readonly number[] = [429, 500, 502, 503, 504];

/** A response with a status, which must not be followed. */
export function statusOf(status: number): Response {
  const hasBody = status !== 204;
  const headers = { Location: "https://evil.example/" };
  return new Response(hasBody ? "{}" : null, { status, headers });
}

/** As fast as it is read, without an end. */
function endless(): Response {
  const chunk = new Uint8Array(16_384).fill(0x20);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
}
