/**
 * The files and links of the fixture that the shared cases are written for.
 *
 * @module
 */

/** No response may contain this, except in the listed cases. */
export const SECRET = "fixture-secret-marker";

/** Files by their path. `root/` is served; files outside it and hidden files are secret. */
export const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "sub/n.txt",
      "sub/index.html",
      "sub/.git/config",
      "with space.txt",
      "caf\u00e9.txt",
      "100%.txt",
      "a#b.txt",
      "a?b.txt",
      "a+b.txt",
      "~tilde.txt",
      "blob.zzz",
      "LICENSE",
      "a..b.txt",
      "dots...txt",
      "longfilename.txt",
      "unreadable.txt",
      "noexec/x.txt",
    ].map((key) => [`root/${key}`, `This is ${encodeURIComponent(key)}\n`]),
  ),
  ...Object.fromEntries(
    [
      "root/.env",
      "root/.hidden/z.txt",
      "root/..hidden",
      "root/.well-known/security.txt",
      "root/private/s.txt",
      "root/p,q/s.txt",
      "secret.txt",
      "root-backup/a.txt",
    ].map((path) => [path, `${SECRET} of ${path}\n`]),
  ),
  "root/a.txt": "hello\n",
  "root/empty.txt": "",
};

/** Symbolic links and their targets; `ABS` is the fixture's folder. */
export const LINKS: Readonly<Record<string, string>> = {
  "root/link-in.txt": "a.txt",
  "root/license": "LICENSE",
  "root/link-abs-in.txt": "ABS/root/a.txt",
  "root/linkdir-in": "sub",
  "root/link-out.txt": "../secret.txt",
  "root/link-abs-out.txt": "ABS/secret.txt",
  "root/linkdir-out": "..",
  "root/sub/linkdir-out": "../..",
  "root/link-chain.txt": "link-out.txt",
  "root/link-sibling.txt": "../root-backup/a.txt",
  "root/link-dot.txt": ".env",
  "root/linkdir-dot": ".hidden",
  "root/loop1": "loop2",
  "root/loop2": "loop1",
  "root/dangling": "nowhere",
  "root/link-proc": "/proc/self/environ",
  "root/link-zero": "/dev/zero",
  "root/link-dir-loop": ".",
  "root/link-private": "private",
};

/** Hard links and their files. */
export const HARD_LINKS: Readonly<Record<string, string>> = {
  "root/hardlink-out.txt": "secret.txt",
};

/** Files without read permission. */
export const NO_RIGHTS: readonly string[] = ["root/unreadable.txt", "root/noexec"];

/** The files that a package of `root/` holds: those with a valid key, guarded ones included. */
export const PACKAGED: readonly (readonly [key: string, text: string])[] = Object.entries(FILES)
  .filter(([path]) => path.startsWith("root/") && !path.includes("/."))
  .map(([path, text]) => [path.slice("root/".length), text] as const)
  .filter(([key]) => !NO_RIGHTS.some((path) => `root/${key}`.startsWith(path)));
