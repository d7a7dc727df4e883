/** A folder's mount when file handles run out, bodies are abandoned, and files or the folder change. */
// deno-lint-ignore-file no-console -- it is replaced to capture the warnings

import { mountStatic } from "@gatehouse/http/native";
import { assertEquals } from "@std/assert";
import { createMount } from "../../router/static_mount.ts";
import { OverloadError } from "../../static/source.ts";
import type { StaticEntry } from "../../static/types.ts";
import { scriptPath } from "./_fixture.ts";
import { withProcess } from "./_servers.ts";

/** Runs `native_limits_main.ts` on a folder with a fresh file of 1 MiB. */
async function limited(
  what: string,
  command: (deno: readonly string[]) => readonly string[],
): Promise<unknown> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  let answer: unknown;
  try {
    await Deno.writeFile(`${folder}/large.bin`, new Uint8Array(1024 * 1024));
    const script = scriptPath("native_limits_main.ts");
    await withProcess(
      command(["run", "-A", "--v8-flags=--expose-gc", script, what, folder]),
      async ({ line }) => {
        answer = JSON.parse(await line());
      },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return answer;
}

Deno.test({
  name: "mountStatic() answers 503, not 404, while too many files are open",
  ignore: Deno.build.os === "windows",
  async fn() {
    const answer = await limited("handles", (deno) => [
      "eval",
      `const { code } = await new Deno.Command("sh", { args: ["-c", 'ulimit -n 90; exec "$0" "$@"', Deno.execPath(), ${
        deno.map((arg) => JSON.stringify(arg)).join()
      }] }).spawn().status; Deno.exit(code);`,
    ]);
    assertEquals(answer, [200, 503, 200]);
  },
});

Deno.test({
  name: "mountStatic() closes the files of bodies that were garbage-collected",
  ignore: Deno.build.os !== "linux",
  async fn() {
    assertEquals(await limited("forgotten", (deno) => deno), [50, 0]);
  },
});

/** A mount of a file that is replaced before it is opened, `times` times. */
function replacedMount(times: number, last: StaticEntry["open"]) {
  let left = times;
  const lookup = (): StaticEntry => ({
    contentType: "text/plain",
    size: 1,
    etag: `W/"${left}"`,
    sized: false,
    open: () => left-- > 0 ? undefined : last(),
  });
  return createMount("/", { directory: "x", live: true }, {
    openDirectory: () => ({ lookup }),
    readManifest: () => undefined,
  });
}

/** [times, status, tag] How often the file is replaced, and the response. */
const REPLACED: readonly (readonly [times: number, status: number, etag: string | null])[] = [
  [0, 200, 'W/"0"'],
  [1, 200, 'W/"0"'],
  [4, 200, 'W/"0"'],
  [5, 404, null],
];
for (const [times, status, etag] of REPLACED) {
  Deno.test(`createMount() looks a file up again if it was replaced ${times} times`, async () => {
    const mount = replacedMount(times, () => "x");
    const response = await mount.fetch(new Request("http://localhost/a.txt"));
    assertEquals([response?.status, response?.headers.get("ETag")], [status, etag]);
    await response?.body?.cancel();
  });
}

Deno.test("createMount() answers 503 while too many files are open", async () => {
  const mount = replacedMount(0, () => {
    throw new OverloadError("Too many open files", { cause: new Error("EMFILE") });
  });
  const response = await mount.fetch(new Request("http://localhost/a.txt"));
  assertEquals([response?.status, (await response?.json()).code], [503, "service_unavailable"]);
});

Deno.test("mountStatic() warns once of a missing folder, and not of a missing file", async () => {
  const folder = await Deno.makeTempDir();
  const warned: unknown[] = [];
  const { warn } = console;
  console.warn = (text: unknown) => void warned.push(text);
  try {
    for (const directory of [`${folder}/gone`, folder]) {
      const mount = mountStatic("/", { directory });
      for (let i = 0; i < 3; i++) {
        const response = await mount.fetch(new Request("http://localhost/a.txt"));
        assertEquals(response.status, 404);
      }
    }
  } finally {
    console.warn = warn;
  }
  const path = JSON.stringify(`${folder}/gone`);
  assertEquals(warned, [`Cannot serve static assets of ${path}: there is no such folder`]);
});
