import { AuthError, type AuthErrorCode, createRouter, withAuthErrors } from "@gatehouse/http";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { askToSignIn, problemPage } from "../../examples/notes/pages/refusal.ts";

/** A router whose paths are the codes of the errors that they throw. */
const ROUTER = createRouter({
  catch: withAuthErrors(askToSignIn),
  finally: [problemPage],
  onError: () => {},
})
  .get("/", () => refuse("session_expired"))
  .get("/broken", () => {
    throw new Error("The database is gone");
  })
  .get("/:code", (req) => refuse(req.params.code as AuthErrorCode));

/** The page heading or redirect target of each error, by path. */
const SHOWN: readonly (readonly [path: string, status: number, shown: string])[] = [
  ["/access_denied", 403, "This is not yours"],
  ["/invalid_identifier", 400, "This does not work"],
  ["/throttled", 429, "This does not work"],
  ["/broken", 500, "The service can't answer now"],
  ["/service_unavailable", 503, "The service can't answer now"],
  ["/unauthenticated", 303, "/sign-in?next=%2Funauthenticated"],
  ["/session_expired?a=b", 303, "/sign-in?next=%2Fsession_expired%3Fa%3Db&ended=1"],
  ["/", 303, "/sign-in?ended=1"],
  ["/unauthenticated?q=http://x/session_expired", 303, "/sign-in"],
];
/** `Accept` of requests for a page. */
const PAGES = [
  "text/html",
  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "application/xhtml+xml, text/html;q=0.9",
  "application/xhtml+xml,TEXT/HTML",
];

for (const [path, status, shown] of SHOWN) {
  Deno.test(`askToSignIn() and problemPage() respond to ${path} with ${shown}`, async () => {
    for (const Accept of PAGES) {
      const response = await ROUTER.request(path, { headers: { Accept } });
      const text = await response.text();
      assertEquals(response.status, status, Accept);
      if (status === 303) assertEquals(response.headers.get("Location"), shown);
      else assertStringIncludes(text, `<h1>${shown.replace("'", "&#39;")}</h1>`);
    }
  });
}

/** `Accept` of other requests. */
const PROGRAMS = ["", "*/*", "application/json", "text/htmlx", "x-text/html", "text/*"];

for (const Accept of PROGRAMS) {
  Deno.test(`problemPage() responds with problem+json to Accept ${JSON.stringify(Accept)}`, async () => {
    for (const path of ["/access_denied", "/broken", "/unauthenticated"]) {
      const response = await ROUTER.request(path, { headers: { Accept } });
      await response.body?.cancel();
      assertEquals(response.headers.get("Content-Type"), "application/problem+json");
    }
  });
}

function refuse(code: AuthErrorCode): never {
  throw new AuthError(code);
}
