/** Cookies of transactions. What they protect is tested with sign-ins at providers and with the authorization server. */

import { assertEquals } from "@std/assert";
import { transactionCookies } from "../../../auth/session/transaction_cookies.ts";

const COOKIES = transactionCookies({ prefix: "__Host-tx-", sameSite: "Lax", lifetime: 600 });
const ATTRIBUTES = "Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax";
const DELETED = "Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax";

/** A request with cookies. */
function requestOf(...cookies: readonly string[]): Request {
  return new Request("https://example.com/", { headers: { Cookie: cookies.join("; ") } });
}

Deno.test("transactionCookies() names a cookie by the first eight characters of the key", () => {
  const key = "abcdefghijkl";
  assertEquals(COOKIES.begin(requestOf(), key, "v"), [`__Host-tx-abcdefgh=v; ${ATTRIBUTES}`]);
  assertEquals(COOKIES.read(requestOf("__Host-tx-abcdefgh=v"), key), {
    status: "found",
    value: "v",
  });
  assertEquals(COOKIES.read(requestOf("__Host-tx-bbcdefgh=v"), key), { status: "absent" });
  const twice = requestOf("__Host-tx-abcdefgh=v", "__Host-tx-abcdefgh=w");
  assertEquals(COOKIES.read(twice, key), { status: "ambiguous" });
  assertEquals(COOKIES.clear(key), `__Host-tx-abcdefgh=; ${DELETED}`);
});

Deno.test("transactionCookies() deletes the oldest cookies beyond eight, and no others", () => {
  const names = Array.from({ length: 9 }, (_, i) => `__Host-tx-cookie-${i}`);
  const others = ["__Host-sid=1", "__Host-tx-longer-than-a-tag=1"];
  const request = requestOf(...others, ...names.map((name) => `${name}=v`));
  assertEquals(COOKIES.begin(request, "next-one", "v"), [
    `__Host-tx-cookie-0=; ${DELETED}`,
    `__Host-tx-cookie-1=; ${DELETED}`,
    `__Host-tx-next-one=v; ${ATTRIBUTES}`,
  ]);
});

Deno.test("transactionCookies() lets another site's page post where SameSite is None", () => {
  const cookies = transactionCookies({ prefix: "__Host-tx-", sameSite: "None", lifetime: 60 });
  const [cookie = ""] = cookies.begin(requestOf(), "abcdefgh", "v");
  assertEquals(cookie.split("; ").slice(-1), ["SameSite=None"]);
});
