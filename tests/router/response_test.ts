import { createRouter, editHeaders, empty, json, pass, redirect } from "@gatehouse/http";
import { assertEquals, assertNotStrictEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { untyped } from "./_helpers.ts";

const JSON_TYPE = "application/json";

for (const data of [{ a: 1 }, [1, "é", null], "text", 7, true, null, { at: new Date(0) }]) {
  Deno.test(`json() sends ${JSON.stringify(data)}`, async () => {
    for (const response of [json(data), json(data, {}), json(data, { status: 200 })]) {
      assertEquals([response.status, response.headers.get("Content-Type")], [200, JSON_TYPE]);
      assertEquals(await response.text(), JSON.stringify(data));
    }
  });
}

Deno.test("json() takes a standard ResponseInit", async () => {
  const response = json({ a: 1 }, { status: 201, statusText: "Made", headers: { "X-A": "1" } });
  assertEquals([response.status, response.statusText, response.headers.get("X-A")], [
    201,
    "Made",
    "1",
  ]);
  assertEquals(response.headers.get("Content-Type"), JSON_TYPE);
  assertEquals(await response.json(), { a: 1 });
});

Deno.test("json() keeps a given Content-Type, in every form of header fields", async () => {
  const list: [string, string][] = [
    ["content-type", "application/ld+json"],
    ["Set-Cookie", "a=1"],
    ["Set-Cookie", "b=2"],
  ];
  for (const headers of [list, new Headers(list)]) {
    const response = json(1, { headers });
    assertEquals(response.headers.get("Content-Type"), "application/ld+json");
    assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
    await response.body?.cancel();
  }
  const given = new Headers({ "X-A": "1" });
  await json(1, { headers: given }).body?.cancel();
  assertEquals([...given], [["x-a", "1"]], "what was given stays as it was");
});

const CYCLE: Record<string, unknown> = {};
CYCLE.self = CYCLE;
for (
  const [why, data] of [
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a BigInt", 1n],
    ["a cycle", CYCLE],
  ] as const
) {
  Deno.test(`json() throws a TypeError for ${why}`, () => {
    assertThrows(() => json<unknown>(data), TypeError);
    assertThrows(() => json<unknown>(data, { status: 201 }), TypeError);
    assertThrows(() => json<unknown>(data, { headers: {} }), TypeError);
  });
}

Deno.test("redirect() sends 302 and the target unchanged", () => {
  const response = redirect("/next?a=1#b");
  assertEquals([response.status, response.headers.get("Location"), response.body], [
    302,
    "/next?a=1#b",
    null,
  ]);
});

for (const status of [301, 302, 303, 307, 308] as const) {
  Deno.test(`redirect() sends ${status}`, () =>
    assertEquals(redirect("/x", status).status, status));
}

for (const location of ["/a\r\nSet-Cookie: x=1", "/a\nb", "/a\0b", "/🦀"]) {
  Deno.test(`redirect() throws a TypeError for ${JSON.stringify(location)}`, () => {
    assertThrows(() => redirect(location), TypeError);
  });
}

Deno.test("editHeaders() can edit the response of redirect()", () => {
  const response = redirect("/");
  assertStrictEquals(editHeaders(response, (headers) => headers.set("X-A", "1")), response);
});

Deno.test("empty() sends 204, or another status, without a body", () => {
  const init = { status: 404, headers: { "X-A": "1" } };
  assertEquals([empty().status, empty().body, empty(304).status, empty(202).body], [
    204,
    null,
    304,
    null,
  ]);
  assertEquals([empty(204, init).status, empty(204, init).headers.get("X-A")], [204, "1"]);
});

Deno.test("pass() lets the next matching route answer", async () => {
  assertEquals<unknown>(pass(), undefined);
  const router = createRouter().get("/", () => pass()).get("/", () => Promise.resolve(pass())).get(
    "*",
    () => json("third"),
  );
  assertEquals(await (await router.request("/")).json(), "third");
});

Deno.test("editHeaders() edits in place where it can", () => {
  const response = json(1);
  assertStrictEquals(
    editHeaders(response, (headers) => headers.append("Vary", "Cookie")),
    response,
  );
  assertEquals(response.headers.get("Vary"), "Cookie");
});

/** Responses whose header fields the runtime made immutable. */
const IMMUTABLE: readonly (readonly [
  why: string,
  make: () => Response | Promise<Response>,
  status: number,
  text: string,
])[] = [
  ["a response of fetch()", () => fetch("data:text/plain;charset=utf-8,hello"), 200, "hello"],
  [
    "a response of Response.redirect()",
    () => Response.redirect("http://localhost/x", 303),
    303,
    "",
  ],
];

for (const [why, make, status, text] of IMMUTABLE) {
  Deno.test(`editHeaders() edits a copy of ${why}`, async () => {
    const response = await make();
    assertThrows(() => response.headers.set("X-A", "1"), TypeError);
    const edited = editHeaders(response, (headers) => headers.append("X-A", "1"));
    assertNotStrictEquals(edited, response);
    assertEquals([edited.status, edited.headers.get("X-A")], [status, "1"]);
    assertEquals(edited.headers.get("Location"), response.headers.get("Location"));
    assertEquals(await edited.text(), text);
  });
}

Deno.test("editHeaders() streams the body of a copy", async () => {
  const source = await fetch("data:,abc");
  const edited = editHeaders(source, (headers) => headers.set("X-A", "1"));
  assertEquals(await new Response(edited.body).text(), "abc");
});

Deno.test("editHeaders() rethrows an error of the edit", async () => {
  for (const make of [() => json(1), () => fetch("data:,abc")]) {
    const response = await make();
    assertThrows(() => editHeaders(response, (headers) => headers.set("X-A", "a\nb")), TypeError);
    assertThrows(() => editHeaders(response, () => untyped<null[]>(null).length), TypeError);
    class EditError extends Error {}
    assertThrows(() =>
      editHeaders(response, () => {
        throw new EditError();
      }), EditError);
    await response.body?.cancel();
  }
});
