/**
 * One client that signs in over 90 connections, all the time and with the right password, against a server with the defaults,
 * each in a process of its own; and what other clients see of it.
 *
 * Run as a program, it is one of these processes: `serve`, or `attack <origin>`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import {
  createContainer,
  createRouter,
  generateSecret,
  inMemoryAuthStores,
  mountAuthRoutes,
  registerAuth,
} from "../mod.ts";

const CONNECTIONS = 90;
const PASSWORD = "seven green bottles on a wall";
const SELF = new URL(import.meta.url).pathname;

/** A client of the server, at an address of its own. */
export interface LoginClient {
  /** Signs in. @returns The status. */
  login(): Promise<number>;
}

/** What a client saw. */
export interface LoginTimes {
  /** How many logins there were of each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Durations in milliseconds, sorted. */
  readonly durations: readonly number[];
}

/** What the clients saw during an attack. */
export interface AttackResult {
  /** At another address, as an unknown device each time. */
  readonly victim: LoginTimes;
  /** On a device that has signed in before. */
  readonly known: LoginTimes;
  /** On a known device at the attacker's address. */
  readonly neighbour: LoginTimes;
}

/** Measures logins of other clients during an attack. `connections: 0` is no attack. */
export async function measureAttack(
  { seconds, connections = CONNECTIONS }: {
    readonly seconds: number;
    readonly connections?: number;
  },
): Promise<AttackResult> {
  const server = run(["serve"]);
  try {
    const origin = (await firstLine(server)).trim();
    const unknown = await connect(origin, { address: "203.0.113.5", identifier: "victim" });
    const known = await connect(origin, {
      address: "203.0.113.6",
      identifier: "known",
      keeps: true,
    });
    const neighbour = await connect(origin, {
      address: ATTACKER,
      identifier: "neighbour",
      keeps: true,
    });
    for (const client of [known, neighbour]) await client.login();
    const attacker = connections > 0 ? run(["attack", origin, `${connections}`]) : undefined;
    try {
      if (attacker !== undefined) await firstLine(attacker); // it has begun
      const until = performance.now() + seconds * 1_000;
      const [victim, device, beside] = await Promise.all(
        [unknown, known, neighbour].map((client) => repeatLogin(client, until)),
      );
      if (!victim || !device || !beside) throw new Error("Cannot measure: a client is missing");
      return { victim, known: device, neighbour: beside };
    } finally {
      if (attacker !== undefined) await stop(attacker);
    }
  } finally {
    await stop(server);
  }
}

const ATTACKER = "198.51.100.66";

async function repeatLogin(client: LoginClient, until: number): Promise<LoginTimes> {
  const statuses: Record<string, number> = {};
  const durations: number[] = [];
  while (performance.now() < until) {
    const start = performance.now();
    const status = await client.login();
    durations.push(performance.now() - start);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { statuses, durations: durations.sort((a, b) => a - b) };
}

/** Fetches a CSRF token. @param keeps Whether the client keeps its device cookie. */
async function connect(
  origin: string,
  { address, identifier, keeps = false }: {
    readonly address: string;
    readonly identifier: string;
    readonly keeps?: boolean;
  },
): Promise<LoginClient> {
  const common = { "X-Forwarded-For": address, "Sec-Fetch-Site": "same-origin", Origin: origin };
  const first = await fetch(`${origin}/auth/csrf`, { headers: common });
  const { csrfToken, header } = await first.json();
  const cookies = cookiesOf(first);
  return {
    async login() {
      const response = await fetch(`${origin}/auth/login`, {
        method: "POST",
        headers: {
          ...common,
          [header]: csrfToken,
          Cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ identifier, password: PASSWORD }),
      });
      await response.body?.cancel();
      const device = cookiesOf(response).get("__Host-dev");
      if (keeps && device !== undefined) cookies.set("__Host-dev", device);
      return response.status;
    },
  };
}

function cookiesOf(response: Response): Map<string, string> {
  return new Map(
    response.headers.getSetCookie().map((field) => {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(field) ?? [];
      return [name, value];
    }),
  );
}

function run(args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--quiet", "--no-check", "--allow-net=127.0.0.1", SELF, ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** What a process prints first; the rest is not read. */
async function firstLine({ stdout }: Deno.ChildProcess): Promise<string> {
  const reader = stdout.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  if (value === undefined) throw new Error("Cannot measure: a process did not start");
  return new TextDecoder().decode(value);
}

async function stop(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

async function serve(): Promise<void> {
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    deployment: { proxies: ["127.0.0.1"] },
    container: createContainer(),
  });
  for (const identifier of ["attacker", "victim", "known", "neighbour"]) {
    await runtime.passwords.createUser({ identifier, password: PASSWORD });
  }
  const router = mountAuthRoutes(createRouter<unknown[]>(), runtime.routes());
  Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
  }, (request, info) => router.fetch(request, info));
}

/** Half of the connections keep their device cookies, of which each has its own. */
async function attack(origin: string, connections: number): Promise<void> {
  console.log("begun");
  await Promise.all(Array.from({ length: connections }, async (_, i) => {
    const options = { address: ATTACKER, identifier: "attacker", keeps: i % 2 === 0 };
    const client = await connect(origin, options);
    for (;;) await client.login();
  }));
}

if (import.meta.main) {
  const [mode, origin = "", connections] = Deno.args;
  if (mode === "serve") await serve();
  else await attack(origin, Number(connections));
}
