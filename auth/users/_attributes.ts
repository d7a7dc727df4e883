/**
 * Limits of the application's data about a user.
 *
 * @module
 */

import { utf8 } from "../_bytes.ts";
import { isJsonObject } from "../_strict_json.ts";
import type { UserAttributes } from "../stores/types.ts";

/** Most bytes of the JSON: every session that is verified reads it. */
const MAX_BYTES = 4_096;

/**
 * Checks attributes. @returns What JSON keeps of them.
 *
 * @throws {TypeError} If they are not a JSON object.
 * @throws {RangeError} If they are too long.
 */
export function checkAttributes(attributes: unknown): UserAttributes {
  const text = isJsonObject(attributes) ? JSON.stringify(attributes) : undefined;
  const copy: unknown = text === undefined ? undefined : JSON.parse(text);
  if (text === undefined || !isJsonObject(copy)) {
    throw new TypeError("Cannot update user: attributes must be a JSON object");
  }
  if (utf8(text).length > MAX_BYTES) {
    throw new RangeError(`Cannot update user: attributes have more than ${MAX_BYTES} bytes`);
  }
  return copy;
}
