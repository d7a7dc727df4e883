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

/** Runs something as on a runtime without these methods. It must be synchronous. */
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

/** Both implementations: native methods of newer runtimes, and the fallback. */
export const RUNTIMES: readonly [where: string, on: (run: () => void) => void][] = [
  ["with native methods", (run) => run()],
  ["without native methods", withoutNative],
];
