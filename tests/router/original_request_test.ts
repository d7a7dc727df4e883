import { createRouter, json } from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { linkRequest, originalRequest } from "../../router/original_request.ts";

const URL_HERE = "https://example.com/a/b/c";

Deno.test("originalRequest() returns the request if there is no mount", () => {
  const request = new Request(URL_HERE);
  assertEquals(originalRequest(request), request);
  assertNotEquals(originalRequest(new Request(request)), request, "a copy is another request");
});

Deno.test("originalRequest() follows every mount", () => {
  const requests = Array.from({ length: 50 }, () => new Request(URL_HERE));
  for (const [i, request] of requests.entries()) {
    const outer = requests[i - 1];
    if (outer !== undefined) linkRequest(request, outer);
  }
  for (const request of requests) assert(originalRequest(request) === requests[0]);
});

Deno.test("mount() links the original request, through one mount and through three", async () => {
  const seen: Request[] = [];
  const inner = createRouter().get("/*", (req) => (seen.push(req.raw), json(1)));
  const middle = createRouter().mount("/c", inner);
  const outer = createRouter().mount("/b", middle);
  const router = createRouter().mount("/a", outer).mount("/i", inner);
  for (const path of ["/a/b/c/d", "/i/d"]) {
    const request = new Request(`https://example.com${path}`);
    assertEquals((await router.fetch(request)).status, 200);
    const [raw] = seen.splice(0);
    assert(raw !== undefined && raw !== request);
    assert(originalRequest(raw) === request);
  }
});

Deno.test("originalRequest() of a router's request equals that of its standard request", async () => {
  const seen: Request[] = [];
  const inner = createRouter()
    .get(
      "/*",
      (req) => (seen.push(originalRequest(req), originalRequest({ raw: req.raw })), json(1)),
    );
  const router = createRouter({ before: [(req) => void seen.push(originalRequest(req))] })
    .mount("/a", createRouter().mount("/b", inner));
  const request = new Request("https://example.com/a/b/c");
  assertEquals((await router.fetch(request)).status, 200);
  assertEquals(seen.length, 3);
  for (const one of seen) assert(one === request);
});

Deno.test("mount() links the original request for other fetch applications", async () => {
  const request = new Request("https://example.com/app/x");
  let seen: Request | undefined;
  const router = createRouter().mount("/app", {
    fetch: (inner) => (seen = inner, new Response("theirs")),
  });
  assertEquals((await router.fetch(request)).status, 200);
  assert(seen !== undefined && originalRequest(seen) === request);
});

Deno.test("mount() links the original request for each application in turn", async () => {
  const seen: Request[] = [];
  const declining = { fetch: (inner: Request) => void seen.push(inner) as undefined };
  const router = createRouter().mount("/app", declining).mount("/app", declining)
    .get("/app/x", (req) => (seen.push(req.raw), json(1)));
  const request = new Request("https://example.com/app/x");
  assertEquals((await router.fetch(request)).status, 200);
  assertEquals(seen.length, 3);
  for (const one of seen) assert(originalRequest(one) === request);
});

Deno.test("mount() links the original request if a mounted application passes it to a router", async () => {
  const request = new Request("https://example.com/app/x");
  let seen: Request | undefined;
  const inner = createRouter().get("/x", (req) => (seen = req.raw, json(1)));
  const router = createRouter().mount("/app", { fetch: (raw) => inner.fetch(raw) });
  assertEquals((await router.fetch(request)).status, 200);
  assert(seen !== undefined && originalRequest(seen) === request);
});
