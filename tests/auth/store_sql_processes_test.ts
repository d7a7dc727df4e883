import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { openFile, type Racer } from "./_store_sql_racer.ts";

const PROCESSES = 4;
const ROUNDS = 100;

Deno.test("sqlAdapter() has one winner of each race of four processes on one file of SQLite", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sqlite_" });
  try {
    const path = join(folder, "gatehouse.db");
    using file = openFile(path);
    const { adapter } = file;
    await adapter.migrate();
    for (let round = 0; round < ROUNDS; round++) {
      await adapter.put("states", `s${round}`, { value: round + 1 });
    }
    const racers = await Promise.all(Array.from({ length: PROCESSES }, () => runRacer(path)));
    const sum = (of: keyof Racer) => racers.reduce((total, racer) => total + racer[of], 0);
    assertEquals(sum("taken"), ROUNDS);
    assertEquals(sum("created"), ROUNDS);
    assertEquals((await adapter.get("sums", "sum"))?.value, sum("raised"));
    assert(sum("raised") >= ROUNDS);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function runRacer(path: string): Promise<Racer> {
  const folder = join(path, "..");
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--no-config", "--no-lock"],
      ...[`--allow-read=${folder}`, `--allow-write=${folder}`],
      fromFileUrl(import.meta.resolve("./_store_sql_racer.ts")),
      ...[path, `${PROCESSES}`, `${ROUNDS}`],
    ],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout)) as Racer;
}
