/** Ten thousand WebSockets, slow and half-closed peers: what is left of them in a process of its own. */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../../dev/_project.ts";
import type { SocketsLeft } from "./_sockets_main.ts";

/** Bytes of the heap that may be left of a connection: less than any object that knows one. */
const LEFT_PER_CONNECTION = 200;

/** Bytes of the heap that differ from run to run. */
const NOISE = 2_000_000;

/** The connections, how many there are, and the codes that they may end with. */
const KINDS: readonly (readonly [kind: string, count: number, codes: readonly string[]])[] = [
  ["closed", 10_000, ["1000"]],
  ["reset", 2_000, ["1006"]],
  ["halfClosed", 1_000, ["1006"]],
  ["slow", 100, ["1006", "1013"]],
  ["silent", 500, ["1001", "1006"]],
];

Deno.test("websocket() leaves nothing of 10,000 connections, of slow readers and of half-closed peers", async () => {
  const main = join(ROOT, "tests/exhaustive/router/_sockets_main.ts");
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", "--v8-flags=--expose-gc", main],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assert(success, decoder.decode(stderr));
  const results = JSON.parse(decoder.decode(stdout)) as Readonly<Record<string, SocketsLeft>>;
  for (const [kind, count, codes] of KINDS) {
    const left = results[kind];
    assert(left !== undefined, kind);
    const { opened, closed, members, descriptors, heap } = left;
    const total = Object.values(closed).reduce((sum, one) => sum + one, 0);
    assertEquals([kind, opened, total, members], [kind, count, count, 0]);
    assertEquals(Object.keys(closed).filter((code) => !codes.includes(code)), [], kind);
    assert(descriptors <= 5, `${kind}: ${descriptors} descriptors`);
    assert(heap <= count * LEFT_PER_CONNECTION + NOISE, `${kind}: ${heap} bytes of the heap`);
  }
});
