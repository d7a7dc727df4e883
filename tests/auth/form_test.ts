/** Bodies of HTML forms. */

import { assertEquals } from "@std/assert";
import { readForm } from "../../auth/_form.ts";

const FORM = "application/x-www-form-urlencoded";

const TYPES: readonly (readonly [why: string, type: string | null, isForm: boolean])[] = [
  ["as browsers send it", FORM, true],
  ["with a charset", `${FORM};charset=UTF-8`, true],
  ["with space before the parameter", `${FORM} ; charset=UTF-8`, true],
  ["in upper case", FORM.toUpperCase(), true],
  ["absent", null, false],
  ["JSON", "application/json", false],
  ["a longer one", `${FORM}x`, false],
  ["two types", `${FORM}, application/json`, false],
  ["two types, after a parameter", `${FORM}; charset=UTF-8, application/json`, false],
];
for (const [why, type, isForm] of TYPES) {
  Deno.test(`readForm() ${isForm ? "accepts" : "rejects"} a Content-Type: ${why}`, async () => {
    const body = new TextEncoder().encode("a=1&b=%C3%A9&a=2"); // without a type of its own
    const headers: Record<string, string> = type === null ? {} : { "Content-Type": type };
    const request = new Request("https://example.com/", { method: "POST", headers, body });
    const form = await readForm(request, 1_000);
    if (!isForm) return assertEquals(form, "content_type_wrong");
    assertEquals(form instanceof URLSearchParams && [...form], [["a", "1"], ["b", "é"], [
      "a",
      "2",
    ]]);
  });
}

const BODIES: readonly (readonly [
  why: string,
  body: string | Uint8Array<ArrayBuffer> | null,
  expected: string,
])[] = [
  ["none", null, ""],
  ["of the greatest length", "a=23456789", "a=23456789"],
  ["a byte longer", "a=234567890", "body_malformed"],
  ["not UTF-8", new Uint8Array([0x61, 0x3d, 0xff]), "body_malformed"],
];
for (const [why, body, expected] of BODIES) {
  Deno.test(`readForm() returns ${expected || "nothing"} for a body: ${why}`, async () => {
    const headers = { "Content-Type": FORM };
    const request = new Request("https://example.com/", { method: "POST", headers, body });
    assertEquals(`${await readForm(request, 10)}`, expected);
  });
}

Deno.test("readForm() returns body_malformed for a body whose connection is lost", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("lost")) });
  const headers = { "Content-Type": FORM };
  const request = new Request("https://example.com/", { method: "POST", headers, body });
  assertEquals(await readForm(request, 10), "body_malformed");
});
