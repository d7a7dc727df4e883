import { join } from "@std/path";
import { denoKvAdapter } from "../../../auth/stores/engines/kv.ts";
import { registerAdapter } from "../../contracts/storage_adapter.ts";

// Each connection has a separate thread and view, like those of two processes
registerAdapter({
  name: "denoKvAdapter() twice on a file",
  async open(now) {
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
  },
});
