/**
 * Load from another process: `wrk` where there is one, else `autocannon` by npx.
 *
 * @module
 */

import { type Command, output, succeeds } from "./_command.ts";
import { BODY, type Case } from "./_requests.ts";

/** What a load was. */
export interface Load {
  /** Requests that were answered. */
  readonly requests: number;
  /** Requests per second. */
  readonly perSecond: number;
}

/** Something that makes load. */
export interface Loader {
  readonly name: string;
  /** Asks a server for the same thing, over and over. */
  run(origin: string, request: Case, seconds: number): Promise<Load>;
}

const CONNECTIONS = 32;
const AUTOCANNON = "autocannon@8.0.0";

/**
 * Finds a program that makes load.
 *
 * @param pin What stands before its command, to keep it on one core.
 */
export async function findLoader(pin: Command): Promise<Loader> {
  return await succeeds(["which", "wrk"]) ? wrk(pin) : autocannon(pin);
}

function wrk(pin: Command): Loader {
  return {
    name: `wrk, ${CONNECTIONS} connections`,
    async run(origin, [, path, init], seconds) {
      const script = await Deno.makeTempFile({ suffix: ".lua" });
      try {
        await Deno.writeTextFile(script, luaRequest(init));
        const options = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--timeout=20s", "-s", script];
        const text = await output([...pin, "wrk", ...options, origin + path]);
        refuseErrors(/Socket errors: (.*)/.exec(text)?.[1]);
        return {
          requests: numberIn(text, /(\d+) requests in/),
          perSecond: numberIn(text, /Requests\/sec:\s+([\d.]+)/),
        };
      } finally {
        await Deno.remove(script);
      }
    },
  };
}

function luaRequest(init: RequestInit = {}): string {
  return [
    ...(init.method === "POST" ? [`wrk.method = "POST"`, `wrk.body = [==[${BODY}]==]`] : []),
    ...headersOf(init).map(([name, value]) => `wrk.headers["${name}"] = [==[${value}]==]`),
  ].join("\n");
}

/** The request's fields without Content-Length, which the loaders add themselves: twice, it would be `7, 7`. */
function headersOf(init: RequestInit = {}): readonly (readonly [name: string, value: string])[] {
  return [...new Headers(init.headers)].filter(([name]) => name !== "content-length");
}

function autocannon(pin: Command): Loader {
  return {
    name: `${AUTOCANNON}, ${CONNECTIONS} connections`,
    async run(origin, [, path, init], seconds) {
      const post = init?.method === "POST" ? ["-m", "POST", "-b", BODY] : [];
      const headers = headersOf(init).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
      const text = await output([
        ...[...pin, "npx", "-y", AUTOCANNON, "--json", "-c", String(CONNECTIONS)],
        ...["-d", String(seconds), ...post, ...headers, origin + path],
      ]);
      const { requests, errors } = JSON.parse(text) as {
        requests: { total: number; average: number };
        errors: number;
      };
      refuseErrors(errors === 0 ? undefined : String(errors));
      return { requests: requests.total, perSecond: requests.average };
    },
  };
}

function refuseErrors(errors: string | undefined): void {
  if (errors !== undefined) throw new Error(`Cannot measure: errors on sockets: ${errors}`);
}

function numberIn(text: string, regexp: RegExp): number {
  const found = regexp.exec(text)?.[1];
  if (found === undefined) throw new Error(`Cannot read the output: ${text}`);
  return Number(found);
}
