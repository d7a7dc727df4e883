/**
 * Serialized origins of pages, RFC 6454 §6.2, and URLs.
 *
 * @module
 */

export { parseOrigin, parseUrl } from "../router/request_origin.ts";
