/**
 * A folder with everything that a live mount has to serve, and that it must not.
 *
 * @module
 */

import { join } from "@std/path";
import { noise, PACKAGED_FILES, SECRET, SMALL, utf8 } from "./static_assets.ts";

/** What a file that changes places with {@linkcode HIDDEN_TEXT} has: both are equally long. */
export const PUBLIC_TEXT = "public";
const HIDDEN_TEXT = SECRET;

/** When these were changed. */
const CHANGED = new Date("2026-01-01T00:00:00Z");

/** Size of the file whose download is aborted. */
export const LARGE = 10_000_000;

/** Files that a live mount serves, by their key. */
export const LIVE_FILES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "small.txt": utf8("hello\n"),
  "empty.txt": utf8(""),
  "edge.bin": noise(SMALL),
  "over.bin": noise(SMALL + 1),
  "large.bin": noise(LARGE),
  "sub/n.txt": utf8("nested\n"),
  "sub/deep/over.bin": noise(SMALL + 1),
  "café 100%.txt": utf8("named\n"),
};

/** Bytes of the files that change places: one that is sent at once, and one that is streamed. */
export const RACED_SIZES: Readonly<Record<string, number>> = {
  "small.txt": 600,
  "large.bin": 300_000,
};

/**
 * Makes the fixture:
 *
 * ```text
 * root/                what is served, with links, hidden files and a FIFO
 * root/raced/          files that become links, and back
 * root/turned/         a folder that becomes a link, and back
 * outside/             what links out lead to, all of it secret
 * current -> root      a link that is the folder of a mount
 * assets/              what is packaged
 * ```
 */
export async function makeFixture(folder: string): Promise<void> {
  const root = join(folder, "root");
  for (const name of ["root/sub/deep", "root/.hidden", "root/raced", "root/turned", "outside"]) {
    await Deno.mkdir(join(folder, name), { recursive: true });
  }
  for (const [key, bytes] of Object.entries(LIVE_FILES)) {
    await Deno.writeFile(join(root, key), bytes);
  }
  for (const key of [".env", ".hidden/z.txt", "sub/.config"]) {
    await Deno.writeTextFile(join(root, key), HIDDEN_TEXT);
  }
  for (const [name, size] of Object.entries(RACED_SIZES)) {
    for (const place of ["outside", "root/raced", "root/turned"]) {
      const word = place === "outside" ? HIDDEN_TEXT : PUBLIC_TEXT;
      const path = join(folder, place, name);
      await Deno.writeTextFile(path, word.repeat(size / word.length));
      await Deno.utime(path, CHANGED, CHANGED); // nothing but what they are tells them apart
    }
  }
  await Deno.writeTextFile(join(folder, "secret.txt"), HIDDEN_TEXT);
  for (const [name, target] of LINKS) await Deno.symlink(target, join(root, name));
  await Deno.symlink("root", join(folder, "current"));
  await run("mkfifo", join(root, "fifo"));
  for (const [key, bytes] of Object.entries(PACKAGED_FILES)) {
    const path = join(folder, "assets", key);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeFile(path, bytes);
  }
  await Deno.writeTextFile(join(folder, "assets/.hidden"), HIDDEN_TEXT);
  await Deno.symlink("../small.txt", join(folder, "assets/sub/link.txt"));
}

const LINKS: readonly (readonly [name: string, target: string])[] = [
  ["link-in.txt", "small.txt"],
  ["linkdir-in", "sub"],
  ["link-out.txt", "../secret.txt"],
  ["link-chain.txt", "link-out.txt"],
  ["linkdir-out", ".."],
  ["link-dot.txt", ".env"],
  ["linkdir-dot", ".hidden"],
  ["link-fifo", "fifo"],
  ["link-proc", "/proc/self/environ"],
  ["loop", "loop"],
  ["dangling", "nowhere"],
];

async function run(command: string, ...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(command, { args }).output();
  if (!success) throw new Error(`${command} failed`);
}
