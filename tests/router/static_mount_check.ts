/**
 * Types of `mountStatic()`: its options, and what its `fetch` returns.
 *
 * @module
 */

import {
  mountStatic,
  routerBuilder,
  type StaticAssetOptions,
  type StaticMount,
} from "@gatehouse/http";
import { mountStatic as mountNative } from "@gatehouse/http/native";

function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? []
    : ["types differ"]
): void {}

export function options(given: StaticAssetOptions, flag: boolean): void {
  for (const mount of [mountStatic, mountNative]) {
    // @ts-expect-error -- a misspelt name
    mount("/a", { directory: "x", fallthrogh: true });
    // @ts-expect-error -- not a boolean
    mount("/a", { directory: "x", fallthrough: "yes" });
    // @ts-expect-error -- no folder
    mount("/a", { fallthrough: true });
    const whole = mount("/a", { directory: "x" });
    same<typeof whole, StaticMount<Response>>();
    const stated = mount("/a", { directory: "x", fallthrough: false });
    same<typeof stated, StaticMount<Response>>();
    const through = mount("/a", { directory: "x", fallthrough: true });
    same<typeof through, StaticMount<Response | undefined>>();
    const either = mount("/a", { directory: "x", fallthrough: flag });
    same<typeof either, StaticMount<Response | undefined>>();
    const unknown = mount("/a", given);
    same<typeof unknown, StaticMount<Response | undefined>>();
  }
  // @ts-expect-error -- a misspelt name
  routerBuilder().static("/a", { directory: "x", fallthrogh: true });
}
