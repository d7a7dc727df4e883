/**
 * Finds the machine's PostgreSQL and Redis, and starts servers on free ports with folders of their own, which are stopped and
 * deleted at the end of a block. Servers that already run are not touched.
 *
 * @module
 */

import { join } from "@std/path";
import type { Engine } from "./_engines.ts";
import { type Launch, launch, type RunningServer } from "./_launch.ts";

/** An engine's server program. */
export interface EnginePrograms {
  /** Path of the server. */
  readonly server: string;
  /** Name and version, such as `PostgreSQL 15.4`. */
  readonly version: string;
}

/** Debian does not put the server on the path. */
const DEBIAN_POSTGRES = "/usr/lib/postgresql";

const PROGRAMS: {
  readonly [E in Engine]: {
    /** Possible paths of its server, preferred ones first. */
    candidates(): readonly string[];
    start(server: string): Promise<RunningServer>;
  };
} = {
  postgres: {
    candidates: () => [...debianPostgres(), ...onPath("postgres")],
    start: startPostgres,
  },
  redis: {
    candidates: () => [...onPath("redis-server"), ...onPath("valkey-server")],
    start: startRedis,
  },
};

/** Finds an engine; `undefined` if it is not installed. */
export async function findEngine(engine: Engine): Promise<EnginePrograms | undefined> {
  for (const server of PROGRAMS[engine].candidates()) {
    const version = await readVersion(server);
    if (version !== undefined) return { server, version };
  }
  return undefined;
}

/** Starts an engine and waits until it responds; it is stopped and deleted at the end of the block. */
export function startEngine(engine: Engine, { server }: EnginePrograms): Promise<RunningServer> {
  return PROGRAMS[engine].start(server);
}

function onPath(name: string): readonly string[] {
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).filter(isFile);
}

/** The newest version first. */
function debianPostgres(): readonly string[] {
  try {
    return [...Deno.readDirSync(DEBIAN_POSTGRES)]
      .sort((a, b) => Number(b.name) - Number(a.name))
      .map(({ name }) => join(DEBIAN_POSTGRES, name, "bin/postgres"))
      .filter(isFile);
  } catch {
    return [];
  }
}

/**
 * PostgreSQL does not run as root. It gets a linguistic collation, as on most machines, which reveals an adapter that depends
 * on the database's collation.
 */
async function startPostgres(server: string): Promise<RunningServer> {
  const initdb = join(await Deno.realPath(server), "../initdb");
  const password = crypto.randomUUID();
  const owner = Deno.uid() === 0 ? await accountOf("postgres") : {};
  return await launch(owner, async ({ folder, port }): Promise<Launch> => {
    const data = join(folder, "data");
    const passwordFile = join(folder, "password");
    await Deno.writeTextFile(passwordFile, password);
    await run(initdb, [
      ...["--pgdata", data, "--username", "gatehouse", "--pwfile", passwordFile],
      ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync"],
      ...(await supports(initdb, "--icu-locale")
        ? ["--locale-provider", "icu", "--icu-locale", "en-US"]
        : []),
    ], owner);
    const settings = {
      listen_addresses: "127.0.0.1",
      port,
      unix_socket_directories: "",
      max_connections: 200,
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
    };
    return {
      command: server,
      args: ["-D", data, ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
      url: `postgres://gatehouse:${password}@127.0.0.1:${port}/postgres`,
      hello: POSTGRES_HELLO,
      stop: "SIGINT", // does not wait for clients
    };
  });
}

async function startRedis(server: string): Promise<RunningServer> {
  return await launch({}, ({ folder, port }) => ({
    command: server,
    args: [
      ...["--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder],
      ...["--save", "", "--appendonly", "no"],
    ],
    url: `redis://127.0.0.1:${port}`,
    hello: REDIS_HELLO,
    stop: "SIGTERM",
  }));
}

/** Sent until the server responds: a request for TLS, which is answered with one letter. */
const POSTGRES_HELLO: Launch["hello"] = {
  request: Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47),
  answer: /^[NS]/,
};
const REDIS_HELLO: Launch["hello"] = {
  request: new TextEncoder().encode("PING\r\n"),
  answer: /^\+PONG/,
};

async function accountOf(name: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const idOf = async (flag: string) => Number(await run("id", [flag, name]));
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}

async function supports(command: string, flag: string): Promise<boolean> {
  return (await run(command, ["--help"])).includes(flag);
}

async function readVersion(server: string): Promise<string | undefined> {
  try {
    const text = (await run(server, ["--version"])).trim();
    const [, name, version] = /^(?:postgres \()?(\w+)(?:\)| server) (?:v=)?([\d.]+)/.exec(text) ??
      [];
    return name === undefined ? undefined : `${name} ${version}`;
  } catch {
    return undefined;
  }
}

/** Runs a program. @returns Its standard output. */
async function run(
  command: string,
  args: readonly string[],
  owner: { readonly uid?: number; readonly gid?: number } = {},
): Promise<string> {
  const program = new Deno.Command(command, { args: [...args], stdin: "null", ...owner });
  const { success, stdout, stderr } = await program.output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot run ${command}: ${decoder.decode(stderr).trim()}`);
  return decoder.decode(stdout);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
