import { assertEquals, assertMatch } from "@std/assert";
import { createClient } from "../examples/_notes_service.ts";
import { startAtAddress, withFolder } from "../flows/_notes_process.ts";
import { refusalOf, statusOf } from "../flows/_notes_api_clients.ts";
import { ENGINE_NAMES, ENGINES, engineTest } from "./_engines.ts";
import { startProxy } from "./_proxy.ts";

/** Time limit for the recovery, in milliseconds. */
const RECOVERY_MS = 10_000;

for (const engine of ENGINE_NAMES) {
  engineTest(
    engine,
    "main.ts responds 500 while its database is away, and recovers",
    async (url) => {
      await withFolder(async (folder) => {
        await using proxy = startProxy(url);
        const service = await startAtAddress(folder, {
          secret: "a secret that only the tests know, kept",
          env: { [ENGINES[engine].appVariable]: proxy.url },
        });
        let ended: { readonly code: number; readonly stderr: string };
        try {
          const client = createClient(service.origin);
          assertEquals(await statusOf(client.enter("register", crypto.randomUUID())), 201);
          const { id } = await client.create({ title: "kept" });
          for (let outage = 0; outage < 2; outage++) {
            proxy.close();
            for (let i = 0; i < 5; i++) {
              assertEquals(await refusalOf(client.call(`/notes/${id}`)), [500, "internal_error"]);
            }
            proxy.open();
            const deadline = Date.now() + RECOVERY_MS;
            let status = 0;
            while (status !== 200 && Date.now() < deadline) {
              status = await statusOf(client.call(`/notes/${id}`));
            }
            assertEquals(status, 200);
          }
        } finally {
          ended = await service.stop("SIGTERM");
        }
        assertEquals(ended.code, 0);
        assertMatch(ended.stderr, /^Cannot answer GET \/notes\/:id: Error: Cannot read /);
      });
    },
  );
}
