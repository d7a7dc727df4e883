import { kvApiKeyStore } from "../../examples/notes/store_kv_api_keys.ts";
import { registerContracts } from "../contracts/_contract.ts";

registerContracts({
  name: "kvApiKeyStore()",
  families: ["apiKeys"],
  async open() {
    const kv = await Deno.openKv(":memory:");
    return {
      stores: [{ apiKeys: kvApiKeyStore(kv) }, { apiKeys: kvApiKeyStore(kv) }],
      dispose: () => kv.close(),
    };
  },
});
