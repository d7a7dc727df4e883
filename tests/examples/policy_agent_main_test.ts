import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";

const MAIN = fromFileUrl(new URL("../../examples/policy_agent/main.ts", import.meta.url));

/** Starts the example, passes the URL of its notes to the test, and returns the output. */
async function withExample(
  args: readonly string[],
  test: (notes: string) => Promise<void>,
): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net", "--unstable-no-legacy-abort", MAIN, ...args],
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stderr = new Response(child.stderr).text();
  let printed = "";
  try {
    while (!printed.includes("204\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The example did not start: ${await stderr}`);
      printed += value;
    }
    await test(/http:\/\/localhost:\d+\/notes/.exec(printed)?.[0] ?? "");
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    printed += read.value;
  }
  assertEquals(await stderr, "");
  return printed;
}

async function statusOf(url: string, key?: string, method = "GET"): Promise<number> {
  const headers = key === undefined ? {} : { "X-Api-Key": key };
  const response = await fetch(url, { method, headers });
  await response.body?.cancel();
  return response.status;
}

Deno.test("The policy agent example responds as its documentation describes", async () => {
  const printed = await withExample([], async (notes) => {
    assertEquals(await statusOf(notes), 401);
    assertEquals(await statusOf(notes, "key-of-nobody"), 401);
    assertEquals(await statusOf(notes, "key-of-bob"), 200);
    assertEquals(await statusOf(`${notes}/1`, "key-of-bob", "DELETE"), 403);
    assertEquals(await statusOf(`${notes}/1`, "key-of-ada", "DELETE"), 204);
    assertEquals(await statusOf(`${notes}/1`, "key-of-ada", "DELETE"), 404);
  });
  assertMatch(printed, /^agent: asked \{"subject":\{"sub":"bob"/m);
  assertMatch(printed, /^denied: policy agent: the rule is undefined$/m);
});

Deno.test("The policy agent example denies all requests without an agent", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const agent = `http://127.0.0.1:${port}/v1/data/notes/allow`;
  const printed = await withExample([agent], async (notes) => {
    assertEquals(await statusOf(notes, "key-of-ada"), 403);
  });
  assertMatch(printed, /^denied: policy agent: the connection failed$/m);
});
