/**
 * Settings of the notes service from environment variables.
 *
 * @module
 */

import { StartError } from "./start_error.ts";

const DEFAULT_PORT = 8000;

/** Parses `PORT`. @throws {StartError} If it is not an integer from 0 to 65535. */
export function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new StartError("PORT must be an integer from 0 to 65535");
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
