import { assertEquals, assertStringIncludes } from "@std/assert";
import document from "../../examples/notes/openapi.json" with { type: "json" };
import { formOf, randomBytes, withNotes } from "../examples/_notes_service.ts";
import { mailReader } from "./_account_walk.ts";
import { withPrograms } from "./_client.ts";
import { loadWalk } from "./_client_walk.ts";
import { type Contract, type Exchange, readContract } from "./_contract.ts";
import { exchangeAs, jsonInit } from "./_exchange.ts";
import { pageFetch } from "./_page_fetch.ts";
import { brokenValues, drawValue, largestValue, seededRandom } from "./_schema_values.ts";

const SEED = 20_260_731;
const DRAWS = 60;

Deno.test("All that the example answers to a client is documented, and the client uses every operation", async () => {
  const exchanges: Exchange[] = [];
  const contract = await readContract(document);
  await withPrograms(document, async (programs) => {
    const walk = await loadWalk(programs);
    await withNotes(async ({ port, stranger, outbox }) => {
      await walk(`http://127.0.0.1:${port}`, () => {
        const send = pageFetch(stranger());
        return async (request) => {
          const response = await send(request.clone());
          const isStream = response.headers.get("Content-Type") === "text/event-stream";
          const recorded = isStream ? new Response("", response) : response.clone();
          exchanges.push({ request, response: recorded });
          return response;
        };
      }, mailReader(outbox));
    });
  });
  for (const exchange of exchanges) assertEquals(await contract.problemsOf(exchange), []);
  const used = new Set(exchanges.map(({ request }) => contract.operationIdOf(request)));
  assertEquals([...used].sort(), contract.operationIds.toSorted());
});

const JSON_TYPE = { "Content-Type": "application/json" };
const PROBLEM_TYPE = { "Content-Type": "application/problem+json" };

/** Answers that the document does not have, the request, and what is said of them. */
const UNDOCUMENTED: readonly (readonly [string, string, Response, string])[] = [
  ["an unknown path", "GET /note", new Response(), "no such operation"],
  ["another method", "DELETE /notes", new Response(), "no such operation"],
  ["a success that is none of its own", "GET /notes/7", new Response("", { status: 206 }), "type"],
  ["a body without members", "GET /notes/7", Response.json({}), "is not valid"],
  ["a member of another type", "GET /notes", Response.json({ notes: [], next: 7 }), "is not valid"],
  ["an item without members", "GET /notes", Response.json({ notes: [{}] }), "is not valid"],
  ["text for JSON", "GET /notes", new Response("[]"), "text/plain is not documented"],
  ["no body", "GET /notes", new Response(), "is not documented"],
  ["a body where none is", "DELETE /notes/7", new Response("{}", { headers: JSON_TYPE }), "type"],
  [
    "an error that is no problem",
    "GET /notes/7",
    new Response(`{ "code": "x" }`, { status: 404, headers: PROBLEM_TYPE }),
    "is not valid",
  ],
  [
    "an error of another type",
    "GET /notes/7",
    Response.json({ type: "about:blank", title: "", status: 404, code: "x" }, { status: 404 }),
    "application/json is not documented",
  ],
];
for (const [why, target, response, words] of UNDOCUMENTED) {
  Deno.test(`problemsOf() finds ${why}`, async () => {
    const { problemsOf } = await readContract(document);
    const [method = "", path] = target.split(" ");
    const request = new Request(`http://localhost${path}`, { method });
    const problems = await problemsOf({ request, response });
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0] ?? "", words);
  });
}

const NOTE = { title: "a" };
const form = (...files: readonly File[]): RequestInit => ({
  method: "POST",
  body: formOf(...files),
});
const FILE = new File(["x"], "a.txt");

/** Requests that go wrong, with the status of the answer; `:id` is a note that has an attachment a.txt. */
const REFUSED:
  readonly (readonly [why: string, status: number, path: string, init: RequestInit])[] = [
    ["broken JSON", 400, "/notes", jsonInit("POST", "{")],
    ["no JSON", 400, "/notes", jsonInit("POST", "")],
    ["broken UTF-8", 400, "/notes", {
      ...jsonInit("POST", ""),
      body: new Uint8Array([34, 255, 34]),
    }],
    ["a broken path", 400, "/notes/%ff", {}],
    ["a broken path to be deleted", 400, "/notes/%ff", { method: "DELETE" }],
    ["a broken name", 400, "/notes/:id/attachments/%ff", {}],
    ["a broken form", 400, "/notes/:id/attachments", {
      method: "POST",
      body: "--x",
      headers: { "Content-Type": "multipart/form-data; boundary=x" },
    }],
    ["an unknown note", 404, "/notes/7", {}],
    ["a change of an unknown note", 404, "/notes/7", jsonInit("PUT", NOTE)],
    ["a patch of an unknown note", 404, "/notes/7", jsonInit("PATCH", NOTE)],
    ["to delete an unknown note", 404, "/notes/7", { method: "DELETE" }],
    ["attachments of an unknown note", 404, "/notes/7/attachments", {}],
    ["an upload to an unknown note", 404, "/notes/7/attachments", form(FILE)],
    ["an unknown attachment", 404, "/notes/:id/attachments/b.txt", {}],
    ["to delete an unknown attachment", 404, "/notes/:id/attachments/b.txt", { method: "DELETE" }],
    ["a name that is taken", 409, "/notes/:id/attachments", form(FILE)],
    ["a stale change", 412, "/notes/:id", jsonInit("PUT", NOTE, { "If-Match": '"x"' })],
    ["a stale patch", 412, "/notes/:id", jsonInit("PATCH", NOTE, { "If-Match": '"x"' })],
    ["a stale delete", 412, "/notes/:id", { method: "DELETE", headers: { "If-Match": '"x"' } }],
    ["a body that is too large", 413, "/notes", jsonInit("POST", " ".repeat(300_000))],
    ["a change that is too large", 413, "/notes/:id", jsonInit("PUT", " ".repeat(300_000))],
    [
      "a file that is too large",
      413,
      "/notes/:id/attachments",
      form(new File([randomBytes(10_485_760)], "b")),
    ],
    ["a form for JSON", 415, "/notes", { method: "POST", body: new URLSearchParams(NOTE) }],
    ["text for JSON", 415, "/notes/:id", { method: "PATCH", body: "{}" }],
    [
      "a compressed body",
      415,
      "/notes",
      jsonInit("POST", "\x1f\x8b", { "Content-Encoding": "gzip" }),
    ],
    ["JSON for a form", 415, "/notes/:id/attachments", jsonInit("POST", NOTE)],
    ["an empty title", 422, "/notes", jsonInit("POST", { title: "" })],
    ["a form without a file", 422, "/notes/:id/attachments", {
      method: "POST",
      body: new FormData(),
    }],
    ["two parameters of one name", 422, "/notes?q=a&q=b", {}],
  ];
for (const [why, status, path, init] of REFUSED) {
  Deno.test(`The document says what the example answers to ${why}`, async () => {
    const contract = await readContract(document);
    await withNotes(async (service) => {
      const { id } = await service.create(NOTE);
      await (await service.call(`/notes/${id}/attachments`, form(FILE))).body?.cancel();
      const exchange = await exchangeAs(service, path.replace(":id", id), init);
      assertEquals(exchange.response.status, status);
      assertEquals(await contract.problemsOf(exchange), []);
    });
  });
}

/** Operations with a JSON body, and the schema of that. */
const BODIES: readonly (readonly [method: string, path: string, schema: string])[] = [
  ["POST", "/notes", "#/components/schemas/NoteInput"],
  ["PUT", "/notes/:id", "#/components/schemas/NoteInput"],
  ["PATCH", "/notes/:id", "#/components/schemas/NotePatch"],
];
for (const [method, path, pointer] of BODIES) {
  Deno.test(`${method} ${path} takes what the document allows`, async () => {
    const contract = await readContract(document);
    const random = seededRandom(SEED);
    const schema = contract.schemaAt(pointer);
    const values = Array.from({ length: DRAWS }, () => drawValue(schema, random));
    await withNotes(async (service) => {
      const { id } = await service.create(NOTE);
      for (const value of values) {
        const text = JSON.stringify(value);
        assertEquals(await contract.allows(pointer, value), true, text);
        const exchange = await exchangeAs(
          service,
          path.replace(":id", id),
          jsonInit(method, value),
        );
        assertEquals(
          exchange.response.ok,
          true,
          `${text}: ${await exchange.response.clone().text()}`,
        );
        assertEquals(await contract.problemsOf(exchange), []);
      }
    });
  });

  // A character is one byte in JSON, three or four, and one or two code units of JavaScript
  for (const character of ["a", "\u65e5", "\u{1F600}", "\u0007"]) {
    const name = JSON.stringify(character);
    Deno.test(`${method} ${path} takes the largest input of ${name} that the document allows`, async () => {
      const contract = await readContract(document);
      const value = largestValue(contract.schemaAt(pointer), character);
      assertEquals(await contract.allows(pointer, value), true);
      await withNotes(async (service) => {
        const { id } = await service.create(NOTE);
        const exchange = await exchangeAs(
          service,
          path.replace(":id", id),
          jsonInit(method, value),
        );
        const answer = await exchange.response.clone().text();
        assertEquals(exchange.response.ok, true, answer.slice(0, 200));
        const read = await service.call(`/notes/${JSON.parse(answer).id}`);
        assertEquals(await read.text(), answer);
      });
    });
  }

  Deno.test(`${method} ${path} rejects what the document forbids`, async () => {
    const contract = await readContract(document);
    const broken = brokenValues(contract.schemaAt(pointer));
    await withNotes(async (service) => {
      const { id } = await service.create(NOTE);
      const accepted: string[] = [];
      for (const { why, value } of broken) {
        assertEquals(await contract.allows(pointer, value), false, why);
        const exchange = await exchangeAs(
          service,
          path.replace(":id", id),
          jsonInit(method, value),
        );
        // 400, 413 or 422: a request that is refused for who asks has shown nothing
        if (![400, 413, 422].includes(exchange.response.status)) accepted.push(why);
        assertEquals(await contract.problemsOf(exchange), [], why);
      }
      assertEquals(accepted, []);
    });
  });
}

/** Parameters of `GET /notes`, and values in the form that they have in a URL. */
const QUERIES: readonly (readonly [name: string, values: readonly string[]])[] = [
  ["q", ["", "a", " ", "żółw", "a".repeat(200), "a".repeat(201), "a".repeat(200) + " "]],
  ["limit", ["", "0", "1", "9", "100", "101", "999", "1000", "-1", "1.5", "1e1", "a", " 1"]],
  ["cursor", ["", "a", "0".repeat(25), "0".repeat(24), "0".repeat(26), "G".repeat(25), "é"]],
];
for (const [name, values] of QUERIES) {
  Deno.test(`GET /notes takes and rejects values of ${name} as the document does`, async () => {
    const contract = await readContract(document);
    const parameters = document.paths["/notes"].get.parameters;
    const index = parameters.findIndex((parameter) => parameter.name === name);
    const pointer = `#/paths/~1notes/get/parameters/${index}/schema`;
    const { type } = contract.schemaAt(pointer);
    await withNotes(async (service) => {
      for (const text of values) {
        const value = type === "string" ? text : readNumber(text);
        const query = new URLSearchParams({ [name]: text });
        const exchange = await exchangeAs(service, `/notes?${query}`, {});
        assertEquals(
          [text.slice(0, 30), exchange.response.status],
          [text.slice(0, 30), await contract.allows(pointer, value) ? 200 : 422],
        );
        assertEquals(await contract.problemsOf(exchange), []);
      }
    });
  });
}

/** A number as clients write it into a URL, without an exponent; what is none stays text. */
function readNumber(text: string): string | number {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Where the service is stricter than a schema can say: why, and an input that is refused. */
const DIFFERENCES: readonly (readonly [why: string, input: unknown])[] = [
  // uniqueItems compares items as they are
  ["tags are compared without the spaces around them", { title: "a", tags: ["b", " b"] }],
];
for (const [why, input] of DIFFERENCES) {
  Deno.test(`POST /notes rejects what the document allows, since ${why}`, async () => {
    const contract: Contract = await readContract(document);
    assertEquals(await contract.allows("#/components/schemas/NoteInput", input), true);
    await withNotes(async (service) => {
      const exchange = await exchangeAs(service, "/notes", jsonInit("POST", input));
      assertEquals(exchange.response.status, 422);
      assertEquals(await contract.problemsOf(exchange), []);
    });
  });
}
