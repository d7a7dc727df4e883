/**
 * The opening handshake, RFC 6455 §4.2: which requests may open a connection.
 *
 * @module
 */

import type { RequestContext } from "../_context.ts";
import { HttpError } from "../problem.ts";
import { originVerifier } from "../request_origin.ts";

/** The version of the protocol, RFC 6455 §4.1. */
const VERSION = "13";
/** 16 bytes in base64, §4.1. */
const KEY_REGEXP = /^[A-Za-z0-9+/]{21}[AQgw]==$/;
/** RFC 9110 §5.6.2. */
const TOKEN_REGEXP = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What a handshake is checked against. */
export interface HandshakeRules {
  readonly protocols: readonly string[];
  readonly origins: readonly string[];
}

/** Checks the names of subprotocols, §4.1. @throws {TypeError} If one is not a token, or there is a duplicate. */
export function checkProtocols(protocols: readonly string[]): void {
  if (!Array.isArray(protocols) || new Set(protocols).size !== protocols.length) {
    throw new TypeError("Cannot open WebSocket: protocols must be an array without duplicates");
  }
  if (protocols.every((name) => typeof name === "string" && TOKEN_REGEXP.test(name))) return;
  throw new TypeError("Cannot open WebSocket: a name in protocols is not a token");
}

/**
 * Checks a handshake, in the order of the section.
 *
 * @returns The selected subprotocol; the empty string if the client offers none.
 * @throws {HttpError} 426 `upgrade_required`, 400 `invalid_handshake`, 403 `cross_origin`, 400 `unknown_subprotocol`
 */
export function checkHandshake(
  ctx: RequestContext,
  { protocols, origins }: HandshakeRules,
): string {
  const { method, headers } = ctx;
  // 1 and 3, 4: a GET that asks for the protocol
  const upgrades = listOf(headers, "Upgrade").includes("websocket") &&
    listOf(headers, "Connection").includes("upgrade");
  if (method !== "GET" || !upgrades) throw upgradeRequired("This path accepts WebSockets only");
  // 6: the version
  if (headers.get("Sec-WebSocket-Version") !== VERSION) {
    throw upgradeRequired(`The version of the WebSocket protocol must be ${VERSION}`);
  }
  // 5: the key; a body would be read as frames
  if (!KEY_REGEXP.test(headers.get("Sec-WebSocket-Key") ?? "")) {
    throw invalidHandshake("Sec-WebSocket-Key is missing or invalid");
  }
  if (Number(headers.get("Content-Length") ?? 0) !== 0 || headers.has("Transfer-Encoding")) {
    throw invalidHandshake("A WebSocket handshake has no content");
  }
  // 7 and §10.2: browsers send the user's cookies with handshakes of other sites, too
  if (originVerifier(origins)(ctx.raw) === "cross_origin") {
    throw new HttpError(403, "cross_origin", { detail: "Pages of this origin may not connect" });
  }
  return selectProtocol(headers.get("Sec-WebSocket-Protocol"), protocols);
}

/**
 * The client's first subprotocol that the server speaks. Without a common one the connection is refused: browsers would close
 * it, and others would speak what the server does not.
 */
function selectProtocol(field: string | null, protocols: readonly string[]): string {
  if (field === null) return "";
  const selected = field.split(",").map((name) => name.trim()).find((name) =>
    protocols.includes(name)
  );
  if (selected !== undefined) return selected;
  throw new HttpError(400, "unknown_subprotocol", {
    detail: "The server speaks none of the offered WebSocket subprotocols",
  });
}

/** Members of a list field whose names have no case: RFC 9110 §5.6.1. */
function listOf(headers: Headers, name: string): readonly string[] {
  return (headers.get(name) ?? "").toLowerCase().split(",").map((one) => one.trim());
}

/** RFC 9110 §15.5.22, and RFC 6455 §4.4 for the version. */
function upgradeRequired(detail: string): HttpError {
  const headers = {
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": VERSION,
  };
  return new HttpError(426, "upgrade_required", { detail, headers });
}

function invalidHandshake(detail: string): HttpError {
  return new HttpError(400, "invalid_handshake", { detail });
}
