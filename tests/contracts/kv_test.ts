import { denoKvAdapter } from "../../auth/stores/engines/kv.ts";
import { registerAdapter } from "./storage_adapter.ts";

registerAdapter({
  name: "denoKvAdapter() in memory",
  async open(now) {
    const kv = await Deno.openKv(":memory:");
    return { adapters: [denoKvAdapter(kv, { now })], dispose: () => kv.close() };
  },
});
