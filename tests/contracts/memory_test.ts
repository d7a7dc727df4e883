import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import type { AuthStores } from "../../auth/stores/types.ts";
import { registerContracts } from "./_contract.ts";

registerContracts({
  name: "inMemoryAuthStores()",
  open: (now) => ({ stores: [inMemoryAuthStores({ now })] }),
});

// No promise may hang on calls that are done before they return, or on there being one object
registerContracts({
  name: "inMemoryAuthStores() far away",
  open(now) {
    const stores = inMemoryAuthStores({ now });
    return { stores: [farAway(stores, 1), farAway(stores, 4), farAway(stores, 2)] };
  },
});

/** The same stores behind a way that takes some turns, there and back. */
function farAway(stores: AuthStores, turns: number): AuthStores {
  return {
    users: delayed(stores.users, turns),
    sessions: delayed(stores.sessions, turns),
    credentials: delayed(stores.credentials, turns),
    states: delayed(stores.states, turns),
    refreshTokens: delayed(stores.refreshTokens, turns),
    keys: delayed(stores.keys, turns),
    throttle: delayed(stores.throttle, turns),
    apiKeys: delayed(stores.apiKeys, turns),
  };
}

function delayed<Store extends object>(store: Store, turns: number): Store {
  const wait = async () => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
  return new Proxy(store, {
    get: (target, name) => async (...args: unknown[]) => {
      const sent = structuredClone(args);
      await wait();
      const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      const received = structuredClone(await method(...sent));
      await wait();
      return received;
    },
  });
}
