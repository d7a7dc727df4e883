/** The catalogue "Sign-in": an application's own form, posted from elsewhere; rows are only added. */

import { assertEquals } from "@std/assert";
import { types } from "../auth/_services.ts";
import { enterApp } from "../auth/http/_sign_in.ts";

/** Requests whose browser an attacker would sign in to the attacker's account, or whose sender is unknown. */
const FORGED: readonly (readonly [
  source: string,
  what: string,
  headers: Readonly<Record<string, string | undefined>>,
  status: number,
])[] = [
  ["CWE-352", "a page of another site", { "Sec-Fetch-Site": "cross-site" }, 403],
  ["CWE-352", "a page of a sibling domain", { "Sec-Fetch-Site": "same-site" }, 403],
  ["CWE-352", "another site, in a browser without Fetch Metadata", {
    "Sec-Fetch-Site": undefined,
    Origin: "https://evil.example",
  }, 403],
  ["CWE-352", "a sandboxed page", { "Sec-Fetch-Site": undefined, Origin: "null" }, 403],
  ["CWE-352", "neither an origin nor a token", {
    "Sec-Fetch-Site": undefined,
    Origin: undefined,
  }, 403],
  ["neighbour", "an own page", {}, 200],
  ["neighbour", "an own page, in a browser without Fetch Metadata", {
    "Sec-Fetch-Site": undefined,
    Origin: "https://example.com",
  }, 200],
];
for (const [source, what, headers, status] of FORGED) {
  Deno.test(
    `[${source}] login CSRF: ${what} → ${status}${
      status === 403 ? ", no session, and the browser's own one is kept" : ""
    }`,
    async () => {
      const app = enterApp();
      const client = await app.signedIn();
      const before = client.jar.get("__Host-sid") ?? "";
      app.events.length = 0;
      const init = { method: "POST", json: {}, headers, token: false } as const;
      assertEquals((await client.send("/enter", init)).status, status);
      if (status === 200) return;
      assertEquals(types(app.events).filter((type) => type.startsWith("session.")), []);
      assertEquals(client.jar.get("__Host-sid"), before);
      assertEquals((await client.send("/me")).status, 200);
    },
  );
}

Deno.test("[CWE-352] login CSRF: no origin, but the token → 200", async () => {
  const app = enterApp();
  const client = await app.signedIn();
  const headers = { "Sec-Fetch-Site": undefined, Origin: undefined };
  const token = await client.token();
  const init = { method: "POST", json: {}, headers, token };
  assertEquals((await client.send("/enter", init)).status, 200);
});
