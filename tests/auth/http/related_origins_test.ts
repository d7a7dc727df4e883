/** The document of related origins, WebAuthn Level 3 §5.11.1. */

import {
  createRouter,
  relatedOriginsHandler,
  type RouteRequest,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { untyped } from "../../router/_helpers.ts";
import { createPasskeyApp } from "./_passkeys.ts";

const PATH = "/.well-known/webauthn";

/** Origins of the configuration, and those in the document. */
const ORIGINS: readonly (readonly [
  why: string,
  origins: readonly string[],
  related: readonly string[],
])[] = [
  ["none of another domain", ["https://example.com"], []],
  ["subdomains, which need no relation", ["https://app.example.com:8443"], []],
  ["two other domains", [
    "https://example.com",
    "https://example.co.uk",
    "https://app.example.net:8443",
  ], ["https://example.co.uk", "https://app.example.net:8443"]],
  ["a name that ends with the domain's", ["https://notexample.com"], ["https://notexample.com"]],
  ["apps, which are no web origins", ["android:apk-key-hash:abc", "ios:bundle-id:com.example"], []],
];

for (const [why, origins, related] of ORIGINS) {
  Deno.test(`relatedOriginsHandler() lists ${why}`, async () => {
    const { webauthn } = createPasskeyApp({ webauthn: { origins } });
    const response = await createRouter().get(PATH, relatedOriginsHandler(webauthn)).request(PATH);
    assertEquals([response.status, await response.json()], [200, { origins: related }]);
    assertEquals(Object.fromEntries(response.headers), {
      "cache-control": "public, max-age=3600",
      "content-type": "application/json",
    });
  });
}

Deno.test("relatedOriginsHandler() answers HEAD like GET, without a body, and is public in a guarded router", async () => {
  const { webauthn, runtime } = createPasskeyApp();
  const router = withAuthRoutes(createRouter(), { runtime })
    .get(PATH, relatedOriginsHandler(webauthn), { auth: false });
  const response = await router.request(PATH, { method: "HEAD" });
  assertEquals([response.status, await response.text()], [200, ""]);
  assertEquals(response.headers.get("Cache-Control"), "public, max-age=3600");
});

for (const method of ["POST", "PUT", "DELETE"]) {
  Deno.test(`relatedOriginsHandler() rejects ${method} where a router passes it on`, async () => {
    const handler = relatedOriginsHandler(createPasskeyApp().webauthn);
    const response = handler(untyped<RouteRequest>({ method }));
    assertEquals([response.status, response.headers.get("Allow")], [405, "GET, HEAD"]);
    await response.body?.cancel();
  });
}

for (const wrong of [undefined, null, {}, { relatedOrigins: "https://example.net" }, () => []]) {
  Deno.test(`relatedOriginsHandler() rejects ${JSON.stringify(wrong) ?? typeof wrong}`, () => {
    assertThrows(
      () => relatedOriginsHandler(untyped(wrong)),
      TypeError,
      "webauthn must be a passkey service",
    );
  });
}
