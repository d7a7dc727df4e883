/**
 * Hosts that a client may name for requests of the server (server-side request forgery).
 *
 * @module
 */

import { parseIp } from "../../_ip.ts";

/** Names that mean another host in each network: RFC 6761, RFC 6762, RFC 8375, and those in use. */
const LOCAL_REGEXP =
  /(?:^|\.)(?:arpa|corp|home|internal|intranet|lan|local|localdomain|localhost)$/;

/**
 * Whether a host is a public name: neither an IP address, nor a name without a dot, nor one that only means something in a network
 * of its own. Names are not resolved.
 *
 * @param hostname As `URL` parses it.
 */
export function isPublicName(hostname: string): boolean {
  return /[^.]\.[^.]+$/.test(hostname) && parseIp(hostname) === undefined &&
    !LOCAL_REGEXP.test(hostname);
}
