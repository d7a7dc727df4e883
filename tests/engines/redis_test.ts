import { authStores } from "../../auth/store_repo.ts";
import { registerContracts } from "../contracts/_contract.ts";
import { registerStorageContract } from "../contracts/storage_adapter.ts";
import { engineTests } from "./_engines.ts";
import { openRedis, REDIS_CLIENTS } from "./_redis.ts";

for (const client of REDIS_CLIENTS) {
  const name = `redisAdapter(), ${client}`;
  engineTests("redis", `${name} keeps the contract of adapters`, (url) => {
    registerStorageContract({
      name,
      async open(now) {
        const place = await openRedis(url, { client, now });
        return { adapters: place.adapters, dispose: () => place[Symbol.asyncDispose]() };
      },
    });
  });
  engineTests("redis", `authStores(${name}) keeps the contracts of stores`, (url) => {
    registerContracts({
      name: `authStores(${name})`,
      async open(now) {
        const place = await openRedis(url, { client, now });
        const [first, second] = place.adapters;
        return {
          stores: [authStores(first), authStores(second)],
          dispose: () => place[Symbol.asyncDispose](),
        };
      },
    });
  });
}
