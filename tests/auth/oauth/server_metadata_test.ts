/** Metadata of providers: what is fetched and when, what is refused, and what happens while fetching fails. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertNotStrictEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { type ServerSource, serverSource } from "../../../auth/oauth/server_metadata.ts";
import type { OAuthProvider } from "../../../auth/oauth/mod.ts";
import { onWorkerd } from "../_workerd.ts";
import {
  ISSUER,
  METADATA,
  OUTAGE_STATUSES,
  PROVIDER,
  refusalOf,
  REFUSED_STATUSES,
  statusOf,
  UNREADABLE,
} from "./_requests.ts";
import { NOW, site } from "./_sign_in.ts";

/** A provider whose metadata are fetched. */
interface Discovered {
  readonly source: ServerSource;
  /** Requested URLs. */
  readonly urls: string[];
  readonly warnings: { readonly message: string; readonly error: unknown }[];
  readonly clock: { now: number };
  /** What is answered from now on. */
  answer(next: () => Response | Promise<Response>): void;
}

interface DiscoveredOptions {
  readonly issuer?: string;
  readonly insecureLoopback?: boolean;
}

function discovered(
  first: () => Response | Promise<Response> = () => Response.json(METADATA),
  { issuer = ISSUER, insecureLoopback = false }: DiscoveredOptions = {},
): Discovered {
  const urls: string[] = [];
  const warnings: { message: string; error: unknown }[] = [];
  const clock = { now: NOW };
  let current = first;
  const source = serverSource({ ...PROVIDER, server: { discover: issuer } }, {
    async fetch(url) {
      urls.push(url);
      return await current();
    },
    insecureLoopback,
    now: () => clock.now,
    warn: (message, error) => void warnings.push({ message, error }),
  });
  return { source, urls, warnings, clock, answer: (next) => void (current = next) };
}

const UNREACHABLE = ["service_unavailable", "provider_unreachable"];

function down(): Promise<Response> {
  return Promise.reject(new TypeError("reset"));
}

/** OpenID Connect Discovery §4: the path is appended, after one slash is removed. */
const ADDRESSES: readonly (readonly [issuer: string, url: string])[] = [
  ["https://id.example", "https://id.example/.well-known/openid-configuration"],
  ["https://id.example/", "https://id.example/.well-known/openid-configuration"],
  ["https://id.example/t/1", "https://id.example/t/1/.well-known/openid-configuration"],
  ["https://id.example/t/1/", "https://id.example/t/1/.well-known/openid-configuration"],
  ["https://id.example:8443", "https://id.example:8443/.well-known/openid-configuration"],
];
for (const [issuer, url] of ADDRESSES) {
  Deno.test(`serverSource() fetches the metadata of ${issuer} from ${url}, oidcc-client-test-discovery-openid-config`, async () => {
    const { source, urls } = discovered(() => Response.json({ ...METADATA, issuer }), { issuer });
    assertEquals((await source()).metadata.issuer, issuer);
    assertEquals(urls, [url]);
  });
}

Deno.test("serverSource() fetches nothing before the metadata are asked for", () => {
  assertEquals(discovered().urls, []);
});

Deno.test("serverSource() keeps the members that it knows, and no other", async () => {
  const lists = {
    id_token_signing_alg_values_supported: ["RS256", "none"],
    token_endpoint_auth_methods_supported: ["client_secret_post"],
  };
  const unknown = { registration_endpoint: "javascript:alert(1)", scopes_supported: 7 };
  const { source } = discovered(() => Response.json({ ...METADATA, ...lists, ...unknown }));
  const { metadata, keys } = await source();
  assertEquals(metadata, {
    ...METADATA,
    ...lists,
    authorization_response_iss_parameter_supported: false,
  });
  assert(Object.isFrozen(metadata));
  assertEquals(typeof keys, "function");
});

/** Issuers that nothing is fetched from; a tenant may have typed them (RP23). */
const ISSUERS: readonly (readonly [why: string, issuer: string])[] = [
  ["http", "http://id.example"],
  ["a file", "file:///etc/passwd"],
  ["a script", "javascript:alert(1)"],
  ["data", "data:application/json,{}"],
  ["cloud metadata", "https://169.254.169.254/latest"],
  ["cloud metadata as a number", "https://2852039166/"],
  ["a private network", "https://10.0.0.1/"],
  ["loopback", "https://127.0.0.1/"],
  ["loopback by name", "https://localhost:8443"],
  ["loopback in IPv6", "https://[::1]/"],
  ["an embedded address", "https://[::ffff:169.254.169.254]/"],
  ["a password", "https://user:s3cret@id.example"],
  ["a query", "https://id.example/?a=b"],
  ["an empty query", "https://id.example/?"],
  ["a fragment", "https://id.example/#a"],
  ["an empty fragment, which would hide the path", "https://id.example/admin#"],
  ["no URL", "id.example"],
  ["nothing", ""],
];
for (const [why, issuer] of ISSUERS) {
  Deno.test(`serverSource() rejects an issuer: ${why} (RP23)`, () => {
    const error = assertThrows(() => discovered(undefined, { issuer }), TypeError);
    assert(error.message.startsWith("Cannot create OAuth client: issuer"), error.message);
    assertFalse(error.message.includes("s3cret"));
  });
}

/** Documents that nobody is redirected by (RP22), and the member that the operator reads of. */
const REFUSED: readonly (readonly [why: string, member: string, document: unknown])[] = [
  ["another issuer, oidcc-client-test-discovery-issuer-mismatch", "another issuer", {
    ...METADATA,
    issuer: "https://s3cret.example",
  }],
  ["an issuer with a slash", "another issuer", { ...METADATA, issuer: `${ISSUER}/` }],
  ["an issuer in upper case", "another issuer", { ...METADATA, issuer: "https://ID.example" }],
  ["an issuer with the default port", "another issuer", { ...METADATA, issuer: `${ISSUER}:443` }],
  ["no issuer", "another issuer", { ...METADATA, issuer: undefined }],
  ["issuers as an array", "another issuer", { ...METADATA, issuer: [ISSUER] }],
  ["an array", "object", [METADATA]],
  ["null", "object", null],
  ["a string", "object", "s3cret"],
  ["no authorization endpoint", "authorization_endpoint", {
    ...METADATA,
    authorization_endpoint: undefined,
  }],
  ["no token endpoint", "token_endpoint", { ...METADATA, token_endpoint: undefined }],
  ["a script as authorization endpoint", "authorization_endpoint", {
    ...METADATA,
    authorization_endpoint: "javascript:alert('s3cret')",
  }],
  ["data as authorization endpoint", "authorization_endpoint", {
    ...METADATA,
    authorization_endpoint: "data:text/html,s3cret",
  }],
  ["http as authorization endpoint", "authorization_endpoint", {
    ...METADATA,
    authorization_endpoint: "http://id.example/s3cret",
  }],
  ["a path as authorization endpoint", "authorization_endpoint", {
    ...METADATA,
    authorization_endpoint: "/authorize",
  }],
  ["a file as token endpoint", "token_endpoint", { ...METADATA, token_endpoint: "file:///s3cret" }],
  ["a private token endpoint", "token_endpoint", {
    ...METADATA,
    token_endpoint: "https://192.168.0.1/s3cret",
  }],
  ["a number as token endpoint", "token_endpoint", { ...METADATA, token_endpoint: 7 }],
  ["keys on the cloud's metadata service", "jwks_uri", {
    ...METADATA,
    jwks_uri: "https://169.254.169.254/s3cret",
  }],
  ["keys over http", "jwks_uri", { ...METADATA, jwks_uri: "http://id.example/s3cret" }],
  ["loopback UserInfo", "userinfo_endpoint", {
    ...METADATA,
    userinfo_endpoint: "https://localhost/s3cret",
  }],
  ["a script as end of the session", "end_session_endpoint", {
    ...METADATA,
    end_session_endpoint: "javascript:s3cret",
  }],
  ["a private revocation endpoint", "revocation_endpoint", {
    ...METADATA,
    revocation_endpoint: "https://[fd00::1]/s3cret",
  }],
  ["an algorithm that is no array", "id_token_signing_alg_values_supported", {
    ...METADATA,
    id_token_signing_alg_values_supported: "RS256",
  }],
  ["methods that are no strings", "token_endpoint_auth_methods_supported", {
    ...METADATA,
    token_endpoint_auth_methods_supported: [7],
  }],
  ["a promise of iss as a string", "authorization_response_iss_parameter_supported", {
    ...METADATA,
    authorization_response_iss_parameter_supported: "true",
  }],
];
for (const [why, member, document] of REFUSED) {
  Deno.test(`serverSource() refuses metadata: ${why} (RP22)`, async () => {
    const { source, warnings, urls } = discovered(() => Response.json(document));
    assertEquals(await refusalOf(source), UNREACHABLE);
    assertEquals(urls.length, 1);
    assertEquals(warnings.map(({ message }) => message), [`Cannot fetch metadata of ${ISSUER}`]);
    const said = warnings.map(({ error }) => String(error)).join();
    assert(said.includes(member), said);
    assertFalse(said.includes("s3cret"));
  });
}

for (const [why, answer] of UNREADABLE) {
  Deno.test(`serverSource() refuses metadata: ${why} (RP21)`, async () => {
    assertEquals(await refusalOf(discovered(answer).source), UNREACHABLE);
  });
}

for (const status of [...REFUSED_STATUSES, ...OUTAGE_STATUSES]) {
  Deno.test(`serverSource() refuses metadata with the status ${status}, and follows nothing (RP22)`, async () => {
    const { source, urls } = discovered(() => statusOf(status));
    assertEquals(await refusalOf(source), UNREACHABLE);
    assertEquals(urls.length, 1);
  });
}

Deno.test("serverSource() allows http to loopback for tests only", async () => {
  const issuer = "http://localhost:8080";
  const endpoints = Object.fromEntries(
    Object.entries(METADATA).map(([name, url]) => [name, String(url).replace(ISSUER, issuer)]),
  );
  const { source } = discovered(() => Response.json(endpoints), { issuer, insecureLoopback: true });
  assertEquals((await source()).metadata.token_endpoint, `${issuer}/token`);

  const script = { ...endpoints, authorization_endpoint: "javascript:alert(1)" };
  const other = discovered(() => Response.json(script), { issuer, insecureLoopback: true });
  assertEquals(await refusalOf(other.source), UNREACHABLE);
});

/** For how long metadata are not fetched again, by Cache-Control. */
const AGES: readonly (readonly [why: string, cacheControl: string, seconds: number])[] = [
  ["an hour", "", 3_600],
  ["as long as the server says", "max-age=300", 300],
  ["an hour at most", "max-age=86400", 3_600],
  ["a minute at least", "max-age=1", 60],
  ["a minute without caching", "no-store", 60],
];
for (const [why, cacheControl, seconds] of AGES) {
  Deno.test(`serverSource() keeps metadata for ${why}`, async () => {
    const headers = { "Cache-Control": cacheControl };
    const { source, urls, clock } = discovered(() => Response.json(METADATA, { headers }));
    const first = await source();
    clock.now += seconds - 1;
    assertStrictEquals(await source(), first);
    assertEquals(urls.length, 1);
    clock.now += 1;
    await source();
    assertEquals(urls.length, 2);
  });
}

Deno.test("serverSource() shares a fetch between concurrent calls", async () => {
  const { source, urls } = discovered();
  const found = await Promise.all([source(), source(), source()]);
  assertEquals(urls.length, 1);
  for (const server of found) assertStrictEquals(server, found[0]);
});

Deno.test("serverSource() does not share a fetch on workerd, where requests cannot wait for each other", async () => {
  await onWorkerd(async () => {
    const { source, urls } = discovered();
    await Promise.all([source(), source()]);
    assertEquals(urls.length, 2);
    await source();
    assertEquals(urls.length, 2);
  });
});

Deno.test("serverSource() shares a failed fetch, too", async () => {
  const { source, urls, warnings } = discovered(down);
  const refusals = await Promise.all([refusalOf(source), refusalOf(source)]);
  assertEquals(refusals, [UNREACHABLE, UNREACHABLE]);
  assertEquals([urls.length, warnings.length], [1, 1]);
});

Deno.test("serverSource() tries again a minute after a failure, and then recovers", async () => {
  const { source, urls, clock, answer, warnings } = discovered(down);
  assertEquals(await refusalOf(source), UNREACHABLE);
  answer(() => Response.json(METADATA));
  clock.now += 59;
  assertEquals(await refusalOf(source), UNREACHABLE);
  assertEquals(urls.length, 1);
  clock.now += 1;
  assertEquals((await source()).metadata.issuer, ISSUER);
  assertEquals([urls.length, warnings.length], [2, 1]);
});

Deno.test("serverSource() uses old metadata for a day while fetching fails, and warns once", async () => {
  const { source, urls, clock, answer, warnings } = discovered();
  const first = await source();
  answer(down);
  clock.now += 3_600;
  assertStrictEquals(await source(), first);
  assertStrictEquals(await source(), first);
  assertEquals(urls.length, 2, "the cooldown");
  clock.now += 60;
  assertStrictEquals(await source(), first);
  assertEquals([urls.length, warnings.length], [3, 1]);
  clock.now = NOW + 3_600 + 86_399;
  assertStrictEquals(await source(), first);
  clock.now += 1;
  assertEquals(await refusalOf(source), UNREACHABLE);
  assertEquals(warnings.length, 1);
});

Deno.test("serverSource() uses old metadata when new ones are refused", async () => {
  const { source, clock, answer, warnings } = discovered();
  const first = await source();
  answer(() => Response.json({ ...METADATA, token_endpoint: "https://10.0.0.1/" }));
  clock.now += 3_600;
  assertStrictEquals(await source(), first);
  assertEquals(warnings.length, 1);
});

Deno.test("serverSource() warns again of a new outage", async () => {
  const { source, clock, answer, warnings } = discovered(down);
  await refusalOf(source);
  for (const next of [() => Response.json(METADATA), down]) {
    answer(next);
    clock.now += 3_600;
    await source();
  }
  assertEquals(warnings.length, 2);
});

Deno.test("serverSource() keeps the resolver of keys, and so its cache, while jwks_uri is the same, oidcc-client-test-discovery-jwks-uri-keys", async () => {
  const { source, clock, answer } = discovered();
  const first = await source();
  answer(() => Response.json({ ...METADATA, token_endpoint: `${ISSUER}/token2` }));
  clock.now += 3_600;
  const second = await source();
  assertEquals(second.metadata.token_endpoint, `${ISSUER}/token2`);
  assertStrictEquals(second.keys, first.keys);
  answer(() => Response.json({ ...METADATA, jwks_uri: `${ISSUER}/jwks2` }));
  clock.now += 3_600;
  assertNotStrictEquals((await source()).keys, first.keys);
  answer(() => Response.json({ ...METADATA, jwks_uri: undefined }));
  clock.now += 3_600;
  assertEquals((await source()).keys, undefined);
});

Deno.test("serverSource() works when the clock is set back", async () => {
  const { source, clock, urls } = discovered();
  await source();
  clock.now -= 86_400;
  await source();
  await source();
  assertEquals(urls.length, 2);
});

function sourceOf(server: OAuthProvider["server"]): ServerSource {
  const fetch = () => Promise.reject(new Error("nothing is fetched"));
  const context = { fetch, insecureLoopback: false, now: () => NOW, warn: () => {} };
  return serverSource({ ...PROVIDER, server }, context);
}

Deno.test("serverSource() fetches nothing for static metadata", async () => {
  const source = sourceOf(METADATA);
  const first = await source();
  assertEquals(first.metadata, {
    ...METADATA,
    authorization_response_iss_parameter_supported: false,
  });
  assertEquals(typeof first.keys, "function");
  assertStrictEquals(await source(), first);
});

Deno.test("serverSource() has no keys for static metadata without jwks_uri", async () => {
  assertEquals((await sourceOf({ ...METADATA, jwks_uri: undefined })()).keys, undefined);
});

/** Members of static metadata. */
const STATIC: readonly (readonly [member: string, value: unknown])[] = [
  ["authorization_endpoint", "javascript:alert('s3cret')"],
  ["authorization_endpoint", undefined],
  ["token_endpoint", "http://id.example/s3cret"],
  ["token_endpoint", "https://u:s3cret@id.example/"],
  ["token_endpoint", undefined],
  ["userinfo_endpoint", "https://169.254.169.254/s3cret"],
  ["jwks_uri", "file:///s3cret"],
  ["revocation_endpoint", "s3cret"],
];
for (const [member, value] of STATIC) {
  Deno.test(`serverSource() rejects static metadata: ${member} is ${value}`, () => {
    const server = { ...METADATA, [member]: value } as OAuthProvider["server"];
    const error = assertThrows(() => sourceOf(server), TypeError);
    assert(error.message.includes(member), error.message);
    assertFalse(error.message.includes("s3cret"));
  });
}

Deno.test("OAuthClient.start() redirects nobody by refused metadata (RP22)", async () => {
  const { fake, client, events } = site();
  fake.change({ metadata: { authorization_endpoint: "javascript:alert(1)" } });
  const request = new Request("https://app.example/auth/oauth/fake/start");
  assertEquals(await refusalOf(() => client.start(request)), UNREACHABLE);
  assertEquals(
    events.map(({ type, ...event }) => [type, "reason" in event ? event.reason : undefined]),
    [["oauth.failed", "provider_unreachable"]],
  );
});
