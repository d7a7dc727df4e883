/** The error class: the status of each code, and the response. */

import { assert, assertEquals, assertFalse, assertInstanceOf, assertThrows } from "@std/assert";
import { createRouter } from "../../mod.ts";
import { AuthError, type AuthErrorCode, type AuthErrorOptions } from "../../auth/error.ts";

const SECRET = "s3cr3t";

/** A new code does not compile until its status is added here. */
const STATUSES: Readonly<Record<AuthErrorCode, number>> = {
  access_denied: 403,
  csrf_failed: 403,
  identifier_unavailable: 409,
  identity_taken: 409,
  identity_unknown: 403,
  oauth_failed: 400,
  insufficient_scope: 403,
  invalid_credentials: 401,
  invalid_refresh_token: 401,
  invalid_token: 401,
  token_expired: 401,
  too_many_keys: 409,
  session_ambiguous: 401,
  wrong_password: 422,
  credential_unknown: 401,
  insufficient_authentication: 401,
  invalid_challenge: 400,
  last_way_in: 409,
  too_many_credentials: 409,
  webauthn_failed: 400,
  invalid_identifier: 400,
  service_unavailable: 503,
  session_expired: 401,
  throttled: 429,
  unauthenticated: 401,
  weak_password: 422,
  email_missing: 409,
  email_taken: 409,
  email_unverified: 403,
  invalid_code: 401,
  invalid_link: 400,
  invalid_second_factor: 401,
  mfa_expired: 401,
  mfa_required: 401,
};
const CODES = Object.keys(STATUSES) as AuthErrorCode[];

/** All options, with the secret in every member that must not be sent. */
const LOUD: AuthErrorOptions = {
  reason: `reason ${SECRET}`,
  cause: new Error(`cause ${SECRET}`),
  detail: "Something for everybody",
  violations: [{ in: "body", pointer: "/password", code: "too_short", message: "Too short" }],
  headers: { "Retry-After": "30" },
};

/** The router's response if a handler throws an error. */
async function answer(error: unknown): Promise<Response> {
  const router = createRouter({ onError: () => {} }).get("/", () => {
    throw error;
  });
  return await router.request("/");
}

for (const code of CODES) {
  Deno.test(`AuthError ${code} has status ${STATUSES[code]}, thrown or rendered`, async () => {
    const error = new AuthError(code);
    assertInstanceOf(error, Error);
    assertEquals([error.name, error.code, error.status], ["AuthError", code, STATUSES[code]]);
    assertEquals(error.message, code);
    const response = await answer(error);
    assertEquals(response.status, STATUSES[code]);
    assertEquals(response.headers.get("Content-Type"), "application/problem+json");
    const body = await response.json();
    assertEquals(Object.keys(body).sort(), ["code", "status", "title", "type"]);
    assertEquals([body.code, body.status], [code, STATUSES[code]]);
  });

  Deno.test(`AuthError ${code} is sent with its headers, detail and violations, and nothing else`, async () => {
    const response = await answer(new AuthError(code, LOUD));
    assertEquals(response.headers.get("Retry-After"), "30");
    const text = await response.text();
    const { detail, violations, ...others } = JSON.parse(text);
    assertEquals(detail, LOUD.detail);
    assertEquals(violations, LOUD.violations);
    assertEquals(Object.keys(others).sort(), ["code", "status", "title", "type"]);
    const sent = text + JSON.stringify([...response.headers]);
    assertFalse(sent.includes(SECRET));
    assertFalse(sent.includes("error_test.ts"), "The stack was sent");
  });
}

for (const code of CODES) {
  const challenge = STATUSES[code] === 401 ? "Session" : null;
  Deno.test(`AuthError ${code} ${challenge === null ? "has no challenge" : "has a challenge, RFC 9110 §15.5.2"}`, async () => {
    const options: readonly AuthErrorOptions[] = [{}, { headers: {} }, LOUD];
    for (const given of options) {
      const error = new AuthError(code, given);
      assertEquals((await answer(error)).headers.get("WWW-Authenticate"), challenge);
      assertEquals(new Headers(error.headers).get("WWW-Authenticate"), challenge);
    }
  });
}

for (const name of ["WWW-Authenticate", "www-authenticate", "Www-Authenticate"]) {
  Deno.test(`AuthError 401 keeps the challenge of its header ${name}`, async () => {
    const headers = { [name]: 'Bearer realm="api"', "Retry-After": "30" };
    const error = new AuthError("unauthenticated", { headers });
    const response = await answer(error);
    assertEquals(response.headers.get("WWW-Authenticate"), 'Bearer realm="api"');
    assertEquals(response.headers.get("Retry-After"), "30");
    assertEquals(new Headers(error.headers).get("WWW-Authenticate"), 'Bearer realm="api"');
    assertEquals((await answer(new AuthError("access_denied", { headers }))).status, 403);
  });
}

Deno.test("AuthError has a strategy's own code for unauthenticated, and ignores it for other codes", () => {
  const code = "invalid_api_key";
  assertEquals(new AuthError("unauthenticated", { code }).code, code);
  for (const own of ["access_denied", "session_expired", "throttled"] as const) {
    assertEquals(new AuthError(own, { code }).code, own);
  }
});

Deno.test("AuthError keeps its reason and cause for logs", () => {
  const error = new AuthError("invalid_credentials", LOUD);
  assertEquals(error.reason, LOUD.reason);
  assertEquals(error.cause, LOUD.cause);
  assertEquals(error.message, LOUD.detail);
  assertEquals(new AuthError("throttled").reason, undefined);
  assertFalse("cause" in new AuthError("throttled"));
});

Deno.test("AuthError as JSON, spread or copied contains no reason, cause or stack", () => {
  const error = new AuthError("invalid_credentials", LOUD);
  for (const copy of [error, { ...error }, Object.assign({}, error), Object.entries(error)]) {
    const text = JSON.stringify(copy);
    assertFalse(text.includes(SECRET), text);
    assertFalse(text.includes("error_test.ts"), text);
  }
});

Deno.test("AuthErrors of one code are equal as JSON for every reason", () => {
  const [a, b] = ["user_unknown", "password_wrong"].map((reason) =>
    JSON.stringify(new AuthError("invalid_credentials", { reason }))
  );
  assertEquals(a, b);
});

Deno.test("AuthError responses of one code are identical for every reason", async () => {
  const sent = await Promise.all(
    ["user_unknown", "password_wrong", undefined].map(async (reason) => {
      const options = reason === undefined ? {} : { reason };
      const response = await answer(new AuthError("invalid_credentials", options));
      return JSON.stringify([response.status, [...response.headers], await response.text()]);
    }),
  );
  assertEquals(new Set(sent).size, 1);
});

for (
  const code of [
    "nope",
    "",
    "constructor",
    "__proto__",
    "toString",
    "Throttled",
    "throttled ",
    undefined,
    null,
    401,
    ["throttled"],
    {},
  ]
) {
  Deno.test(`AuthError rejects ${JSON.stringify(code)} as a code`, async () => {
    const error = assertThrows(() => new AuthError(code as AuthErrorCode), TypeError);
    assertEquals((await answer(error)).status, 500);
  });
}

Deno.test("AuthError copies its header fields", async () => {
  const headers = { "Retry-After": "1" };
  const error = new AuthError("throttled", { headers });
  headers["Retry-After"] = "2";
  assertEquals((await answer(error)).headers.get("Retry-After"), "1");
});

Deno.test("AuthError can be thrown twice, with the same response", async () => {
  const error = new AuthError("throttled", LOUD);
  const [first, second] = [await (await answer(error)).text(), await (await answer(error)).text()];
  assertEquals(first, second);
});

Deno.test("An error that only looks like an AuthError is a 500 without details", async () => {
  const lookalike = Object.assign(new Error(SECRET), {
    name: "AuthError",
    code: "access_denied",
    status: 403,
    problem: { headers: {}, detail: SECRET },
    "gatehouse.problem": true,
  });
  const response = await answer(lookalike);
  assertEquals(response.status, 500);
  assertFalse((await response.text()).includes(SECRET));
});

Deno.test("AuthError is marked by a symbol that is not enumerable", () => {
  const error = new AuthError("throttled");
  const listed = Reflect.ownKeys(error).filter((key) =>
    Object.getOwnPropertyDescriptor(error, key)?.enumerable
  );
  assert(listed.every((key) => typeof key === "string"));
});
