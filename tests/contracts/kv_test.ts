import { join } from "@std/path";
import { denoKvAdapter } from "../../auth/store_kv.ts";
import { authStores } from "../../auth/store_repo.ts";
import type { StorageAdapter } from "../../auth/storage_adapter.ts";
import { registerContracts } from "./_contract.ts";
import { registerStorageContract } from "./storage_adapter.ts";

/** An empty database, and some ways to it. */
interface OpenKv {
  readonly adapters: readonly [StorageAdapter, ...StorageAdapter[]];
  readonly dispose: () => Promise<void>;
}

const PLACES: readonly { name: string; open(now: () => number): Promise<OpenKv> }[] = [
  { name: "denoKvAdapter() in memory", open: openMemory },
  // Each connection has a thread and a view of its own, as those of two processes have
  { name: "denoKvAdapter() twice on a file", open: openFile },
];

for (const { name, open } of PLACES) {
  registerStorageContract({ name, open });
  registerContracts({
    name: `authStores() over ${name}`,
    async open(now) {
      const { adapters: [first, ...others], dispose } = await open(now);
      return { stores: [authStores(first), ...others.map(authStores)], dispose };
    },
  });
}

async function openMemory(now: () => number): Promise<OpenKv> {
  const kv = await Deno.openKv(":memory:");
  const dispose = () => Promise.resolve(kv.close());
  return { adapters: [denoKvAdapter(kv, { now })], dispose };
}

async function openFile(now: () => number): Promise<OpenKv> {
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
