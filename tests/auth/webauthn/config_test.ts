import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { deriveKeys, generateSecret } from "../../../auth/derived_keys.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { webAuthnService } from "../../../auth/webauthn/service.ts";
import type { WebAuthnService } from "../../../auth/webauthn/service_types.ts";

const CONFIG = { rpId: "example.com", rpName: "Example", origins: ["https://example.com"] };

/** A service with these options, checked by nobody before it checks them itself. */
function serviceOf(options: Readonly<Record<string, unknown>> = {}): WebAuthnService {
  return webAuthnService({ ...inMemoryStores(), ...CONFIG, ...options });
}

function inMemoryStores() {
  const { users, credentials, states } = inMemoryAuthStores();
  return { users, credentials, states };
}

/** Names that were registered, each once. */
function sites(count: number, suffix = "com"): readonly string[] {
  return Array.from({ length: count }, (_, i) => `https://site${i}.${suffix}`);
}

const ACCEPTED: readonly (readonly [why: string, options: Readonly<Record<string, unknown>>])[] = [
  ["a host below rpId", { origins: ["https://app.example.com"] }],
  ["a port", { origins: ["https://example.com:8443"] }],
  ["localhost without encryption", { rpId: "localhost", origins: ["http://localhost:8000"] }],
  ["hosts below localhost", { rpId: "localhost", origins: ["http://app.localhost"] }],
  ["the origin of an Android app", { origins: ["android:apk-key-hash:Zm9v-_"] }],
  ["the origin of an iOS app", { origins: ["ios:bundle-id:com.example.app"] }],
  ["related origins of five names", { origins: sites(5) }],
  ["one name in six countries", {
    origins: ["co.uk", "com.br", "de", "fr", "it", "org"].map((end) => `https://shop.${end}`),
  }],
  ["a domain in Punycode", { rpId: "xn--bcher-kva.example", origins: sites(1) }],
  ["the longest time", { timeout: 3_600 }],
  ["one passkey of a user", { maxCredentials: 1 }],
  ["100 passkeys of a user", { maxCredentials: 100 }],
  ["an attestation with a hook", {
    attestation: "direct",
    verifyAttestation: () => ({ trusted: true }),
  }],
  ["identified with keys", { identified: true, keys: deriveKeys(generateSecret()) }],
];

for (const [why, options] of ACCEPTED) {
  Deno.test(`webAuthnService() accepts ${why}`, () => {
    assertEquals(serviceOf(options).rpId, options["rpId"] ?? CONFIG.rpId);
  });
}

const REJECTED: readonly (readonly [
  why: string,
  options: Readonly<Record<string, unknown>>,
  error?: typeof TypeError | typeof RangeError,
])[] = [
  ["a misspelt option", { userVerfication: "required" }],
  ["no rpId", { rpId: undefined }],
  ["an rpId with scheme", { rpId: "https://example.com" }],
  ["an rpId with port", { rpId: "example.com:443" }],
  ["an rpId with path", { rpId: "example.com/" }],
  ["an rpId in upper case", { rpId: "Example.com" }],
  ["an IPv4 address", { rpId: "127.0.0.1" }],
  ["an IPv6 address", { rpId: "[::1]" }],
  ["a top-level domain", { rpId: "com" }],
  ["an rpId that is no domain", { rpId: "exa mple.com" }],
  ["an rpId with credentials", { rpId: "user@example.com" }],
  ["an empty rpName", { rpName: "" }],
  ["no origins, which would be those of the request", { origins: undefined }],
  ["an empty list of origins", { origins: [] }],
  ["an origin that is no list", { origins: "https://example.com" }],
  ["an origin with a slash, which no browser sends", { origins: ["https://example.com/"] }],
  ["an origin in upper case", { origins: ["HTTPS://EXAMPLE.COM"] }],
  ["an origin with the default port", { origins: ["https://example.com:443"] }],
  ["an origin without encryption", { origins: ["http://example.com"] }],
  ["localhost in another name", { origins: ["http://localhost.example.com"] }],
  ["the origin null", { origins: ["null"] }],
  ["a file", { origins: ["file://"] }],
  ["any origin", { origins: ["*"] }],
  ["a wildcard, which no browser sends", { origins: ["https://*.example.com"] }],
  ["a top origin with a path", { topOrigins: ["https://other.example/page"] }],
  ["related origins of six names", { origins: sites(6) }, RangeError],
  ["six names of two labels", { origins: sites(6, "co.uk") }, RangeError],
  ["user verification that is not asked for", { userVerification: "discouraged" }],
  ["an unknown residentKey", { residentKey: true }],
  ["passkeys that could not sign in", { residentKey: "preferred" }],
  ["passkeys that could not sign in, by preference", { residentKey: "discouraged" }],
  ["an unknown attestation", { attestation: "indirect" }],
  ["an unknown attestation with a hook", {
    attestation: "indirect",
    verifyAttestation: () => ({ trusted: true }),
  }],
  ["an unknown residentKey with identified", {
    residentKey: "optional",
    identified: true,
    keys: deriveKeys(generateSecret()),
  }],
  ["an attestation that nobody judges", { attestation: "direct" }],
  ["a hook that is no function", { verifyAttestation: true }],
  ["no algorithm", { algorithms: [] }],
  ["SHA-1", { algorithms: [-65_535] }],
  ["an algorithm by its name", { algorithms: ["ES256"] }],
  ["a boolean as text", { signUp: "true" }],
  ["hints that are no strings", { hints: [1] }],
  ["identified without keys for the decoys", { identified: true }],
  ["a time in milliseconds", { timeout: 300_000 }, RangeError],
  ["a challenge of one second", { timeout: 1 }, RangeError],
  ["an infinite maxAge", { maxAge: Infinity }, RangeError],
  ["no passkeys at all", { maxCredentials: 0 }, RangeError],
  ["101 passkeys", { maxCredentials: 101 }, RangeError],
  ["half a passkey", { maxCredentials: 1.5 }, RangeError],
  ["no store of credentials", { credentials: undefined }],
  ["no store of users", { users: undefined }],
  ["no store of states", { states: undefined }],
];

for (const [why, options, error = TypeError] of REJECTED) {
  Deno.test(`webAuthnService() rejects ${why}`, () => {
    assertThrows(() => serviceOf(options), error, "Cannot create passkey service");
  });
}

Deno.test("webAuthnService() says what is wrong with an origin", () => {
  const origins = [...CONFIG.origins, "https://app.example.com/"];
  const error = assertThrows(() => serviceOf({ origins }), TypeError, "origins must be");
  assertStringIncludes(error.message, "without final slash");
});

Deno.test("webAuthnService() lists the origins of other domains, and no app's", () => {
  const { relatedOrigins } = serviceOf({
    origins: [
      "https://example.com",
      "https://app.example.com",
      "https://example.org",
      "https://badexample.com",
      "android:apk-key-hash:Zm9v",
      "http://localhost:8000",
    ],
  });
  assertEquals(relatedOrigins, ["https://example.org", "https://badexample.com"]);
});

Deno.test("webAuthnService() warns where no origin is on its domain", () => {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  serviceOf({ warn });
  assertEquals(warnings, []);
  serviceOf({ warn, rpId: "exmaple.com" });
  assertEquals(warnings, ["No origin is on the domain of passkeys, exmaple.com: is it misspelt?"]);
});
