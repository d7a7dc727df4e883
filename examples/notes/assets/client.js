// Sends what people do on the pages. What changes something carries the token of GET /auth/csrf.

/** The result of the request for a CSRF token, if it was sent. */
let token;

/**
 * Sends a request. It is repeated once with a new token if the token is rejected: its session may have ended in another tab.
 *
 * @param {"POST" | "DELETE"} method
 * @param {string} path
 * @param {unknown} [body] Becomes JSON.
 * @returns {Promise<{ ok: true, content: unknown } | { ok: false, refusal: import("./messages.js").Refusal }>}
 */
export async function send(method, path, body) {
  try {
    const outcome = await sendOnce(method, path, body);
    if (outcome.ok || outcome.refusal.code !== "csrf_failed") return outcome;
    token = undefined;
    return await sendOnce(method, path, body);
  } catch {
    token = undefined;
    return { ok: false, refusal: { status: 0, code: "offline" } };
  }
}

async function sendOnce(method, path, body) {
  token ??= askForToken();
  const answer = await token;
  if (!answer.ok) {
    token = undefined;
    return answer;
  }
  const response = await fetch(path, {
    method,
    headers: {
      [answer.header]: answer.csrfToken,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) return { ok: false, refusal: await readRefusal(response) };
  const text = await response.text(); // empty after 202 and 204
  return { ok: true, content: text === "" ? undefined : JSON.parse(text) };
}

async function askForToken() {
  const response = await fetch("/auth/csrf");
  if (!response.ok) return { ok: false, refusal: await readRefusal(response) };
  const { csrfToken, header } = await response.json();
  return { ok: true, csrfToken, header };
}

/** Reads a problem, RFC 9457; other bodies get an unknown code. */
async function readRefusal(response) {
  const problem = await response.json().catch(() => ({}));
  const retryAfter = Number(response.headers.get("Retry-After") ?? NaN);
  return {
    status: response.status,
    code: typeof problem?.code === "string" ? problem.code : "unknown",
    retryAfter,
    violations: Array.isArray(problem?.violations) ? problem.violations : [],
  };
}
