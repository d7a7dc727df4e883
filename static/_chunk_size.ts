/**
 * In how many bytes at a time contents are sent.
 *
 * @module
 */

/** Contents up to here go out in one piece: a stream costs more than they do. */
export const SMALL_FILE_BYTES: number = 64 * 1024;

/** Larger ones go out in pieces of this size. */
export const CHUNK_BYTES: number = 256 * 1024;
