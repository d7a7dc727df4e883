/** A server of Redis under both contracts, by both clients. What adapters have no connection in common. */

import { registerAdapter } from "../contracts/storage_adapter.ts";
import { engineTests } from "./_engines.ts";
import { openRedis, REDIS_CLIENTS } from "./_redis.ts";

for (const client of REDIS_CLIENTS) {
  engineTests("redis", `redisAdapter() by ${client}`, (url) => {
    registerAdapter({
      name: `redisAdapter() by ${client}`,
      async open(now) {
        const place = await openRedis(url, { client, now });
        return { adapters: place.adapters, dispose: () => place[Symbol.asyncDispose]() };
      },
    });
  });
}
