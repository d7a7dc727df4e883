/** Registration, sign-in and sign-out of the notes service, by keyboard alone. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  arriveAs,
  fillIn,
  focused,
  notesTest,
  openPage,
  PASSWORD,
  signIn,
  tabTo,
} from "./_notes.ts";

/** What refusals leave in the console. */
const REFUSED = [/status of 4\d\d/];

notesTest("/register and /sign-in are used by keyboard alone", async ({ open, context }) => {
  const page = await open("/");
  await tabTo(page, "Register");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/register$/);
  await fillIn(page, "grace", PASSWORD);
  await page.keyboard.press("Enter");
  await arriveAs(page, "grace");

  await tabTo(page, "Sign out");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
  assertEquals(await sessionCookie(context), undefined);

  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sign-in$/);
  await fillIn(page, "grace", PASSWORD);
  await tabTo(page, "Show the password");
  await page.keyboard.press("Space");
  assertEquals(await page.getByLabel("Password", { exact: true }).getAttribute("type"), "text");
  await tabTo(page, "Keep me signed in on this browser");
  await page.keyboard.press("Space");
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await arriveAs(page, "grace");
  assert((await sessionCookie(context))?.expires !== -1, "nobody is kept signed in");
});

interface Refusal {
  readonly why: string;
  readonly path: "/register" | "/sign-in";
  readonly identifier: string;
  readonly password: string;
  /** Where the focus lands, and what stands there: at a field, or in the message of the whole form. */
  readonly at: "identifier" | "password" | "message";
  readonly text: RegExp;
}

const REFUSALS: readonly Refusal[] = [
  {
    why: "a password that is too short",
    path: "/register",
    identifier: "grace",
    password: "seven ducks",
    at: "password",
    text: /15/,
  },
  {
    why: "a password that is everybody's",
    path: "/register",
    identifier: "grace",
    password: "123456789012345678",
    at: "password",
    text: /[a-z].*\.$/,
  },
  {
    why: "a name that is taken",
    path: "/register",
    identifier: "ADA",
    password: PASSWORD,
    at: "identifier",
    text: /registered with this already/,
  },
  {
    why: "a name with spaces",
    path: "/register",
    identifier: "grace hopper",
    password: PASSWORD,
    at: "identifier",
    text: /without spaces/,
  },
  {
    why: "an empty form",
    path: "/register",
    identifier: "",
    password: "",
    at: "identifier",
    text: /^Fill this in\.$/,
  },
  {
    why: "a wrong password",
    path: "/sign-in",
    identifier: "ada",
    password: "five quiet herons at dusk",
    at: "message",
    text: /^The name or the password is wrong\.$/,
  },
  {
    why: "somebody who is not there",
    path: "/sign-in",
    identifier: "grace",
    password: PASSWORD,
    at: "message",
    text: /^The name or the password is wrong\.$/,
  },
  {
    why: "a missing password",
    path: "/sign-in",
    identifier: "ada",
    password: "",
    at: "password",
    text: /^Fill this in\.$/,
  },
];

for (const { why, path, identifier, password, at, text } of REFUSALS) {
  notesTest(`${path} says what is wrong with ${why}`, async ({ open, context }) => {
    const page = await open(path);
    await fillIn(page, identifier, password);
    await page.keyboard.press("Enter");
    const place = page.locator(
      `${at === "message" ? "form .message" : `#${at}-error`}:not(:empty)`,
    );
    assertMatch(await place.innerText(), text);

    const focus = await focused(page);
    assert(focus.shown && focus.onScreen, "nobody sees the focus");
    if (at === "message") assertEquals(focus.role, "alert");
    else {
      assertEquals(focus.id, at);
      const field = page.locator(`#${at}`);
      assertEquals(await field.getAttribute("aria-invalid"), "true");
      const described = await field.getAttribute("aria-describedby") ?? "";
      assert(described.split(" ").includes(`${at}-error`), "the text is not the field's");
    }
    assertEquals(await page.locator("#password").inputValue(), password);
    assertEquals(await sessionCookie(context), undefined);
  }, { errors: REFUSED });
}

notesTest("/register goes on once what was refused is corrected", async ({ open }) => {
  const page = await open("/register");
  await fillIn(page, "grace", "seven ducks");
  await page.keyboard.press("Enter");
  await page.locator("#password[aria-invalid=true]").waitFor();
  await fillIn(page, "grace", PASSWORD);
  await page.keyboard.press("Enter");
  await arriveAs(page, "grace");
}, { errors: REFUSED });

notesTest("/sign-in says when to come again after too many attempts", async ({ open }) => {
  const page = await open("/sign-in");
  await fillIn(page, "ada", "five quiet herons at dusk");
  const said = page.locator("form .message");
  for (let attempts = 0; attempts < 6; attempts++) {
    await page.keyboard.press("Enter");
    await page.locator("form[aria-busy=false] .message:focus").waitFor();
    if ((await said.innerText()).startsWith("Too many")) break;
    await tabTo(page, "Password");
  }
  assertMatch(await said.innerText(), /^Too many attempts\. Try again in (?:30|2\d) seconds\.$/);
  assertEquals((await focused(page)).role, "alert");
}, { errors: REFUSED });

notesTest("/sign-in says that the service does not answer", async ({ open, context }) => {
  const page = await open("/sign-in");
  await fillIn(page, "ada", PASSWORD);
  await context.setOffline(true);
  await page.keyboard.press("Enter");
  await page.getByText(/does not answer/).waitFor();
  assertEquals((await focused(page)).role, "alert");
  await context.setOffline(false);
  await tabTo(page, "Password");
  await page.keyboard.press("Enter");
  await arriveAs(page, "ada");
}, { errors: [/ERR_INTERNET_DISCONNECTED/] });

notesTest("/sign-in says that it needs scripts", async ({ another, origin }) => {
  const page = await openPage(await another({ javaScriptEnabled: false }), `${origin}/sign-in`);
  assertMatch(await page.locator("noscript .message").innerText(), /runs no JavaScript/);
  for (const name of ["Sign in", "Sign in with a passkey"]) {
    assert(await page.getByRole("button", { name, exact: true }).isDisabled());
  }
});

notesTest("/sign-in leads back to the page that asked for it", async ({ open, origin }) => {
  const page = await open("/sessions");
  assertEquals(new URL(page.url()).pathname, "/sign-in");
  await signIn(page, "ada", "/sessions");
  assertEquals(page.url(), `${origin}/sessions`);
});

const ELSEWHERE: readonly [why: string, next: string][] = [
  ["a host without a scheme", "//evil.localhost/"],
  ["a backslash", "/\\evil.localhost/"],
  ["a tab", "/\t/evil.localhost/"],
  ["another origin", "http://evil.localhost/"],
  ["a script", "javascript:document.body.append('evil')"],
  ["a path that climbs to a host", "/.//evil.localhost/"],
];

for (const [why, next] of ELSEWHERE) {
  notesTest(`/sign-in leads nowhere else: ${why}`, async ({ open, origin }) => {
    const page = await open(`/sign-in?${new URLSearchParams({ next })}`);
    await fillIn(page, "ada", PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname !== "/sign-in");
    assertEquals(new URL(page.url()).origin, origin);
    assertEquals(await page.getByText("evil").count(), 0);
  }, { errors: [/status of 404/] });
}

async function sessionCookie(context: Parameters<typeof openPage>[0]) {
  return (await context.cookies()).find(({ name }) => name === "__Host-sid");
}
