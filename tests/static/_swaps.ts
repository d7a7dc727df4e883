/**
 * Exchanges of files in races, named as in the shared procedures.
 *
 * @module
 */

import { SECRET } from "./_tree.ts";

/** One step: even ones install the content that may be served, odd ones another. */
export type Swap = (step: number) => void;

/** Content that may be served. Its size is unique. */
export const PUBLIC: string = "public bytes ".repeat(100);
/** Content that must not be served. */
export const OUTSIDE: string = `${SECRET} `.repeat(77);
/** Bytes of a version in `race-rename`, and of the file that a FIFO replaces. */
export const LARGE = 1_000_000;

/** Prepares an exchange in a folder: `root` in it is served, `outside` is not. */
export function makeSwap(kind: string, folder: string): Swap {
  const at = (name: string) => `${folder}/${name}`;
  Deno.mkdirSync(at("root/sub"), { recursive: true });
  Deno.mkdirSync(at("outside"), { recursive: true });
  Deno.writeTextFileSync(at("outside/name.txt"), OUTSIDE);
  Deno.writeTextFileSync(at("public.txt"), PUBLIC);
  switch (kind) {
    case "file":
    case "sub/file": {
      const path = at(kind === "file" ? "root/name.txt" : "root/sub/name.txt");
      return (step) => {
        if (step % 2 === 0) Deno.linkSync(at("public.txt"), at("next"));
        else Deno.symlinkSync(at("outside/name.txt"), at("next"));
        Deno.renameSync(at("next"), path);
      };
    }
    case "dir":
      Deno.mkdirSync(at("root/d"));
      Deno.writeTextFileSync(at("root/d/name.txt"), PUBLIC);
      Deno.symlinkSync("../outside", at("link"));
      Deno.symlinkSync("d", at("root/way"));
      return (step) => {
        if (step === 0) return;
        Deno.renameSync(at("root/d"), at(step % 2 === 0 ? "link" : "d"));
        Deno.renameSync(at(step % 2 === 0 ? "d" : "link"), at("root/d"));
      };
    case "rename":
      return (step) => {
        Deno.writeTextFileSync(at("next"), (step % 2 === 0 ? "a" : "b").repeat(LARGE + step % 2));
        Deno.renameSync(at("next"), at("root/name.txt"));
      };
    case "fifo":
      Deno.writeTextFileSync(at("large"), "a".repeat(LARGE));
      return swapTwo(at("large"), makeFifo(at("fifo")), at("root/name.txt"));
    case "sizes":
      Deno.writeTextFileSync(at("large"), "b".repeat(2000));
      return swapTwo(at("public.txt"), at("large"), at("root/name.txt"));
    case "replace":
      Deno.writeTextFileSync(at("other.txt"), "b".repeat(2000));
      return (step) => {
        Deno.linkSync(at(step % 2 === 0 ? "public.txt" : "other.txt"), at("next"));
        Deno.renameSync(at("next"), at("root/name.txt"));
      };
    case "deploy":
      for (const release of ["release0", "release1"]) {
        Deno.mkdirSync(at(`${release}/sub`), { recursive: true });
        for (const name of ["name.txt", "sub/name.txt", "target.txt"]) {
          Deno.writeTextFileSync(at(`${release}/${name}`), release);
        }
        Deno.symlinkSync("target.txt", at(`${release}/link.txt`));
        Deno.symlinkSync("../release0", at(`${release}/former`));
      }
      return (step) => {
        Deno.symlinkSync(`release${step % 2}`, at("next"));
        Deno.renameSync(at("next"), at("current"));
      };
    default:
      throw new TypeError(`Cannot swap: there is no ${kind}`);
  }
}

/** Puts two files at a path in turn. */
function swapTwo(first: string, second: string, path: string): Swap {
  return (step) => {
    if (step === 0) return Deno.renameSync(first, path);
    const [away, back] = step % 2 === 0 ? [second, first] : [first, second];
    Deno.renameSync(path, away);
    Deno.renameSync(back, path);
  };
}

function makeFifo(path: string): string {
  if (!new Deno.Command("mkfifo", { args: [path] }).outputSync().success) {
    throw new Error("Cannot make a FIFO");
  }
  return path;
}
