/** What is remembered of documents of clients, and who decides about a fetch. Sources: the draft §4.4, and the attack AS37. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import { limitOutbound } from "../../../auth/server/clients/_outbound.ts";
import { clientDocuments } from "../../../auth/server/clients/documents.ts";
import type { ClientIdMetadataOptions } from "../../../auth/server/clients/types.ts";
import { pausesOf } from "../_pauses.ts";

const ID = "https://claude.example/client.json";
const START = 1_700_000_000;
const HOUR = 3_600;
const DAY = 86_400;

const documentOf = (client_id: string) =>
  Response.json({ client_id, redirect_uris: ["http://localhost/callback"] });

function documentSource(options: ClientIdMetadataOptions = {}) {
  const fetched: string[] = [];
  const current = {
    now: START,
    answer: documentOf as (url: string) => Response | Promise<Response>,
  };
  const fetch = async (url: string) => {
    fetched.push(url);
    return await current.answer(url);
  };
  const context = {
    now: () => current.now,
    action: "Cannot create server",
    methods: ["none"] as const,
    fetch: undefined,
  };
  const { find } = clientDocuments({ fetch, ...options }, context);
  return { current, fetched, find };
}

async function assertDown(answer: Promise<unknown>): Promise<void> {
  const { code } = await assertRejects(() => answer, AuthError);
  assertEquals(code, "service_unavailable");
}

const down = () => new Response(null, { status: 503 });

Deno.test("clientDocuments() asks a server that is down once a minute, while it uses the stale document", async () => {
  const { current, fetched, find } = documentSource();
  await find(ID);
  current.now += HOUR;
  current.answer = down;
  for (let i = 0; i < 5; i++) assertEquals((await find(ID))?.clientId, ID);
  current.now += 59;
  assertEquals((await find(ID))?.clientId, ID);
  assertEquals(fetched.length, 2);
  current.now += 1;
  await find(ID);
  assertEquals(fetched.length, 3);
  // Not for longer than a day after it was fresh, however often it is asked
  current.now = START + HOUR + DAY - 1;
  assertEquals((await find(ID))?.clientId, ID);
  current.now += 1;
  await assertDown(find(ID));
});

Deno.test("clientDocuments() uses a new document a minute after its server is up again", async () => {
  const { current, find } = documentSource();
  await find(ID);
  current.now += HOUR;
  current.answer = down;
  await find(ID);
  current.answer = (client_id) =>
    Response.json({ client_id, redirect_uris: ["https://claude.example/cb"] });
  current.now += 60;
  assertEquals((await find(ID))?.redirectUris, ["https://claude.example/cb"]);
});

Deno.test("clientDocuments() uses no stale document if its server has none any more", async () => {
  const { current, find } = documentSource();
  await find(ID);
  current.now += HOUR;
  current.answer = () => new Response(null, { status: 404 });
  assertEquals(await find(ID), null);
  current.answer = down;
  current.now += 60;
  await assertDown(find(ID));
});

Deno.test("clientDocuments() remembers 1,000 documents, those that were fetched last (AS37)", async () => {
  const { current, fetched, find } = documentSource();
  const fill = async (from: number, to: number) => {
    for (let i = from; i < to; i++) await find(`https://c${i}.example/client.json`);
  };
  await find(ID);
  await fill(0, 500);
  current.now += HOUR;
  await find(ID); // a second time, after the others
  await fill(500, 1_000);
  fetched.length = 0;
  await find(ID);
  await find("https://c1.example/client.json"); // fetched before, and now the newest
  assertEquals(fetched, ["https://c1.example/client.json"]);
  await fill(1_000, 2_000);
  fetched.length = 0;
  await find(ID);
  assertEquals(fetched, [ID]);
});

Deno.test("clientDocuments() fetches only after allow() said true, whatever it does to the URL", async () => {
  const refusals: readonly unknown[] = [undefined, 1, "yes", Promise.resolve(false)];
  for (const answer of refusals) {
    const { fetched, find } = documentSource({ allow: () => answer as boolean });
    assertEquals([await find(ID), fetched], [null, []]);
  }
  const allow = (url: URL) => {
    url.hostname = "127.0.0.1";
    return Promise.resolve(true);
  };
  const { fetched, find } = documentSource({ allow });
  assertEquals([(await find(ID))?.clientId, fetched], [ID, [ID]]);
});

Deno.test("clientDocuments() does not take an error of allow() for a server that is down", async () => {
  let isBroken = false;
  const allow = () => {
    if (isBroken) throw new TypeError("broken");
    return true;
  };
  const { current, find } = documentSource({ allow });
  await find(ID);
  current.now += HOUR;
  isBroken = true;
  await assertRejects(() => find(ID), TypeError, "broken");
});

Deno.test("clientDocuments() waits for 5 seconds", async () => {
  const { current, find } = documentSource();
  current.answer = () => new Promise<Response>(() => {});
  const pauses = await pausesOf(() => assertDown(find(ID)));
  assertEquals(pauses, [5_000]);
});

Deno.test("clientDocuments() frees the place of each fetch that has ended, however it did", async () => {
  const { current, find } = documentSource();
  current.answer = () => Promise.reject(new TypeError("refused"));
  for (let i = 0; i < 20; i++) await assertDown(find(`https://c${i}.example/client.json`));
  current.answer = documentOf;
  assert(await find(ID) !== null);
});

Deno.test("limitOutbound() counts the requests to a host for a minute, and remembers 1,000 hosts, AS37, AS38", async () => {
  const clock = { now: START };
  const outbound = limitOutbound(() => clock.now, "x");
  const send = () => outbound("a", () => Promise.resolve());
  for (let i = 0; i < 20; i++) await send();
  clock.now += 59;
  await assertDown(send());
  for (let i = 0; i < 999; i++) await outbound(`h${i}`, () => Promise.resolve());
  await assertDown(send());
  await outbound("h999", () => Promise.resolve()); // the oldest host goes
  for (let i = 0; i < 20; i++) await send();
  clock.now += 59;
  await assertDown(send());
  clock.now += 1;
  await send();
});
