/** UserInfo and further documents: what is sent, and which answers are accepted. */

import { assertEquals, assertFalse, assertRejects } from "@std/assert";
import { fetchDocuments, fetchUserinfo } from "../../../auth/oauth/_userinfo.ts";
import {
  METADATA,
  OUTAGE_STATUSES,
  refusalOf,
  REFUSED_STATUSES,
  scripted,
  statusOf,
  UNREADABLE,
} from "./_requests.ts";

const TOKEN = "mF_9.B5f-4.1JqM";
const USER = { sub: "u-1", email: "ada@example.org" };
const URL = "https://api.example/emails";

Deno.test("fetchUserinfo() sends the token in the header field only, RFC 6750 §2.1, oidcc-client-test-userinfo-bearer-header", async () => {
  const { context, requests } = scripted(() => Response.json(USER), {
    userinfoHeaders: { "User-Agent": "gatehouse", Authorization: "other" },
  });
  assertEquals(await fetchUserinfo(context, METADATA, TOKEN), USER);
  assertEquals(requests.map(({ method, url }) => [method, url]), [[
    "GET",
    METADATA.userinfo_endpoint,
  ]]);
  const seen = ["authorization", "accept", "user-agent"];
  assertEquals(requests.flatMap(({ headers }) => seen.map((name) => headers.get(name))), [
    `Bearer ${TOKEN}`,
    "application/json",
    "gatehouse",
  ]);
});

Deno.test("fetchUserinfo() rejects metadata without an endpoint", async () => {
  const { context, requests } = scripted(() => Response.json(USER));
  const metadata = { ...METADATA, userinfo_endpoint: undefined };
  assertEquals(await refusalOf(() => fetchUserinfo(context, metadata, TOKEN)), [
    "oauth_failed",
    "userinfo_refused",
  ]);
  assertEquals(requests.length, 0);
});

/** Answers with status 200 that are not about a user. */
const REFUSED: readonly (readonly [why: string, answer: unknown])[] = [
  ["error", { ...USER, error: "s3cret" }],
  ["ok: false, as Slack's", { ...USER, ok: false }],
  ["a string", "s3cret"],
  ["a number", 7],
  ["null", null],
];

/** Both requests, which follow the same rules. */
const REQUESTS = [
  {
    name: "fetchUserinfo()",
    send: async (answer: () => Response | Promise<Response>) => {
      const { context } = scripted(answer);
      return await fetchUserinfo(context, METADATA, TOKEN);
    },
  },
  {
    name: "fetchDocuments()",
    send: async (answer: () => Response | Promise<Response>) => {
      const { context } = scripted(answer, { documents: { emails: { url: URL } } });
      return await fetchDocuments(context, TOKEN);
    },
  },
];

for (const { name, send } of REQUESTS) {
  for (const [why, answer] of REFUSED) {
    Deno.test(`${name} rejects ${why}`, async () => {
      assertEquals(await refusalOf(() => send(() => Response.json(answer))), [
        "oauth_failed",
        "userinfo_refused",
      ]);
    });
  }
  for (const [why, answer] of UNREADABLE) {
    Deno.test(`${name} rejects ${why} (RP21)`, async () => {
      assertEquals(await refusalOf(() => send(answer)), ["oauth_failed", "userinfo_refused"]);
    });
  }
  for (const status of REFUSED_STATUSES) {
    Deno.test(`${name} rejects the status ${status} (RP21)`, async () => {
      assertEquals(await refusalOf(() => send(() => statusOf(status))), [
        "oauth_failed",
        "userinfo_refused",
      ]);
    });
  }
  for (const status of OUTAGE_STATUSES) {
    Deno.test(`${name} takes the status ${status} as an outage`, async () => {
      assertEquals(await refusalOf(() => send(() => statusOf(status))), [
        "service_unavailable",
        "provider_unreachable",
      ]);
    });
  }
  Deno.test(`${name} takes a failed connection as an outage`, async () => {
    const answer = () => Promise.reject(new TypeError("reset"));
    assertEquals(await refusalOf(() => send(answer)), [
      "service_unavailable",
      "provider_unreachable",
    ]);
  });
}

Deno.test("fetchUserinfo() rejects an array", async () => {
  const { context } = scripted(() => Response.json([USER]));
  assertEquals(await refusalOf(() => fetchUserinfo(context, METADATA, TOKEN)), [
    "oauth_failed",
    "userinfo_refused",
  ]);
});

Deno.test("fetchDocuments() fetches every document by its name: objects and arrays", async () => {
  const emails = [{ email: "ada@example.org", primary: true, verified: true }];
  const answers: Record<string, unknown> = { "/emails": emails, "/team": { id: "T1" } };
  const { context, requests } = scripted(
    ({ url }) => Response.json(answers[url.slice("https://api.example".length)]),
    {
      documents: {
        emails: { url: URL, headers: { Accept: "application/vnd.github+json" } },
        team: { url: "https://api.example/team" },
      },
    },
  );
  assertEquals(await fetchDocuments(context, TOKEN), { emails, team: { id: "T1" } });
  assertEquals(
    requests.map(({ headers }) => [headers.get("authorization"), headers.get("accept")]),
    [
      [`Bearer ${TOKEN}`, "application/vnd.github+json"],
      [`Bearer ${TOKEN}`, "application/json"],
    ],
  );
});

Deno.test("fetchDocuments() sends nothing without documents", async () => {
  const { context, requests } = scripted(() => Response.json({}));
  assertEquals(await fetchDocuments(context, TOKEN), {});
  assertEquals(requests.length, 0);
});

Deno.test("fetchDocuments() puts the token into no URL, which proxies and servers log", async () => {
  const url = "https://api.example/debug?input={access_token}&a=b";
  const { context, requests } = scripted(() => Response.json({}), { documents: { a: { url } } });
  await fetchDocuments(context, "s3cret");
  assertEquals(requests.map(({ url }) => url.includes("s3cret")), [false]);
});

/** URLs that only a programmer can have written. */
const PRIVATE = [
  "http://api.example/",
  "https://169.254.169.254/",
  "https://localhost/",
  "file:///a",
];
for (const url of PRIVATE) {
  Deno.test(`fetchDocuments() does not send the token to ${url}`, async () => {
    const { context, requests } = scripted(() => Response.json({}), { documents: { a: { url } } });
    const error = await assertRejects(() => fetchDocuments(context, "s3cret"), TypeError);
    assertFalse(error.message.includes("s3cret"));
    assertEquals(requests.length, 0);
  });
}
