/**
 * Opens the user's browser, by the program that each operating system has for it.
 *
 * @module
 */

import { firstLine } from "./listener.ts";

/** The program and its arguments. */
export function browserCommand(os: string, url: string): readonly [string, ...string[]] {
  switch (os) {
    case "darwin":
      return ["open", url];
    case "windows":
      return ["rundll32", "url.dll,FileProtocolHandler", url]; // `start` would read & in an address
    default:
      return ["xdg-open", url];
  }
}

/**
 * Opens an address. Deno asks the user whether the program may run.
 *
 * @returns Why that was not possible; `undefined` if it was.
 */
export async function openBrowser(url: string): Promise<string | undefined> {
  const [program, ...args] = browserCommand(Deno.build.os, url);
  try {
    const child = new Deno.Command(program, { args, stdout: "null", stderr: "null" }).spawn();
    child.unref();
    const { code } = await child.status;
    return code === 0 ? undefined : `${program} ended with ${code}`;
  } catch (error) {
    return firstLine(error);
  }
}
