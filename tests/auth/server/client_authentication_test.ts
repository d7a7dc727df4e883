/** Authentication of clients at the token endpoint. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { generateSecret } from "../../../auth/derived_keys.ts";
import {
  authenticateClient,
  CLIENT_AUTHENTICATION_METHODS,
  type ClientRefusal,
} from "../../../auth/server/clients/authentication.ts";
import { revokeOldClientSecret, rotateClientSecret } from "../../../auth/server/clients/manage.ts";
import type { ClientAuthenticationMethod, NewClient } from "../../../auth/stores/server_types.ts";
import { checkedClients } from "../../../auth/stores/checked_server.ts";
import { testClients } from "./_clients.ts";

/** RFC 6749 §2.3.1's client. */
const ID = "s6BhdRkqt3";
const SECRET = "7Fjfp0ZBr1KtDRbnfVdmIw";
const OLD_SECRET = "gX1fBat3bV-gX1fBat3bV-gX1fBat3bV";
const EXAMPLE = "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3";

interface ClientParts {
  readonly clientId?: string;
  readonly secrets?: readonly string[];
  readonly disabled?: boolean;
}

async function client(
  authentication: ClientAuthenticationMethod,
  { clientId = ID, secrets = [SECRET], disabled = false }: ClientParts = {},
): Promise<NewClient> {
  return {
    clientId,
    name: "Example",
    type: "web",
    redirectUris: ["https://client.example.com/cb"],
    authentication,
    ...(authentication === "none"
      ? {}
      : { secretHashes: await Promise.all(secrets.map(digestText)) }),
    grants: ["authorization_code"],
    registeredAt: 0,
    ...(disabled ? { disabled } : {}),
  };
}

/** What a client sends: `Authorization`, and the fields of the form. */
interface Sent {
  readonly basic?: string;
  readonly form?: Readonly<Record<string, string>>;
}

async function authenticate(stored: readonly NewClient[], { basic, form = {} }: Sent) {
  const authorization = basic ?? null;
  const clients = checkedClients(testClients(...stored));
  return await authenticateClient({ clients }, {
    authorization,
    form: new Map(Object.entries(form)),
  });
}

function basicOf(pair: string): string {
  return `Basic ${btoa(pair)}`;
}

const PAIR = `${ID}:${SECRET}`;
const BOTH = { client_id: ID, client_secret: SECRET } as const;

/** Requests that authenticate, by the client's own method. */
const ACCEPTED:
  readonly (readonly [why: string, ClientAuthenticationMethod, Sent, ClientParts?])[] = [
    ["RFC 6749 §2.3.1's example of Basic", "client_secret_basic", { basic: EXAMPLE }],
    ["RFC 6749 §2.3.1's example of a body", "client_secret_post", {
      form: {
        grant_type: "refresh_token",
        refresh_token: "tGzv3JOkF0XG5Qx2TlKWIA",
        client_id: "s6BhdRkqt3",
        client_secret: "7Fjfp0ZBr1KtDRbnfVdmIw",
      },
    }],
    ["RFC 6749 §4.1.3's public client", "none", { form: { client_id: ID } }],
    ["the scheme in lower case", "client_secret_basic", { basic: EXAMPLE.replace("B", "b") }],
    ["the scheme in upper case", "client_secret_basic", {
      basic: EXAMPLE.replace("Basic", "BASIC"),
    }],
    ["two spaces after the scheme", "client_secret_basic", { basic: EXAMPLE.replace(" ", "  ") }],
    ["the id in the body as well", "client_secret_basic", {
      basic: EXAMPLE,
      form: { client_id: ID },
    }],
    ["an empty id in the body", "client_secret_basic", { basic: EXAMPLE, form: { client_id: "" } }],
    ["an empty secret beside Basic", "client_secret_basic", {
      basic: EXAMPLE,
      form: { client_id: ID, client_secret: "" },
    }],
    ["an empty secret of a public client", "none", { form: { client_id: ID, client_secret: "" } }],
    ["the second of two secrets", "client_secret_basic", { basic: EXAMPLE }, {
      secrets: [OLD_SECRET, SECRET],
    }],
    ["the first of two secrets", "client_secret_post", { form: BOTH }, {
      secrets: [SECRET, OLD_SECRET],
    }],
    ["a secret with a colon, encoded", "client_secret_basic", { basic: basicOf(`${ID}:a%3Ab`) }, {
      secrets: ["a:b"],
    }],
    ["a secret with a colon, not encoded", "client_secret_basic", { basic: basicOf(`${ID}:a:b`) }, {
      secrets: ["a:b"],
    }],
    ["a secret with a percent sign", "client_secret_basic", { basic: basicOf(`${ID}:100%25`) }, {
      secrets: ["100%"],
    }],
    ["a secret that looks encoded", "client_secret_basic", { basic: basicOf(`${ID}:%2541`) }, {
      secrets: ["%41"],
    }],
    ["a plus for a space", "client_secret_basic", { basic: basicOf(`${ID}:a+b`) }, {
      secrets: ["a b"],
    }],
    ["an encoded plus", "client_secret_basic", { basic: basicOf(`${ID}:a%2Bb`) }, {
      secrets: ["a+b"],
    }],
    ["RFC 6749 Appendix B's characters", "client_secret_basic", {
      basic: basicOf(`${ID}:+%25%26%2B%C2%A3%E2%82%AC`),
    }, { secrets: [" %&+£€"] }],
    ["escapes in lower case", "client_secret_basic", { basic: basicOf(`${ID}:%c2%a3`) }, {
      secrets: ["£"],
    }],
    ["characters that stay", "client_secret_basic", { basic: basicOf(`${ID}:-._*!'()~/=&`) }, {
      secrets: ["-._*!'()~/=&"],
    }],
    ["an id with a colon, encoded", "client_secret_basic", { basic: basicOf("a%3Ab:s") }, {
      clientId: "a:b",
      secrets: ["s"],
    }],
    ["a URL as id", "client_secret_basic", {
      basic: basicOf("https%3A%2F%2Fapp.example%2F%3Fa%3Db:s"),
    }, { clientId: "https://app.example/?a=b", secrets: ["s"] }],
    ["one padding character", "client_secret_basic", { basic: "Basic aTpzMg==" }, {
      clientId: "i",
      secrets: ["s2"],
    }],
    ["a secret with a colon and % in the body", "client_secret_post", {
      form: { client_id: ID, client_secret: "a:b%25+c" },
    }, { secrets: ["a:b%25+c"] }],
  ];
for (const [why, method, sent, parts] of ACCEPTED) {
  Deno.test(`authenticateClient() accepts ${why}`, async () => {
    const stored = await client(method, parts);
    assertEquals(await authenticate([stored], sent), {
      kind: "client",
      client: { ...stored, version: "0" },
    });
  });
}

type Refused = readonly [
  why: string,
  ClientAuthenticationMethod,
  Sent,
  ClientRefusal,
  ClientParts?,
];

/** Attacks AS8 and AS18: another method than the client's own, with the right secret or without one. */
const MISMATCHES: readonly Refused[] = [
  ["Basic for client_secret_post", "client_secret_post", { basic: EXAMPLE }, "method_mismatch"],
  ["a body for client_secret_basic", "client_secret_basic", { form: BOTH }, "method_mismatch"],
  ["no secret for client_secret_basic", "client_secret_basic", {
    form: { client_id: ID },
  }, "method_mismatch"],
  ["no secret for client_secret_post", "client_secret_post", {
    form: { client_id: ID },
  }, "method_mismatch"],
  ["an empty secret for client_secret_post", "client_secret_post", {
    form: { client_id: ID, client_secret: "" },
  }, "method_mismatch"],
  ["a made-up secret of a public client, AS8, CVE-2026-92289", "none", {
    form: { client_id: ID, client_secret: "made up" },
  }, "method_mismatch"],
  ["a made-up secret of a public client by Basic", "none", {
    basic: basicOf(`${ID}:made+up`),
  }, "method_mismatch"],
  ["an empty secret of a public client by Basic", "none", {
    basic: basicOf(`${ID}:`),
  }, "method_mismatch"],
];

const WRONG: readonly Refused[] = [
  ["another secret by Basic", "client_secret_basic", { basic: basicOf(`${ID}:x`) }, "secret_wrong"],
  ["another secret in the body", "client_secret_post", {
    form: { client_id: ID, client_secret: "x" },
  }, "secret_wrong"],
  ["an empty secret by Basic", "client_secret_basic", { basic: basicOf(`${ID}:`) }, "secret_wrong"],
  ["a secret with a suffix", "client_secret_basic", { basic: basicOf(`${PAIR}x`) }, "secret_wrong"],
  ["a secret in lower case", "client_secret_basic", {
    basic: basicOf(`${ID}:${SECRET.toLowerCase()}`),
  }, "secret_wrong"],
  [
    "a plus that was not encoded",
    "client_secret_basic",
    {
      basic: basicOf(`${ID}:a+b`),
    },
    "secret_wrong",
    { secrets: ["a+b"] },
  ],
  ["the digest of the secret", "client_secret_basic", {
    basic: basicOf(`${ID}:${await digestText(SECRET)}`),
  }, "secret_wrong"],
  ["any secret where none is stored", "client_secret_basic", { basic: EXAMPLE }, "secret_wrong", {
    secrets: [],
  }],
  ["an unknown client", "client_secret_basic", { basic: basicOf(`x:${SECRET}`) }, "client_unknown"],
  ["an unknown client in the body", "client_secret_post", {
    form: { client_id: "x", client_secret: SECRET },
  }, "client_unknown"],
  ["an unknown public client", "none", { form: { client_id: "x" } }, "client_unknown"],
  ["an id in another case", "none", { form: { client_id: ID.toUpperCase() } }, "client_unknown"],
  ["an id with a space", "none", { form: { client_id: `${ID} ` } }, "client_unknown"],
  ["an id with NUL", "none", { form: { client_id: `${ID}\0` } }, "client_unknown"],
  ["an id of 201 characters", "none", { form: { client_id: "a".repeat(201) } }, "client_unknown", {
    clientId: "a".repeat(201),
  }],
  ["no id", "none", {}, "client_unknown"],
  ["an empty id", "none", { form: { client_id: "" } }, "client_unknown"],
  ["a disabled client", "client_secret_basic", { basic: EXAMPLE }, "client_disabled", {
    disabled: true,
  }],
  ["a disabled public client", "none", { form: { client_id: ID } }, "client_disabled", {
    disabled: true,
  }],
];

const REPEATED: readonly Refused[] = [
  ["Basic and body", "client_secret_basic", { basic: EXAMPLE, form: BOTH }, "credentials_repeated"],
  ["Basic and body of a client_secret_post client", "client_secret_post", {
    basic: EXAMPLE,
    form: BOTH,
  }, "credentials_repeated"],
  ["Basic and a secret without an id", "client_secret_basic", {
    basic: EXAMPLE,
    form: { client_secret: SECRET },
  }, "credentials_repeated"],
  ["malformed Basic and body", "client_secret_post", {
    basic: "Basic %%%",
    form: BOTH,
  }, "credentials_repeated"],
  ["another id in the body", "client_secret_basic", {
    basic: EXAMPLE,
    form: { client_id: "other" },
  }, "credentials_repeated"],
  ["the id in the body in another case", "client_secret_basic", {
    basic: EXAMPLE,
    form: { client_id: ID.toLowerCase() },
  }, "credentials_repeated"],
];

/** The header alone, by a client of client_secret_basic. */
const MALFORMED_HEADERS: readonly (readonly [why: string, basic: string])[] = [
  ["an empty header", ""],
  ["the scheme alone", "Basic"],
  ["the scheme and a space", "Basic "],
  ["no scheme", btoa(PAIR)],
  ["Bearer", `Bearer ${btoa(PAIR)}`],
  ["a scheme that starts alike", `BasicX ${btoa(PAIR)}`],
  ["a tab after the scheme", `Basic\t${btoa(PAIR)}`],
  ["a space before the scheme", ` ${EXAMPLE}`],
  ["a space after", `${EXAMPLE} `],
  ["two headers", `${EXAMPLE}, ${EXAMPLE}`],
  ["%%%", "Basic %%%"],
  ["plain text", `Basic ${PAIR}`],
  ["Base64 of a length that is none", "Basic aTpzM"],
  ["no padding where two are due", "Basic aTpzMg"],
  ["one padding character where two are due", "Basic aTpzMg="],
  ["padding where none is due", `Basic ${btoa("i:s")}====`],
  ["unused bits that are not 0", "Basic aTpzMh=="],
  ["base64url", `Basic ${btoa("i:\u007f~~\u007f>").replaceAll("+", "-").replaceAll("/", "_")}`],
  ["Base64 with a line feed inside", "Basic aTpz\nMg=="],
  ["padding inside", "Basic aQ==OnMy"],
  ["no colon", basicOf(ID)],
  ["an empty pair", "Basic Og=="],
  ["no id", basicOf(`:${SECRET}`)],
  ["bytes that are not UTF-8", basicOf(`${ID}:\xff`)],
  ["letters outside of ASCII, not encoded", `Basic ${btoa(`${ID}:\xc3\xa9`)}`],
  ["a space that is not encoded", basicOf(`${ID}:a b`)],
  ["NUL", basicOf(`${ID}:a\0`)],
  ["half of an escape", basicOf(`${ID}:a%4`)],
  ["a percent sign alone", basicOf(`${ID}:100%`)],
  ["an escape that is none", basicOf(`${ID}:%zz`)],
  ["an escape that is none in the id", basicOf(`%zz:${SECRET}`)],
  ["escapes that are not UTF-8", basicOf(`${ID}:%ff`)],
  ["an overlong escape", basicOf(`${ID}:%c0%af`)],
  ["an escaped surrogate", basicOf(`${ID}:%ed%a0%80`)],
];

const MALFORMED: readonly Refused[] = [
  ...MALFORMED_HEADERS.map(([why, basic]): Refused => [
    why,
    "client_secret_basic",
    { basic },
    "credentials_malformed",
  ]),
  ["a public client with Bearer", "none", {
    basic: "Bearer x",
    form: { client_id: ID },
  }, "credentials_malformed"],
  ["a secret without an id", "client_secret_post", {
    form: { client_secret: SECRET },
  }, "credentials_malformed"],
  ["a client assertion of a public client", "none", {
    form: { client_id: ID, client_assertion: "a.b.c" },
  }, "credentials_malformed"],
];

for (
  const [why, method, sent, reason, parts] of [...MISMATCHES, ...WRONG, ...REPEATED, ...MALFORMED]
) {
  Deno.test(`authenticateClient() refuses ${why}: ${reason}`, async () => {
    const outcome = await authenticate([await client(method, parts)], sent);
    assertEquals(outcome, { kind: "refused", reason, basic: sent.basic !== undefined });
  });
}

Deno.test("authenticateClient() never asks the store for an id that no client has", async () => {
  const asked: string[] = [];
  const clients = {
    find: (clientId: string) => {
      asked.push(clientId);
      return Promise.resolve(null);
    },
  };
  for (const clientId of ["", "a b", "é", "\0", "a".repeat(201), "a".repeat(200)]) {
    await authenticateClient({ clients: checkedClients(clients) }, {
      authorization: null,
      form: new Map([["client_id", clientId]]),
    });
  }
  assertEquals(asked, ["a".repeat(200)]);
});

Deno.test("authenticateClient() refuses another client than the one that was asked for", async () => {
  const found = { ...await client("none"), version: "0" };
  const clients = checkedClients({ find: () => Promise.resolve(found) }); // a store that ignores case
  const form = new Map([["client_id", ID.toUpperCase()]]);
  assertEquals(await authenticateClient({ clients }, { authorization: null, form }), {
    kind: "refused",
    reason: "client_unknown",
    basic: false,
  });
});

Deno.test("authenticateClient() digests as often for an unknown client as for a known one", async () => {
  const { digest } = crypto.subtle;
  const counts: number[] = [];
  for (const pair of [PAIR, `${ID}:x`, `unknown:${SECRET}`, `${"a".repeat(201)}:${SECRET}`]) {
    const stored = [await client("client_secret_basic")];
    let count = 0;
    crypto.subtle.digest = (...parameters) => (count++, digest.apply(crypto.subtle, parameters));
    try {
      await authenticate(stored, { basic: basicOf(pair) });
    } finally {
      crypto.subtle.digest = digest;
    }
    counts.push(count);
  }
  assertEquals(counts, [1, 1, 1, 1]);
});

Deno.test("authenticateClient() accepts both secrets while one is rotated", async () => {
  const first = generateSecret();
  const clients = testClients(await client("client_secret_basic", { secrets: [first] }));
  const accepts = async (secret: string) => {
    const authorization = basicOf(`${ID}:${secret}`);
    return (await authenticateClient({ clients }, { authorization, form: new Map() })).kind ===
      "client";
  };
  const second = await rotateClientSecret(clients, ID);
  assert(await accepts(first));
  assert(await accepts(second));
  const third = await rotateClientSecret(clients, ID);
  assertFalse(await accepts(first));
  assert(await accepts(second));
  assert(await accepts(third));
  await revokeOldClientSecret(clients, ID);
  assertFalse(await accepts(second));
  assert(await accepts(third));
});

Deno.test("CLIENT_AUTHENTICATION_METHODS lists the methods for the metadata", () => {
  assertEquals(CLIENT_AUTHENTICATION_METHODS, [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
    "none",
  ]);
});
