/**
 * Subjects of access tokens that clients have got for themselves, RFC 6749 §4.4. RFC 9700 §4.15: none of them is a user's, whatever
 * the id of a client is.
 *
 * @module
 */

/** No user has a subject id that starts so. */
const PREFIX = "client:";

/** The subject of a client. */
export function clientSubject(clientId: string): string {
  return PREFIX + clientId;
}

/** Whether a subject is that of a client, or looks like one. */
export function isClientSubject(sub: unknown): boolean {
  return typeof sub === "string" && sub.startsWith(PREFIX);
}
