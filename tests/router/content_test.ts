import { createRouter, json } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { codeOf, collectErrors, jsonRequest, problemOf } from "./_helpers.ts";

const METHODS = ["POST", "PUT", "PATCH"] as const;

function router(calls: unknown[] = []) {
  const handler = (req: { readonly content: unknown }) => (calls.push(req.content), json("done"));
  return createRouter().post("/", handler).put("/", handler).patch("/", handler)
    .post("/form", (req) => json(Object.fromEntries(req.content)), { multipart: true })
    .post("/raw", async (req) => json({ content: req.content ?? null, text: await req.text() }), {
      raw: true,
    });
}

/** [why, Content-Type] */
const TAKEN: readonly (readonly [why: string, type: string])[] = [
  ["the plain type", "application/json"],
  ["capitals and a charset", "Application/JSON; charset=UTF-8"],
  ["a parameter without a space", "application/json;charset=utf-8"],
  ["a space before the semicolon", "application/json ; charset=utf-8"],
  ["an unknown parameter", 'application/json; profile="https://example.com/a,b"'],
  ["a semicolon without a parameter", "application/json;"],
  ["a merge patch", "application/merge-patch+json"],
  ["a JSON Patch", "application/json-patch+json"],
  ["a suffix in capitals", "APPLICATION/VND.API+JSON"],
  ["two suffixes", "application/vnd.x+y+json"],
  ["every token character", "application/!#$&^_.-x1'*`|~%+json"],
];

/** [why, Content-Type or none] */
const REJECTED: readonly (readonly [why: string, type: string | undefined])[] = [
  ["no type", undefined],
  ["an empty type", ""],
  ["text", "text/plain"],
  ["a form, which any site can send", "application/x-www-form-urlencoded"],
  ["a multipart form, which any site can send", "multipart/form-data; boundary=x"],
  ["a longer name", "application/jsonx"],
  ["JSON Lines", "application/json-lines"],
  ["JSON sequences", "application/json-seq"],
  ["a suffix without a name", "application/+json"],
  ["a suffix of another top-level type", "text/vnd.x+json"],
  ["text/json", "text/json"],
  ["a name that ends like JSON", "application/notjson"],
  ["a suffix in the middle", "application/x+json+xml"],
  ["JSON as a parameter", "text/plain; application/json"],
  ["JSON as a parameter's value", 'text/plain; x="application/json"'],
  ["JSON after a comma, as two header fields arrive", "text/plain, application/json"],
  ["JSON before a comma", "application/json, text/plain"],
  ["a space inside", "application / json"],
  ["a wildcard", "application/*"],
  ["every type", "*/*"],
  ["no slash", "json"],
  ["one slash too many", "application/json/x"],
  ["another character after the type", "application/json:charset=utf-8"],
  ["a quoted type", '"application/json"'],
];

for (const [why, type] of TAKEN) {
  Deno.test(`checkContentType() takes ${why}: ${type}`, async () => {
    for (const method of METHODS) {
      const response = await router().fetch(
        jsonRequest("/", "{}", { method, headers: { "Content-Type": type } }),
      );
      assertEquals(await response.json(), "done");
    }
  });
}

for (const [why, type] of REJECTED) {
  Deno.test(`checkContentType() rejects ${why}: ${type ?? "(none)"}`, async () => {
    for (const method of METHODS) {
      const calls: unknown[] = [];
      const request = jsonRequest("/", "{}", { method });
      if (type === undefined) request.headers.delete("Content-Type");
      else request.headers.set("Content-Type", type);
      const response = await router(calls).fetch(request);
      assertEquals(response.headers.get("Accept"), "application/json");
      assertEquals(
        response.headers.get("Accept-Patch"),
        method === "PATCH" ? "application/json" : null,
      );
      assertEquals(await codeOf(response), [415, "unsupported_media_type"]);
      assertEquals(calls, []);
    }
  });
}

Deno.test("checkContentType() rejects before it reads", async () => {
  let pulled = 0;
  const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 });
  const response = await router().fetch(
    jsonRequest("/", body, { headers: { "Content-Type": "text/plain" } }),
  );
  assertEquals((await problemOf(response)).status, 415);
  assertEquals(pulled, 0);
});

Deno.test("checkContentType() rejects a POST without a body and type", async () => {
  assertEquals(await codeOf(router().request("/", { method: "POST" })), [
    415,
    "unsupported_media_type",
  ]);
});

Deno.test("checkContentType() requires a form on a multipart route", async () => {
  for (
    const type of [
      "application/json",
      "multipart/mixed; boundary=x",
      "multipart/form-datax",
      "application/x-www-form-urlencoded",
    ]
  ) {
    const response = await router().fetch(
      jsonRequest("/form", "{}", { headers: { "Content-Type": type } }),
    );
    assertEquals(response.headers.get("Accept"), "multipart/form-data");
    assertEquals(await codeOf(response), [415, "unsupported_media_type"]);
  }
});

Deno.test("readContent() returns the form of a multipart route", async () => {
  const form = new FormData();
  form.set("name", "Ada");
  form.set("é", "🦀");
  const response = await router().request("/form", { method: "POST", body: form });
  assertEquals(await response.json(), { name: "Ada", "é": "🦀" });
});

Deno.test("readContent() returns files of a multipart route", async () => {
  const files = createRouter().post("/", async (req) => {
    const all = req.content.getAll("file").filter((file) => file instanceof File);
    return json(
      await Promise.all(all.map(async (file) => [file.name, file.type, await file.text()])),
    );
  }, { multipart: true });
  const form = new FormData();
  form.append("file", new File(["one"], "a.txt", { type: "text/plain" }));
  form.append("file", new File(["two"], "../../b.txt"));
  const response = await files.request("/", { method: "POST", body: form });
  assertEquals(await response.json(), [["a.txt", "text/plain", "one"], [
    "../../b.txt",
    "application/octet-stream",
    "two",
  ]]);
});

const PART = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nv';
const FORM = `${PART}\r\n--x--\r\n`;

for (
  const type of [
    "multipart/form-data; boundary=x",
    'Multipart/Form-Data; charset=utf-8; Boundary="x"',
    'multipart/form-data ; ; boundary="\\x";', // empty parameters and quoted pairs, RFC 9110 §5.6.6
    'multipart/form-data; note="a; boundary=y"; boundary=x',
  ]
) {
  Deno.test(`readContent() takes a form of type ${type}`, async () => {
    const response = await router().fetch(
      jsonRequest("/form", FORM, { headers: { "Content-Type": type } }),
    );
    assertEquals(await response.json(), { a: "v" });
  });
}

for (
  const [why, type, body] of [
    ["without a boundary", "multipart/form-data", "--x\r\n\r\n--x--"],
    ["with another boundary", "multipart/form-data; boundary=y", "--x\r\n\r\n--x--\r\n"],
    ["that is empty", "multipart/form-data; boundary=x", ""],
    [
      "that is cut off",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nv',
    ],
    [
      "that is cut off after a part",
      "multipart/form-data; boundary=x",
      `${PART}\r\n--x\r\nContent-Disp`,
    ],
    [
      "that is cut off before its last hyphen",
      "multipart/form-data; boundary=x",
      `${PART}\r\n--x-`,
    ],
    [
      "that is cut off, with a quoted boundary",
      'multipart/form-data; charset=utf-8; boundary="x"',
      PART,
    ],
    ["that ends at another boundary", "multipart/form-data; boundary=xy", `${PART}\r\n--x--`],
    ["that is JSON", "multipart/form-data; boundary=x", "{}"],
    ["with its boundary twice", "multipart/form-data; boundary=x; boundary=x", FORM],
    ["with its boundary in two cases", "multipart/form-data; boundary=x; Boundary=y", FORM],
    ["with another parameter twice", "multipart/form-data; a=1; boundary=x; A=2", FORM],
    ["with two types", "multipart/form-data; boundary=x, multipart/form-data; boundary=x", FORM],
    ["with an open quoted string", 'multipart/form-data; boundary="x', FORM],
    ["with a quoted string and more", 'multipart/form-data; boundary="x"y', FORM],
    ["with a boundary that is not a token", "multipart/form-data; boundary=x y", FORM],
    ["with a space before the equals sign", "multipart/form-data; boundary =x", FORM],
    ["with a space at the end of its boundary", 'multipart/form-data; boundary="x "', FORM],
    ["with a boundary that RFC 2046 forbids", "multipart/form-data; boundary=x&", FORM],
  ] as const
) {
  Deno.test(`readContent() rejects a form ${why}`, async () => {
    const response = await router().fetch(
      jsonRequest("/form", body, { headers: { "Content-Type": type } }),
    );
    assertEquals(await codeOf(response), [400, "invalid_form"]);
  });
}

Deno.test("readContent() takes the longest boundary, and any character that RFC 2046 allows", async () => {
  for (const boundary of ["a".repeat(70), "'()+_,-./:=? z09AZ"]) {
    const response = await router().fetch(
      jsonRequest("/form", FORM.replaceAll("--x", `--${boundary}`), {
        headers: { "Content-Type": `multipart/form-data; boundary="${boundary}"` },
      }),
    );
    assertEquals(await response.json(), { a: "v" });
  }
});

Deno.test("readContent() does not read the body of a raw route, whatever its type", async () => {
  for (const type of ["text/plain", "application/octet-stream", undefined]) {
    const request = jsonRequest("/raw", "not json");
    if (type === undefined) request.headers.delete("Content-Type");
    else request.headers.set("Content-Type", type);
    assertEquals(await (await router().fetch(request)).json(), { content: null, text: "not json" });
  }
});

Deno.test("readContent() answers 415 for a compressed body", async () => {
  const gzip = new Blob(['{"a":1}']).stream().pipeThrough(new CompressionStream("gzip"));
  const response = await router().fetch(
    jsonRequest("/", gzip, { headers: { "Content-Encoding": "gzip" } }),
  );
  assertEquals(response.headers.get("Accept-Encoding"), "identity");
  assertEquals(await codeOf(response), [415, "unsupported_media_type"]);
});

Deno.test("readContent() accepts a body with identity coding, or that was decompressed", async () => {
  for (const coding of ["identity", "Identity", "gzip"]) {
    const response = await router().fetch(
      jsonRequest("/", "{}", { headers: { "Content-Encoding": coding } }),
    );
    assertEquals(response.status, 200);
    await response.body?.cancel();
  }
});

Deno.test("readContent() reads nothing on GET, HEAD, DELETE, OPTIONS and all()", async () => {
  const seen: unknown[] = [];
  const plain = createRouter().delete("/", (req) => (seen.push(req.content), json(1))).all(
    "/all",
    (req) => (seen.push(req.content), json(1)),
  );
  for (const [path, method] of [["/", "DELETE"], ["/all", "POST"], ["/all", "PATCH"]] as const) {
    const body = new ReadableStream({ pull: () => assert(false, "read") }, { highWaterMark: 0 });
    assertEquals((await plain.fetch(jsonRequest(path, body, { method }))).status, 200);
  }
  assertEquals(seen, [undefined, undefined, undefined]);
});

Deno.test("readContent() hides an error of the body's stream", async () => {
  const { errors, onError } = collectErrors();
  const broken = new ReadableStream({
    pull: () => Promise.reject(new Error("secret of the socket")),
  });
  const response = await createRouter({ onError }).post("/", () => json(1)).fetch(
    jsonRequest("/", broken),
  );
  const problem = await problemOf(response);
  assertEquals([problem.status, problem.code], [400, "incomplete_body"]);
  assert(!JSON.stringify(problem).includes("secret"));
  assertEquals(errors, []);
});
