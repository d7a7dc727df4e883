/**
 * Points 9–12: the page, the documents, errors, the access log.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Client, statusOf } from "./_client.ts";
import { until } from "./_events.ts";
import { ask, type Check, createIssue, type Json, type Walk } from "./_walk.ts";

/** The checks, in the specification's order. */
export const DOCUMENT_CHECKS: readonly Check[] = [
  { point: 9, name: "page", run: page },
  { point: 10, name: "documents", run: documents },
  { point: 11, name: "errors", run: errors },
  { point: 12, name: "access log", run: accessLog },
];

const LOG_MS = 3000;

/** Routes of points 4–8: method, path, and what the document says that they answer. */
const DOCUMENTED: readonly [string, string, readonly number[]][] = [
  ["post", "/orgs", [201, 401, 422]],
  ["get", "/orgs", [200, 401]],
  ["delete", "/orgs/{}", [204, 401, 403, 404]],
  ["get", "/orgs/{}/members", [200, 401, 404]],
  ["post", "/orgs/{}/members", [201, 401, 403, 404, 422]],
  ["patch", "/orgs/{}/members/{}", [200, 401, 403, 404, 422]],
  ["delete", "/orgs/{}/members/{}", [204, 401, 403, 404]],
  ["get", "/orgs/{}/issues", [200, 401, 404, 422]],
  ["post", "/orgs/{}/issues", [201, 401, 403, 404, 422]],
  ["get", "/orgs/{}/issues/{}", [200, 401, 404]],
  ["patch", "/orgs/{}/issues/{}", [200, 401, 403, 404, 422]],
  ["delete", "/orgs/{}/issues/{}", [204, 401, 403, 404]],
  ["get", "/orgs/{}/issues/{}/comments", [200, 401, 404]],
  ["post", "/orgs/{}/issues/{}/comments", [201, 401, 403, 404, 422]],
  ["delete", "/orgs/{}/issues/{}/comments/{}", [204, 401, 403, 404]],
  ["post", "/orgs/{}/issues/{}/attachments", [201, 401, 403, 404, 422]],
  ["get", "/orgs/{}/issues/{}/attachments/{}", [200, 401, 404]],
  ["get", "/orgs/{}/changes", [200, 401, 404]],
];

async function page({ nobody }: Walk): Promise<void> {
  const response = await nobody.send("GET", "/");
  assertEquals(response.status, 200);
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  assertMatch(policy, /(default|script)-src [^;]*'(self|none)'/);
  assert(!/unsafe-|\*|https?:(?!\/)/.test(policy), policy);
  assertEquals(response.headers.get("X-Content-Type-Options"), "nosniff");
  const html = await response.text();
  assertMatch(html, /<form/);
  assert(!/<style|\son\w+=|\sstyle=|javascript:/i.test(html), "inline code");
  await assetsOf(nobody, "/", html);
  for (const path of ["/page.js", "/page.css", "/paths.js"]) {
    assertEquals(await statusOf(nobody, "GET", path), 200, path);
  }
  for (const path of ["/../main.ts", "/%2e%2e/main.ts", "/..%2fmain.ts", "/main.ts"]) {
    assert(await statusOf(nobody, "GET", path) >= 400, path);
  }
}

/** Every script, style sheet and image is a file of the same origin. */
async function assetsOf(client: Client, base: string, html: string): Promise<void> {
  let scripts = 0;
  for (
    const [, attributes = "", content = ""] of html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)
  ) {
    assertEquals(content.trim(), "", "inline script");
    assertMatch(attributes, /\bsrc=/);
    scripts++;
  }
  assert(scripts > 0, "no script");
  const links = html.matchAll(/<(?:script|link|img)[^>]*\s(?:src|href)="([^"]+)"/g);
  for (const [, link = ""] of links) {
    if (link.startsWith("data:")) continue; // in the page itself
    const url = new URL(link, new URL(base, client.origin));
    assertEquals(url.origin, client.origin, link);
    const response = await client.send("GET", url.pathname);
    assertEquals(response.status, 200, link);
    const type = response.headers.get("Content-Type") ?? "";
    if (link.endsWith(".js")) assertMatch(type, /javascript/);
    if (link.endsWith(".css")) assertMatch(type, /text\/css/);
    await response.body?.cancel();
  }
}

async function documents({ nobody }: Walk): Promise<void> {
  const document = await ask(nobody, 200, "GET", "/openapi.json");
  assertMatch(document.openapi, /^3\.1\.\d+$/);
  assert(document.info?.title && document.info.version, "info");
  const paths = new Map(
    Object.entries<Json>(document.paths).map((
      [path, item],
    ) => [path.replace(/\{\w+\}/g, "{}"), item]),
  );
  const failures: string[] = [];
  for (const [method, path, statuses] of DOCUMENTED) {
    const operation = paths.get(path)?.[method];
    if (operation === undefined) {
      failures.push(`${method} ${path} is missing`);
      continue;
    }
    for (const status of statuses) {
      const response = resolve(document, operation.responses[status]);
      if (response === undefined) failures.push(`${method} ${path}: no ${status}`);
      else if (status !== 204 && !Object.values<Json>(response.content ?? {})[0]?.schema) {
        failures.push(`${method} ${path}: ${status} without a schema`);
      }
    }
    const body = resolve(document, operation.requestBody);
    if (
      ["post", "patch"].includes(method) && !Object.values<Json>(body?.content ?? {})[0]?.schema
    ) {
      failures.push(`${method} ${path}: no schema of the request`);
    }
  }
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(item)) {
      if (!["get", "post", "put", "patch", "delete"].includes(method)) continue;
      const declared = [...item.parameters ?? [], ...operation.parameters ?? []]
        .map((parameter) => resolve(document, parameter))
        .filter((parameter) => parameter.in === "path").map(({ name }) => name).sort();
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      if (declared.join() !== named.join()) failures.push(`${method} ${path}: ${declared}`);
    }
  }
  const query = paths.get("/orgs/{}/issues")?.get.parameters
    .map((parameter: Json) => resolve(document, parameter).name);
  for (const name of ["status", "q", "limit", "cursor"]) {
    if (!query?.includes(name)) failures.push(`the document has no query parameter ${name}`);
  }
  if (!Object.keys(document.components?.securitySchemes ?? {}).length) failures.push("no security");
  for (const [, ref = ""] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
    if (resolve(document, { $ref: ref }) === undefined) failures.push(`${ref} leads nowhere`);
  }
  const ids = [...JSON.stringify(document.paths).matchAll(/"operationId":"([^"]+)"/g)]
    .map(([, id]) => id);
  if (new Set(ids).size < ids.length) failures.push("an operationId is there twice");
  assertEquals(failures, []);
  await documentation(nobody);
}

async function documentation(client: Client): Promise<void> {
  let path = "/docs";
  let response = await client.send("GET", path);
  for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 3; hops++) {
    await response.body?.cancel();
    path = new URL(response.headers.get("Location") ?? "", new URL(path, client.origin)).pathname;
    response = await client.send("GET", path);
  }
  assertEquals(response.status, 200);
  assertMatch(response.headers.get("Content-Type") ?? "", /text\/html/);
  await assetsOf(client, path, await response.text());
}

function resolve(document: Json, value: Json): Json {
  if (value?.$ref === undefined) return value;
  return value.$ref.slice("#/".length).split("/").reduce(
    (at: Json, key: string) => at?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
    document,
  );
}

async function errors({ people: { viewer, owner, outsider }, nobody, org }: Walk): Promise<void> {
  const path = `/orgs/${org}/issues`;
  const json = { title: "New" };
  const cases: readonly [number, Client, string, string, unknown?][] = [
    [401, nobody, "GET", path],
    [403, viewer.client, "POST", path, json],
    [404, outsider.client, "GET", path],
    [404, owner.client, "GET", `${path}/none`],
    [404, nobody, "GET", "/no-such-page"],
    [409, owner.client, "DELETE", `/orgs/${org}/members/${owner.id}`],
    [422, owner.client, "POST", path, { title: "" }],
  ];
  const codes = new Set<string>();
  for (const [status, client, method, route, body] of cases) {
    const response = await client.send(method, route, { json: body });
    const problem: Json = await response.json();
    assertEquals(response.status, status, `${method} ${route}`);
    assertMatch(response.headers.get("Content-Type") ?? "", /^application\/problem\+json/);
    assert(typeof problem.code === "string" && problem.code !== "", JSON.stringify(problem));
    assertEquals(problem.status ?? status, status);
    codes.add(problem.code);
  }
  assert(codes.size >= 5, `codes: ${[...codes]}`);
}

async function accessLog({ people: { member }, org, log, nobody }: Walk): Promise<void> {
  const { id } = await createIssue(member.client, org);
  const start = log().length;
  const path = `/orgs/${org}/issues/${id}`;
  assertEquals(await statusOf(member.client, "GET", `${path}?token=hidden`), 200);
  assertEquals(await statusOf(member.client, "PATCH", path, { json: { color: 1 } }), 422);
  assertEquals(await statusOf(nobody, "DELETE", path), 401);
  const lines = () =>
    log().slice(start).split("\n").filter((line) =>
      /\/orgs\/[:{]org\}?\/issues\/[:{]id\}?/.test(line)
    );
  await until(() => lines().length >= 3, LOG_MS, "three log lines");
  const expected = [["GET", "200", member.id], ["PATCH", "422", member.id], ["DELETE", "401", ""]];
  assertEquals(lines().length, expected.length);
  expected.forEach((words, i) => {
    const line = lines()[i] ?? "";
    for (const word of words) assert(line.includes(word), `${word} is not in: ${line}`);
    const rest = words.reduce((text, word) => text.replace(word, ""), line);
    assertMatch(rest, /\d/, "milliseconds");
    assert(!line.includes("hidden"), "the log shows the query");
  });
  const first = /listening on http:\/\/localhost:\d+\//;
  assertMatch(log().split("\n")[0] ?? "", first);
}
