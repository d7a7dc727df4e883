/**
 * A process with fifty concurrent callers that writes to a Deno KV file. Argument: the file. Each line names the work; it
 * answers when that is done.
 *
 * @module
 */

import { type DenoKvAdapter, denoKvAdapter } from "../../../../auth/stores/engines/kv.ts";
import { answerLines } from "../../../contracts/_processes.ts";

/** What a process writes. Each record has unique and indexed values, one of them shared. */
export type Work = "one record" | "many records";

/** Concurrent callers of a process. */
const CALLERS = 50;

const WORK: { readonly [W in Work]: (adapter: DenoKvAdapter, writer: string) => Promise<void> } = {
  "one record": (adapter, writer) =>
    adapter.put("puts", "shared", { value: writer, unique: writer, index: [writer, "shared"] }),
  async "many records"(adapter, writer) {
    for (let round = 0; round < 1_000; round++) {
      const unique = `${writer} ${round}`;
      const record = { value: round, unique, index: ["shared", unique] } as const;
      await adapter.put("puts", `${writer} ${round % 3}`, record);
      if (round % 5 === 0) await adapter.delete("puts", `${writer} ${round % 2}`);
    }
  },
};

async function main([path]: readonly string[]): Promise<void> {
  using kv = await Deno.openKv(path);
  const adapter = denoKvAdapter(kv);
  await answerLines(async (work) => {
    const writers = Array.from({ length: CALLERS }, (_, caller) => `${Deno.pid} ${caller}`);
    await Promise.all(writers.map((writer) => WORK[work as Work](adapter, writer)));
    return "written";
  });
}

if (import.meta.main) await main(Deno.args);
