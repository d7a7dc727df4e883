/**
 * Tokens as HTTP has them: names of header fields and of cookies.
 *
 * @module
 */

/** RFC 9110 §5.6.2. */
export const HTTP_TOKEN_REGEXP: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
