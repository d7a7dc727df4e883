import { assertEquals } from "@std/assert";
import type { NewUser } from "@gatehouse/http/auth";
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

const ADA: NewUser = {
  sub: "u1",
  identifier: "ada@example.org",
  securityStamp: "s1",
  createdAt: 0,
};
const LATER = "countess@example.org";

/** A database where Ada takes another identifier as soon as somebody has read something. */
function racing(kv: Deno.Kv): Deno.Kv {
  const store = kvUserStore(kv);
  let moved = false;
  return {
    async get(key: Deno.KvKey): Promise<unknown> {
      const entry = await kv.get(key);
      if (!moved) {
        moved = true;
        const version = (await store.findBySub(ADA.sub))?.version ?? "";
        await store.update(ADA.sub, version, { identifier: LATER });
      }
      return entry;
    },
    atomic: () => kv.atomic(),
  } as unknown as Deno.Kv;
}

Deno.test("kvUserStore() finds nobody by an identifier that goes between the two readings", async () => {
  using kv = await Deno.openKv(":memory:");
  const store = kvUserStore(kv);
  await store.create(ADA);
  assertEquals(await kvUserStore(racing(kv)).findByIdentifier(ADA.identifier), null);
  assertEquals((await store.findByIdentifier(LATER))?.sub, ADA.sub);
});

Deno.test("kvUserStore() frees the identifier that a user took while it was deleted", async () => {
  using kv = await Deno.openKv(":memory:");
  const store = kvUserStore(kv);
  await store.create(ADA);
  await kvUserStore(racing(kv)).delete(ADA.sub);
  assertEquals(await store.findBySub(ADA.sub), null);
  for (const [index, identifier] of [ADA.identifier, LATER].entries()) {
    assertEquals(await store.create({ ...ADA, sub: `n${index}`, identifier }), "created");
  }
});
