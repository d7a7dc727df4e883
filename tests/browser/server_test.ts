/** The authorization server in a browser: Notes signs in with Notes ID, its consent page, tabs, the back button, and grants. */

import { assert, assertEquals } from "@std/assert";
import { answer, leaveForId, notesIdTest, signInAtId } from "./_notes_id.ts";
import { arriveAs, PASSWORD } from "./_notes.ts";
import type { Page } from "./_playwright.ts";
import { goBack } from "./_steps.ts";

const ADA = "ada@example.com";

/** What a page shows, without line breaks. */
async function textOf(page: Page): Promise<string> {
  return (await page.locator("main").innerText()).replace(/\s+/g, " ");
}

notesIdTest(
  "Notes signs in with Notes ID, whose consent page says to whom and where the user is sent",
  async ({ notes, id, context, open }) => {
    const page = await open(notes);
    await leaveForId(page, "/sessions");
    await signInAtId(page);
    await page.waitForURL((url) => url.origin === id && url.pathname === "/oauth/authorize");
    const { host } = new URL(notes);
    assertEquals(
      await textOf(page),
      "Allow access? Notes wants to access your account You are signed in as ada@example.com " +
        "It will be able to: Know who you are See your name " +
        `See your e-mail address You will be sent to ${host} ` +
        "This is a program on your device, and any program there can pretend to be Notes. " +
        "Allow access only if you have just started to sign in with it. Cancel Allow",
    );
    const active = "document.querySelectorAll('script, [onclick], [onsubmit], link, img').length";
    assertEquals(await page.evaluate(active), 0);

    await answer(page, "Allow");
    await arriveAs(page, ADA, "/sessions");
    const cookies = await context.cookies();
    const names = cookies.map(({ name }) => name.replace(/^(__Host-ax-)[\w-]{8}$/, "$1…")).sort();
    assertEquals(names, [
      "__Host-ax-…",
      "__Host-csrf",
      "__Host-id-csrf",
      "__Host-id-dev",
      "__Host-id-sid",
      "__Host-presid",
      "__Host-sid",
    ]);
  },
);

notesIdTest("All pages of Notes ID work without JavaScript", async ({ notes, id, another }) => {
  const context = await another({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(notes);
  await leaveForId(page);
  await signInAtId(page);
  await answer(page, "Allow");
  await page.waitForURL(`${notes}/`);
  await page.getByText(`Signed in as ${ADA}`).waitFor();
  await page.goto(id);
  await page.getByRole("button", { name: "Revoke the access of Notes" }).click();
  await page.getByText("There are none.").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${id}/sign-in`);
});

notesIdTest(
  "A user who refuses reads it on the notes' page, and can begin again",
  async ({ notes, open }) => {
    const page = await open(notes);
    await leaveForId(page);
    await signInAtId(page);
    await answer(page, "Cancel");
    await page.waitForURL(`${notes}/sign-in?error=access_denied`);
    const message = page.locator("#account .message");
    await message.waitFor();
    assert((await message.innerText()).length > 10);
    await page.getByRole("link", { name: "Sign in with Notes ID" }).click();
    await answer(page, "Allow");
    await arriveAs(page, ADA);
  },
);

notesIdTest(
  "The back button after consent leads to an error page that says what to do",
  async ({ notes, open }) => {
    const page = await open(notes);
    await leaveForId(page);
    await signInAtId(page);
    await answer(page, "Allow");
    await arriveAs(page, ADA);
    await goBack(page);
    await page.getByText("interaction_unknown").waitFor();
    assertEquals(
      await textOf(page),
      "Something went wrong Your request could not be completed. Go back to the application that sent you here and try " +
        "again. interaction_unknown",
    );
    await page.goto(notes);
    await arriveAs(page, ADA);
  },
  { errors: [/status of 404/] },
);

notesIdTest(
  "Consent that is repeated after the back button is of no use to the notes, which say so",
  async ({ notes, id, open }) => {
    const page = await open(`${id}/sign-in?reason=signed_out`);
    await signInAtId(page);
    await page.waitForURL(`${id}/`);
    await page.goto(notes);
    await leaveForId(page);
    await answer(page, "Allow"); // the page came without a redirect, so that its address is the client's whole request
    await arriveAs(page, ADA);
    await goBack(page);
    await answer(page, "Allow");
    await page.waitForURL((url) => url.pathname === "/linked-accounts");
    const message = page.locator("main > .message");
    await message.waitFor();
    assert((await message.innerText()).startsWith("Signing in there did not work."));
  },
);

for (const order of [[0, 1], [1, 0]] as const) {
  notesIdTest(
    `Two tabs sign in at once, and consent in the order ${order.map((tab) => tab + 1).join()}`,
    async ({ notes, open }) => {
      const tabs = [await open(notes), await open(notes)] as const;
      for (const [tab, page] of tabs.entries()) {
        await leaveForId(page, ["/sessions", "/developer"][tab]);
      }
      for (const page of tabs) await signInAtId(page);
      for (const tab of order) {
        await answer(tabs[tab], "Allow");
        await arriveAs(tabs[tab], ADA, ["/sessions", "/developer"][tab]);
      }
    },
  );
}

notesIdTest(
  "A consent page that was open when somebody else signed in grants nothing",
  async ({ notes, id, open }) => {
    const page = await open(notes);
    await leaveForId(page);
    await signInAtId(page);
    await page.waitForURL((url) => url.pathname === "/oauth/authorize");
    const other = await open(id);
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.goto(`${id}/sign-in?reason=signed_out`);
    await signInAtId(other, "charles");
    await other.waitForURL(`${id}/`);
    await answer(page, "Allow");
    await page.getByText("consent_forged").waitFor();
    await other.reload();
    await other.getByText("There are none.").waitFor();
  },
  { errors: [/status of 403/] },
);

notesIdTest(
  "The page of linked accounts links an account at Notes ID, which signs in from then on",
  async ({ notes, id, open }) => {
    const page = await open(`${notes}/register?next=/linked-accounts`);
    await page.getByLabel("E-mail address or name").fill("countess");
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Register", exact: true }).click();
    await arriveAs(page, "countess", "/linked-accounts");
    await page.getByRole("button", { name: "Link Notes ID" }).click();
    await signInAtId(page);
    await answer(page, "Allow");
    await page.waitForURL(`${notes}/linked-accounts`);
    await page.getByText(ADA).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${notes}/`);
    await leaveForId(page);
    await page.waitForURL((url) => url.origin === id);
    await answer(page, "Allow");
    await arriveAs(page, "countess");
  },
);

notesIdTest(
  "The page of applications lists who has access to what, and revokes it",
  async ({ notes, id, open }) => {
    const page = await open(notes);
    await leaveForId(page);
    await signInAtId(page);
    await answer(page, "Allow");
    await arriveAs(page, ADA);
    await page.goto(`${notes}/linked-accounts`);
    await page.getByRole("link", { name: "Manage at Notes ID" }).click();
    await page.waitForURL(`${id}/`);
    const text = (await textOf(page)).replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "<time>");
    assertEquals(
      text,
      "Applications with access to your account You are signed in as ada@example.com Notes Know who you are See your name See your e-mail address " +
        "Has access since <time> UTC Revoke",
    );
    await page.getByRole("button", { name: "Revoke the access of Notes" }).click();
    await page.getByText("There are none.").waitFor();

    await page.goto(notes);
    await arriveAs(page, ADA); // until the session ends
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Register" }).first().waitFor();
    await leaveForId(page);
    await answer(page, "Allow"); // asked again
    await arriveAs(page, ADA);
  },
);

notesIdTest(
  "A page of another origin frames neither the consent page nor those of Notes ID",
  async ({ notes, id, open }) => {
    const page = await open(notes);
    await leaveForId(page);
    await signInAtId(page);
    await page.waitForURL((url) => url.pathname === "/oauth/authorize");
    const framed = [page.url(), `${id}/`, `${id}/sign-in?reason=prompt`];
    const markup = framed.map((url) => `<iframe src="${url.replaceAll("&", "&amp;")}"></iframe>`);
    const attacker = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response(markup.join(""), { headers: { "Content-Type": "text/html" } }),
    );
    try {
      const origin = `http://localhost:${attacker.addr.port}`; // the same site, so that cookies go with the requests
      const trap = await open(origin);
      assertEquals(trap.frames().length, 1 + framed.length);
      for (const frame of trap.frames().slice(1)) {
        assertEquals(frame.url(), "chrome-error://chromewebdata/");
        assertEquals(await frame.locator("form, button").count(), 0);
      }
    } finally {
      await attacker.shutdown();
    }
  },
  { errors: [/[Ff]ram(?:e|ing)/] },
);
