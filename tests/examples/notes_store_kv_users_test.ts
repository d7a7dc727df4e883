import { kvUserStore } from "../../examples/notes/store_kv_users.ts";
import { registerContracts } from "../contracts/_contract.ts";

registerContracts({
  name: "kvUserStore()",
  families: ["users"],
  async open() {
    const kv = await Deno.openKv(":memory:");
    return {
      stores: [{ users: kvUserStore(kv) }, { users: kvUserStore(kv) }],
      dispose: () => kv.close(),
    };
  },
});
