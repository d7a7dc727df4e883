import { join } from "@std/path";
import { denoKvAdapter } from "../../auth/stores/kv.ts";
import { type OpenAdapters, registerAdapter } from "./storage_adapter.ts";

registerAdapter({ name: "denoKvAdapter() in memory", open: openMemory });

// Each connection has a thread and a view of its own, as those of two processes have
registerAdapter({ name: "denoKvAdapter() twice on a file", open: openFile });

async function openMemory(now: () => number): Promise<OpenAdapters> {
  const kv = await Deno.openKv(":memory:");
  return { adapters: [denoKvAdapter(kv, { now })], dispose: () => kv.close() };
}

async function openFile(now: () => number): Promise<OpenAdapters> {
  const folder = await Deno.makeTempDir({ prefix: "kv_contract_" });
  const path = join(folder, "kv.sqlite3");
  const [first, second] = [await Deno.openKv(path), await Deno.openKv(path)];
  return {
    adapters: [denoKvAdapter(first, { now }), denoKvAdapter(second, { now })],
    async dispose() {
      first.close();
      second.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
