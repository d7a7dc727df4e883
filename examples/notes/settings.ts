/**
 * Settings of the notes service from environment variables.
 *
 * @module
 */

import { StartError } from "./start_error.ts";

const DEFAULT_PORT = 8000;
const MAX_PORT = 65_535;

/** Parses `PORT`. @throws {StartError} If it is not an integer from 0 to 65535. */
export function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_PORT;
  const port = parsePort(text);
  if (port === undefined) throw new StartError("PORT must be an integer from 0 to 65535");
  return port;
}

/**
 * Parses `OIDC_PORT`, the port of Notes ID.
 *
 * @param options `port` is that of the service. With `origin`, a public one, Notes ID does not run: its password is public, too.
 * @returns `undefined` if it does not run.
 * @throws {StartError} If it is neither `off` nor an integer from 0 to 65535.
 */
export function readIdentityPort(
  text: string | undefined,
  { port, origin }: { readonly port: number; readonly origin: string | undefined },
): number | undefined {
  if (text === "off" || origin !== undefined) return undefined;
  if (text === undefined || text === "") return port % MAX_PORT === 0 ? 0 : port + 1;
  const own = parsePort(text);
  if (own === undefined) {
    throw new StartError("OIDC_PORT must be off, or an integer from 0 to 65535");
  }
  return own;
}

function parsePort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port <= MAX_PORT ? port : undefined;
}

/** Browsers have passkeys, and store `Secure` cookies, at domains with https only, and on `localhost`. */
const ORIGIN_REGEXP =
  /^(?:https:\/\/[^/?#@]+\.[^/?#@.:\d][^/?#@.:]*|https?:\/\/(?:[^/?#@]+\.)?localhost)(?::\d+)?$/;

/** Parses `ORIGIN`. @throws {StartError} If it is not the origin of an https URL with a domain, or of `localhost`. */
export function readOrigin(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (ORIGIN_REGEXP.test(text) && URL.parse(text)?.origin === text) return text;
  throw new StartError(
    "ORIGIN must be an origin such as https://notes.example.com or http://localhost:8000",
  );
}

/** Whether an origin is of this machine: the service runs for development. */
export function isLocalOrigin(origin: string): boolean {
  const hostname = URL.parse(origin)?.hostname ?? "";
  return hostname === "localhost" || hostname.endsWith(".localhost");
}
