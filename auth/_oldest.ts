/**
 * Limits on how much a user may have.
 *
 * @module
 */

/** What exceeds a limit: the oldest ones. */
export function oldestBeyond<Item extends { readonly createdAt: number }>(
  items: readonly Item[],
  limit: number,
): readonly Item[] {
  if (items.length <= limit) return [];
  return [...items].sort((a, b) => a.createdAt - b.createdAt).slice(0, items.length - limit);
}
