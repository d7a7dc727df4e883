/**
 * Byte ranges, RFC 9110 §14.
 *
 * @module
 */

/** Bytes of a file, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One range; several ones, which a server may ignore, do not match: RFC 9110 §14.2. */
const RANGE_REGEXP = /^bytes=(\d*)-(\d*)$/i;

/**
 * Reads the field `Range`. Numbers of any length are compared with the size, so that they cannot overflow.
 *
 * @param size Bytes of the file.
 * @returns `undefined` if the field is to be ignored: it is malformed, has another unit, or several ranges.
 */
export function readRange(field: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = RANGE_REGEXP.exec(field) ?? [];
  if (first === "") {
    const length = Math.min(Number(last), size);
    if (last === "" || (size === 0 && Number(last) > 0)) return undefined; // of nothing, all is sent
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return undefined; // invalid, §14.1.1
  return start >= size ? "unsatisfiable" : { start, end };
}
