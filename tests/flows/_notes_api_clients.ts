/**
 * Programs that call the notes service with a key or a token, for tests.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { type Client, createClient, PASSWORD } from "../examples/_notes_service.ts";

/** An API key as shown to its owner. */
export interface KeyInfo {
  readonly id: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
}

/** A new API key. */
export interface Made {
  readonly key: string;
  readonly info: KeyInfo;
}

/** Tokens in the response of a sign-in or a refresh. */
export interface Tokens {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly expiresIn: number;
  readonly refreshToken: string;
  readonly scope: readonly string[];
}

/** Tokens of a sign-in, and their user. */
export interface SignedIn extends Tokens {
  readonly user: { readonly sub: string; readonly identifier: string };
}

/** All scopes. */
export const ALL: readonly string[] = ["notes:read", "notes:write"];

/** A request that creates a note. */
export const NOTE = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: '{"title":"by a program"}',
} as const;

/** Creates a key. */
export async function make(
  { send }: Client,
  input: Readonly<Record<string, unknown>> = {},
): Promise<Made> {
  const response = await send("POST", "/api-keys", { name: "Backup", scope: ALL, ...input });
  assertEquals(response.status, 201);
  return await response.json();
}

/** The keys of a user. */
export async function keysOf({ call }: Client): Promise<readonly KeyInfo[]> {
  return (await (await call("/api-keys")).json()).apiKeys;
}

/** A program that sends header fields only: it keeps no cookies. */
export function program(
  origin: string,
  credential: Readonly<Record<string, string>>,
): Client["call"] {
  return (path, init = {}) => {
    return createClient(origin).call(path, {
      ...init,
      headers: { ...credential, ...init.headers },
    });
  };
}

/** A program that sends an access token. */
export function bearer(origin: string, accessToken: string): Client["call"] {
  return program(origin, { Authorization: `Bearer ${accessToken}` });
}

/** Signs a user in with a program, which keeps no cookies and requests no CSRF token. */
export async function signIn(origin: string, identifier: string): Promise<SignedIn> {
  const response = await post(origin, "/tokens/login", { identifier, password: PASSWORD });
  assertEquals(response.status, 200);
  return await response.json();
}

/** Exchanges a refresh token. */
export function refresh(origin: string, refreshToken: string): Promise<Response> {
  return post(origin, "/tokens/refresh", { refreshToken });
}

/** Signs out. */
export function signOut(origin: string, refreshToken: string): Promise<Response> {
  return post(origin, "/tokens/logout", { refreshToken });
}

function post(origin: string, path: string, body: unknown): Promise<Response> {
  return createClient(origin).send("POST", path, body);
}

/** The status of a response, whose body is discarded. */
export async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

/** Status and code of an error response. */
export async function refusalOf(
  answer: Promise<Response>,
): Promise<readonly [status: number, code: string]> {
  const response = await answer;
  return [response.status, (await response.json()).code];
}
