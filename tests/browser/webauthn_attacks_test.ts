/** Passkeys among other sites: what the browser refuses, and what the application does. */

import { assert, assertEquals } from "@std/assert";
import { addAuthenticator, type Authenticator } from "./_authenticator.ts";
import type { Page } from "./_playwright.ts";
import {
  APP,
  type Kind,
  optionsFor,
  type OptionsJson,
  run,
  type SitesScene,
  sitesTest,
  verify,
} from "./_sites.ts";

/** In this order, since a created passkey would be the next one that is used. */
const KINDS: readonly Kind[] = ["get", "create"];

/** Ids of the relying party that a page asks for, and where: the browser does not go along. */
const FOREIGN: readonly (readonly [why: string, url: string, rpId: string])[] = [
  ["a page of another site with the application's", "https://evil.example/", "app.example"],
  ["a page whose name ends alike", "https://evil-app.example/", "app.example"],
  ["a page with that of all sites", `${APP}/`, "example"],
  ["a page with that of a host below", `${APP}/`, "login.app.example"],
  ["a page with another site's", `${APP}/`, "evil.example"],
  ["a page at an address", "https://127.0.0.1/", "127.0.0.1"],
];
for (const [why, url, rpId] of FOREIGN) {
  sitesTest(`Chromium refuses ${why}`, {}, async (scene) => {
    const own = await scene.openAs("alice");
    const page = await scene.open(url);
    const { credentials } = await addAuthenticator(page);
    for (const kind of KINDS) {
      const options = withRpId(await optionsFor(own, kind), rpId);
      assertEquals(await run(page, kind, options), { error: "SecurityError" });
    }
    assertEquals(await credentials(), []);
  });
}

/** Where a ceremony is run with options of the user's own page, and why its result is refused there. */
const RELAYED: readonly (readonly [
  why: string,
  url: string,
  rpId: string,
  origins: readonly string[],
  reason: string,
])[] = [
  [
    "a sibling host with the application's rpId",
    "https://evil.app.example/",
    "app.example",
    [APP],
    "origin_unexpected",
  ],
  [
    "another site with its own rpId",
    "https://evil.example/",
    "evil.example",
    [APP],
    "origin_unexpected",
  ],
  [
    "an own host with another rpId",
    "https://login.app.example/",
    "login.app.example",
    [APP, "https://login.app.example"],
    "rp_id_mismatch",
  ],
];
for (const [why, url, rpId, origins, reason] of RELAYED) {
  sitesTest(
    `registerAuth() refuses passkeys that were relayed from ${why}`,
    { origins },
    async (scene) => {
      const { own, authenticator } = await openWithPasskey(scene, "alice");
      const page = await scene.open(url);
      const theirs = await addAuthenticator(page);
      for (const passkey of await authenticator.credentials()) {
        await theirs.add({ ...passkey, rpId });
      }
      for (const kind of KINDS) {
        const options = withRpId(await optionsFor(own, kind), rpId);
        const outcome = await run(
          page,
          kind,
          { ...options, excludeCredentials: [] } as OptionsJson,
        );
        assert("id" in outcome, JSON.stringify(outcome));
        const { status } = await verify(own, kind, outcome);
        assertEquals(status, kind === "create" ? 400 : 401);
      }
      assertEquals(scene.reasons(), [reason, reason]);
    },
  );
}

const PARTNER = "https://partner.example";
const PERMITTED = "publickey-credentials-create *; publickey-credentials-get *";

/** Pages that frame the application's page, and what comes of both ceremonies in the frame. */
const FRAMES: readonly (readonly [
  why: string,
  top: string,
  topOrigins: readonly string[] | undefined,
  reason: string | undefined,
])[] = [
  ["of any site without topOrigins", PARTNER, undefined, "cross_origin"],
  ["of a sibling host without topOrigins", "https://www.app.example", undefined, "cross_origin"],
  ["of a site that is not listed", "https://evil.example", [PARTNER], "top_origin_unexpected"],
  ["of a listed site", PARTNER, [PARTNER], undefined],
];
for (const [why, top, topOrigins, reason] of FRAMES) {
  const verb = reason === undefined ? "accepts" : "refuses";
  sitesTest(`registerAuth() ${verb} passkeys in a frame ${why}`, { topOrigins }, async (scene) => {
    const { own, authenticator } = await openWithPasskey(scene, "alice");
    const { frame, key } = await openFrame(scene, top, PERMITTED);
    for (const passkey of await authenticator.credentials()) await key.add(passkey);
    for (const kind of KINDS) {
      const options = await optionsFor(own, kind);
      const outcome = await run(frame, kind, { ...options, excludeCredentials: [] } as OptionsJson);
      assert("id" in outcome, JSON.stringify(outcome));
      const { status } = await verify(own, kind, outcome);
      const accepted = kind === "create" ? 201 : 200;
      assertEquals(status, reason === undefined ? accepted : kind === "create" ? 400 : 401);
    }
    assertEquals(scene.reasons(), reason === undefined ? [] : [reason, reason]);
  });
}

sitesTest("Chromium refuses a frame that its page permits nothing", {}, async (scene) => {
  const own = await scene.openAs("alice");
  const { frame } = await openFrame(scene, PARTNER, "");
  for (const kind of KINDS) {
    const outcome = await run(frame, kind, await optionsFor(own, kind));
    assertEquals(outcome, { error: "NotAllowedError" });
  }
});

const RELATED = "https://app.test";

sitesTest(
  "relatedOriginsHandler() lets Chromium use passkeys at another domain of the application",
  { origins: [APP, RELATED] },
  async (scene) => {
    const { authenticator } = await openWithPasskey(scene, "alice");
    const page = await scene.open(`${RELATED}/`); // without a session there: its cookies are of the other domain
    const theirs = await addAuthenticator(page);
    for (const passkey of await authenticator.credentials()) await theirs.add(passkey);
    const signedIn = await verify(
      page,
      "get",
      await run(page, "get", await optionsFor(page, "get")),
    );
    assertEquals([signedIn.status, signedIn.body?.user?.identifier], [200, "alice"]);
    await theirs.detach();
    await addAuthenticator(page);
    const created = await run(page, "create", await optionsFor(page, "create"));
    assertEquals((await verify(page, "create", created)).status, 201);
  },
);

sitesTest(
  "relatedOriginsHandler() lets Chromium use no passkeys at a domain that is not listed",
  { origins: [APP, RELATED] },
  async (scene) => {
    const { own, authenticator } = await openWithPasskey(scene, "alice");
    const page = await scene.open("https://evil.test/");
    const theirs = await addAuthenticator(page);
    for (const passkey of await authenticator.credentials()) await theirs.add(passkey);
    for (const kind of KINDS) {
      const outcome = await run(page, kind, await optionsFor(own, kind));
      assertEquals(outcome, { error: "SecurityError" });
    }
  },
);

sitesTest("registerAuth() works with @simplewebauthn/browser", {}, async (scene) => {
  const own = await scene.openAs("alice");
  await addAuthenticator(own);
  for (const kind of KINDS.toReversed()) {
    const optionsJSON = JSON.stringify(await optionsFor(own, kind));
    const name = kind === "create" ? "startRegistration" : "startAuthentication";
    const response = await own.evaluate<{ id: string }>(
      `import("/simplewebauthn/index.js").then((client) => client.${name}({ optionsJSON: ${optionsJSON} }))`,
    );
    assertEquals((await verify(own, kind, response)).status, kind === "create" ? 201 : 200);
  }
  assertEquals(scene.reasons(), []);
});

/** Opens the application's page as somebody with a passkey. */
async function openWithPasskey(
  { openAs }: SitesScene,
  identifier: string,
): Promise<{ own: Page; authenticator: Authenticator }> {
  const own = await openAs(identifier);
  const authenticator = await addAuthenticator(own);
  const outcome = await run(own, "create", await optionsFor(own, "create"));
  assertEquals((await verify(own, "create", outcome)).status, 201);
  return { own, authenticator };
}

/** Opens a page with the application's page in a frame. */
async function openFrame({ open }: SitesScene, top: string, allow: string) {
  const page = await open(`${top}/?${new URLSearchParams({ frame: `${APP}/`, allow })}`);
  const key = await addAuthenticator(page);
  const frame = page.frames().find((one) => one.url().startsWith(APP));
  assert(frame !== undefined, "the page has no frame");
  return { frame, key };
}

function withRpId(options: OptionsJson, rpId: string): OptionsJson {
  return options.rp === undefined
    ? { ...options, rpId }
    : { ...options, rp: { ...options.rp, id: rpId } };
}
