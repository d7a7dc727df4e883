/** The shell session of docs/tokens.md, against the example service. */

import { assertEquals, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { PASSWORD } from "../examples/_notes_service.ts";
import { enter, start, withFolder } from "./_notes_process.ts";
import { program, refresh, refusalOf, statusOf } from "./_notes_api_clients.ts";

/** Result of a command. */
interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands with `sh`, without the environment of the tests. */
async function runShell(commands: string): Promise<Output> {
  const program = `
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-euc", ${JSON.stringify(commands)}],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "" },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    console.log(JSON.stringify({ code, stdout: out, stderr: err }));`;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Why the commands cannot run here, or `undefined`. */
async function obstacle(): Promise<string | undefined> {
  if (Deno.build.os === "windows") return "no sh";
  const found = await runShell("command -v curl sed").catch(() => undefined);
  return found?.code === 0 ? undefined : "no sh, curl or sed";
}

const page = await Deno.readTextFile(join(ROOT, "docs/tokens.md"));
const [, commands] = /^<!-- curl -->\n+```sh\n([\s\S]*?)^```$/m.exec(page) ?? [];
const why = await obstacle();

Deno.test({
  name: `The curl commands of docs/tokens.md sign in, read notes twice and sign out${
    why === undefined ? "" : ` (skipped: ${why})`
  }`,
  ignore: why !== undefined,
  async fn() {
    await withFolder(async (folder) => {
      const service = await start(folder);
      const { origin } = service;
      assertEquals((await enter(origin)).response.status, 201);
      const text = (commands ?? "").replace("http://localhost:8000", origin);
      assertEquals([text.includes(origin), text.includes(PASSWORD)], [true, true]);

      const { code, stdout, stderr } = await runShell(`${text}\necho "$ACCESS $REFRESH"`);
      assertEquals([code, stderr], [0, ""]);
      const [first = "", second, last = "", ...rest] = stdout.split("\n");
      assertEquals([second, rest], [first, [""]]);
      assertNotEquals(JSON.parse(first).notes.length, 0);
      const [accessToken = "", refreshToken = ""] = last.split(" ");
      const headers = { Authorization: `Bearer ${accessToken}` };
      assertEquals(await statusOf(program(origin, headers)("/notes")), 200);
      const refused = await refusalOf(refresh(origin, refreshToken));
      assertEquals(refused, [401, "invalid_refresh_token"]);
      const denied = "Denied POST /tokens/refresh: 401 invalid_refresh_token (revoked)\n";
      assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: denied });
    });
  },
});
