/** WebSockets: their handshake is a GET that other sites may send with the user's cookies. */

import { assertEquals } from "@std/assert";
import { cookieField, csrf, IN_A, issued, OWN, refusal, request } from "./_csrf.ts";

/** The handshake of a WebSocket, by where its browser says it comes from, and why it is refused. */
const HANDSHAKES: readonly [
  why: string,
  headers: Readonly<Record<string, string>>,
  reason: string | undefined,
][] = [
  ["another site", { "Sec-Fetch-Site": "cross-site" }, "cross_origin"],
  ["a sibling domain", { "Sec-Fetch-Site": "same-site" }, "cross_origin"],
  ["another Origin", { Origin: "https://evil.example" }, "cross_origin"],
  ["Origin: null", { Origin: "null" }, "cross_origin"],
  ["the application's own page", { "Sec-Fetch-Site": "same-origin" }, undefined],
  ["its own Origin", { Origin: "https://example.com" }, undefined],
  ["nobody says where", {}, "token_missing"],
];

for (const [why, headers, reason] of HANDSHAKES) {
  Deno.test(`check() and checkOrigin() ${reason === undefined ? "let the handshake of a WebSocket pass" : "refuse the handshake of a WebSocket"}: ${why}`, async () => {
    for (const by of ["check", "checkOrigin"] as const) {
      for (const mark of [{ Upgrade: "websocket" }, { "Sec-Fetch-Mode": "websocket" }]) {
        const cookies = { Cookie: cookieField(IN_A) };
        const attempt = request({ ...cookies, ...headers, ...mark }, "GET");
        assertEquals(await refusal(csrf, attempt, by), reason, by);
      }
    }
  });
}

Deno.test("check() and checkOrigin() let a handshake with a token pass where nobody says where it is from", async () => {
  const { token, jar } = await issued(csrf, IN_A);
  const headers = { Cookie: cookieField(jar), "X-CSRF-Token": token, Upgrade: "websocket" };
  for (const by of ["check", "checkOrigin"] as const) {
    assertEquals(await refusal(csrf, request(headers, "GET"), by), undefined);
    const other = { ...headers, "X-CSRF-Token": `${"0".repeat(64)}.${"0".repeat(64)}` };
    assertEquals(await refusal(csrf, request(other, "GET"), by), "token_differs_from_cookie");
  }
});

Deno.test("check() asks a token of every POST, even of one that wants to be a WebSocket", async () => {
  for (const mark of [{ Upgrade: "websocket" }, { "Sec-Fetch-Mode": "websocket" }]) {
    const post = request({ ...OWN, ...mark, Cookie: cookieField(IN_A) });
    assertEquals(await refusal(csrf, post), "token_missing");
  }
});

Deno.test("check() and checkOrigin() let a GET pass that wants another protocol, wherever it comes from", async () => {
  const headers = { Upgrade: "h2c", "Sec-Fetch-Site": "cross-site", Cookie: cookieField(IN_A) };
  for (const by of ["check", "checkOrigin"] as const) {
    assertEquals(await refusal(csrf, request(headers, "GET"), by), undefined);
  }
});
