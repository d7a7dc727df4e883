/**
 * Changes of a file between its lookup and its opening.
 *
 * @module
 */

/** One change, in a separate folder with `root` and `spare` in it. */
export interface Interleaving {
  readonly name: string;
  /** The file that is looked up. */
  readonly key: "t.txt" | "d/t.txt";
  /** The change. It may only rename and write. */
  readonly change: (folder: string) => void;
  /** Whether the file is still served; omitted if that depends on permissions. */
  readonly served?: boolean;
}

/** When the files were written, in seconds. */
export const MTIME = 1_000_000;

/** The table. Replacements are prepared in `spare`. */
export const INTERLEAVINGS: readonly Interleaving[] = [
  { name: "nothing", key: "t.txt", change: () => {}, served: true },
  { name: "nothing, in a folder", key: "d/t.txt", change: () => {}, served: true },
  {
    name: "another file of the same size and time takes its place",
    key: "t.txt",
    change: (folder) => Deno.renameSync(`${folder}/spare/other.txt`, `${folder}/root/t.txt`),
    served: false,
  },
  {
    name: "it is written again, as long as it was",
    key: "t.txt",
    change: (folder) => Deno.writeTextFileSync(`${folder}/root/t.txt`, "HELLO"),
    served: false,
  },
  {
    name: "it grows, and gets its time back",
    key: "t.txt",
    change(folder) {
      Deno.writeTextFileSync(`${folder}/root/t.txt`, "hello!");
      Deno.utimeSync(`${folder}/root/t.txt`, MTIME, MTIME);
    },
    served: false,
  },
  {
    name: "a FIFO takes its place",
    key: "t.txt",
    change: (folder) => Deno.renameSync(`${folder}/spare/fifo`, `${folder}/root/t.txt`),
    served: false,
  },
  { // if links are followed despite O_NOFOLLOW, it is the same file
    name: "a link to the same file takes its place",
    key: "t.txt",
    change: (folder) => Deno.renameSync(`${folder}/spare/link`, `${folder}/root/t.txt`),
  },
  {
    name: "it is gone",
    key: "t.txt",
    change: (folder) => Deno.removeSync(`${folder}/root/t.txt`),
    served: false,
  },
  {
    name: "its folder is exchanged for a link to a folder outside with the same file",
    key: "d/t.txt",
    change(folder) {
      Deno.renameSync(`${folder}/root/d`, `${folder}/spare/d`);
      Deno.renameSync(`${folder}/spare/linkdir`, `${folder}/root/d`);
    },
    served: false,
  },
];
