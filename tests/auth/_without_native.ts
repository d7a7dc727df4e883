/**
 * Runtimes without the newer methods of `Uint8Array`, such as Node 20.
 *
 * @module
 */

const NEWER = [
  [Uint8Array.prototype, "toBase64"],
  [Uint8Array, "fromBase64"],
  [Uint8Array.prototype, "toHex"],
  [Uint8Array, "fromHex"],
] as const;

/** Runs something as on a runtime that has none of them. It must not wait for anything. */
export function withoutNative(run: () => void): void {
  const kept = NEWER.map(([holder, name]) => {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    Reflect.deleteProperty(holder, name);
    return [holder, name, descriptor] as const;
  });
  try {
    run();
  } finally {
    for (const [holder, name, descriptor] of kept) {
      if (descriptor !== undefined) Object.defineProperty(holder, name, descriptor);
    }
  }
}

/** Both ways to the same result: what newer runtimes have, and what stands in for it. */
export const RUNTIMES: readonly [where: string, on: (run: () => void) => void][] = [
  ["with native methods", (run) => run()],
  ["without native methods", withoutNative],
];
