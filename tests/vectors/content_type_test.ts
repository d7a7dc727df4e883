/** Content-Type values of other parsers against our content rule, and the same rule in a table of our own. */

import { createRouter, empty } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { testVectors } from "./_vectors.ts";

interface ContentTypeCase {
  readonly id: string;
  readonly fn: string;
  readonly args: readonly [string, unknown?];
  readonly result?: { readonly type: string };
}

const router = createRouter().post("/", () => empty());

async function statusOf(contentType: string): Promise<number> {
  const headers = new Headers({ "Content-Type": contentType });
  return (await router.request("/", { method: "POST", headers, body: "{}" })).status;
}

testVectors<ContentTypeCase>({
  file: "http/content-type-jshttp.json",
  skip({ fn, args }) {
    if (fn !== "parse") return "format";
    if (args[1] !== undefined) return "take options of that parser";
    return undefined;
  },
  /** Put in the place of the case's own type, ours must be known exactly where that parser finds it. */
  async run({ args: [value], result }) {
    const [ours, theirs] = [value, result?.type ?? ""].map((text) =>
      text.replace(/text\/(?:html|plain)/, "application/json")
    );
    const accepted = theirs === "application/json";
    assertEquals(await statusOf(ours ?? ""), accepted ? 204 : 415, value);
  },
});

const OWN: readonly (readonly [value: string, status: number])[] = [
  ["application/json", 204],
  ["Application/JSON; charset=UTF-8", 204],
  ["application/json;charset=utf-8", 204],
  ["application/json ; charset=utf-8", 204],
  ["application/merge-patch+json", 204],
  ["application/vnd.api+json;version=1", 204],
  ["application/jsonx", 415],
  ["application/json, text/plain", 415],
  ["application/+json", 415],
  ["application/x+json+xml", 415],
  ["application / json", 415],
  ["text/json", 415],
  ["text/plain", 415],
  ["text/plain; application/json", 415],
  ["application/x-www-form-urlencoded", 415],
  ["multipart/form-data; boundary=x", 415],
  ["json", 415],
  ["", 415],
];

for (const [value, status] of OWN) {
  Deno.test(`createRouter() answers ${status} to Content-Type "${value}"`, async () => {
    assertEquals(await statusOf(value), status);
  });
}
