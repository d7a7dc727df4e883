/**
 * The sign-in page: a form, without script, that returns to where the browser came from.
 *
 * @module
 */

import { type AuthRuntime, redirect, type RouteRequest, safeRedirectPath } from "@gatehouse/http";

/** Shows the form. */
export function signInPage(): Response {
  return new Response(PAGE, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** Signs the user in. Forms of other sites are rejected. */
export async function signIn(
  runtime: AuthRuntime,
  req: RouteRequest & { readonly content: FormData },
  args: readonly unknown[],
): Promise<Response> {
  const [identifier, password] = ["name", "password"].map((name) => `${req.content.get(name)}`);
  const credentials = { identifier: identifier ?? "", password: password ?? "" };
  const verified = await runtime.passwords.verify(credentials, runtime.client(req, ...args));
  await runtime.signIn(req, verified);
  return redirect(safeRedirectPath(new URL(req.raw.url).searchParams.get("next")), 303);
}

/** Without an action, the form is sent to the page's own address, which has `next`. */
const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>Sign in</title>
  <form method="post" enctype="multipart/form-data">
    <label>Name <input name="name" autocomplete="username"></label>
    <label>Password <input name="password" type="password" autocomplete="current-password"></label>
    <button>Sign in</button>
  </form>
</html>
`;
