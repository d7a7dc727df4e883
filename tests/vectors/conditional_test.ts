/** Conditional requests as RFC 9110 and another library decide them. */

import { checkPreconditions } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { testVectors } from "./_vectors.ts";

interface ConditionalCase {
  readonly id: string;
  readonly request: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, string>>;
  readonly notModified: boolean;
  readonly strongMatch?: boolean;
  readonly weakMatch?: boolean;
}

const FILE = "http/conditional-requests.json";

/** Whether a date is all that a case asks about: nothing of it is left without `Last-Modified`, RFC 9110 §13.1.3. */
function isOfDates({ request }: ConditionalCase): boolean {
  return "if-modified-since" in request && !("if-none-match" in request);
}

testVectors<ConditionalCase>({
  file: FILE,
  skip: (test) =>
    isOfDates(test) ? "are of dates alone, which are ignored without Last-Modified" : undefined,
  run({ id, request, response: { etag }, notModified, strongMatch, weakMatch }) {
    for (const method of ["GET", "HEAD", "PUT"]) {
      const expected = !notModified ? undefined : method === "PUT" ? 412 : 304;
      const status = checkPreconditions({ method, headers: new Headers(request) }, etag);
      assertEquals(status, expected, `${id} ${method}`);
    }
    if (strongMatch === undefined) return;
    assertEquals(weakMatch, notModified, id);
    const headers = new Headers({ "If-Match": request["if-none-match"] ?? "" });
    const status = checkPreconditions({ method: "PUT", headers }, etag);
    assertEquals(status, strongMatch ? undefined : 412, id);
  },
});

testVectors<ConditionalCase>({
  file: FILE,
  skip: (test) => isOfDates(test) ? undefined : "have an entity tag or nothing",
  /** The date is not looked at, whether the file has an entity tag or not. */
  run({ id, request, notModified }) {
    const headers = new Headers(request);
    for (const etag of ['"a"', undefined]) {
      assertEquals(checkPreconditions({ method: "GET", headers }, etag), undefined, id);
    }
    assertEquals(notModified, false, `${id}: the library sends the whole as well`);
  },
});
