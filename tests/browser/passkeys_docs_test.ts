/** The scripts of docs/passkeys.md run in a browser as they are written. */

import {
  createContainer,
  generateSecret,
  inMemoryAuthStores,
  type PasskeyRuntime,
  pbkdf2Hasher,
  registerAuth,
  routerBuilder,
} from "../../mod.ts";
import { assertEquals, assertExists } from "@std/assert";
import { addAuthenticator, type Authenticator } from "./_authenticator.ts";
import { windowTest } from "./_windows.ts";

const CREDENTIALS = { identifier: "ada", password: "lovelace wrote notes" };
const MARKUP = `<!DOCTYPE html><title>Docs</title><link rel="icon" href="data:,">
  <input autocomplete="username webauthn">`;

/** The page's functions, and what it does after a change. */
const [FUNCTIONS = "", SIGNALS = ""] = [
  ...Deno.readTextFileSync(new URL("../../docs/passkeys.md", import.meta.url))
    .matchAll(/^```js ignore\n(.*?)^```$/gms),
].map(([, script]) => script);

/** What the tests do besides. */
const HELPERS = `
  async function send(path, body) {
    const { csrfToken, header } = await (await fetch("/auth/csrf")).json();
    const headers = { "Content-Type": "application/json", [header]: csrfToken };
    await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  }
`;

interface DocsScene {
  readonly authenticator: Authenticator;
  readonly runtime: PasskeyRuntime;
  /** Runs a script after the functions of the docs. */
  run<Result>(script: string): Promise<Result>;
}

/** Registers a test with an application and a page of its own, in which nobody is signed in. */
function docsTest(name: string, fn: (scene: DocsScene) => Promise<void>): void {
  windowTest(`docs/passkeys.md: ${name}`, async (useWindows) => {
    const stop = new AbortController();
    let answer: Deno.ServeHandler = () => new Response();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, signal: stop.signal, onListen: () => {} },
      (request, info) => answer(request, info),
    );
    try {
      const origin = `http://localhost:${server.addr.port}`;
      const runtime = createRuntime(origin);
      answer = routerBuilder()
        .withAuth(runtime.integration({ routes: { registration: "open" } })).build()
        .get("/", () => page(), { auth: false })
        .fetch;
      await useWindows(async (open) => {
        const page = await (await open()).newPage();
        await page.goto(origin);
        const authenticator = await addAuthenticator(page);
        const run = <Result>(script: string) =>
          page.evaluate<Result>(`(async () => { ${FUNCTIONS}\n${HELPERS}\n${script} })()`);
        await fn({ authenticator, runtime, run });
      });
    } finally {
      stop.abort();
      await server.finished;
    }
  });
}

function createRuntime(origin: string): PasskeyRuntime {
  return registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    deployment: "direct",
    container: createContainer(),
    hasher: pbkdf2Hasher({ iterations: 1_000 }),
    webauthn: { rpId: "localhost", rpName: "Docs", origins: [origin], signUp: true },
  });
}

function page(): Response {
  return new Response(MARKUP, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** The only account, and its passkeys. */
async function accountOf({ runtime }: DocsScene): Promise<{ sub: string; passkeys: string[] }> {
  const account = await runtime.users.findByIdentifier("ada");
  assertExists(account);
  const { credentials } = await runtime.webauthn.list(account.sub);
  return { sub: account.sub, passkeys: credentials.map(({ id }) => id) };
}

async function sessionsOf({ runtime }: DocsScene, sub: string): Promise<number> {
  return (await runtime.sessions.list(sub)).length;
}

docsTest("createPasskey() signs up, and signIn() signs in", async (scene) => {
  await scene.run(`await createPasskey({ identifier: "ada" });`);
  const { sub, passkeys } = await accountOf(scene);
  assertEquals([passkeys.length, await sessionsOf(scene, sub)], [1, 1]);
  await scene.run(`await send("/auth/logout");`);
  assertEquals(await sessionsOf(scene, sub), 0);
  await scene.run(`await signIn();`);
  assertEquals(await sessionsOf(scene, sub), 1);
});

docsTest("autofill() signs in with the passkey that the user selects", async (scene) => {
  await scene.run(`
    await createPasskey({ identifier: "ada" });
    await send("/auth/logout");
    await autofill(new AbortController().signal);
  `);
  assertEquals(await sessionsOf(scene, (await accountOf(scene)).sub), 1);
});

docsTest("autofill() renews the challenge, and ends when it is aborted", async (scene) => {
  await scene.authenticator.setPresent(false);
  const outcome = await scene.run(`
    const { get } = navigator.credentials;
    const { timeout } = AbortSignal;
    const challenges = new Set();
    const stop = new AbortController();
    AbortSignal.timeout = () => timeout(100); // as if 4.5 minutes had passed
    navigator.credentials.get = (request) => {
      challenges.add(new Uint8Array(request.publicKey.challenge).join());
      if (challenges.size === 3) stop.abort();
      return get.call(navigator.credentials, request);
    };
    const ended = await autofill(stop.signal).then(() => "signed in", ({ name }) => name);
    return [ended, challenges.size];
  `);
  assertEquals(outcome, ["AbortError", 3]);
});

docsTest("upgrade() adds a passkey after a sign-in with a password", async (scene) => {
  await scene.runtime.passwords.createUser(CREDENTIALS);
  // A virtual authenticator does not answer requests without a dialog: it gets one with a dialog instead
  await scene.run(`
    await send("/auth/login", ${JSON.stringify(CREDENTIALS)});
    const { create } = navigator.credentials;
    navigator.credentials.create = async ({ publicKey, mediation }) => {
      if (mediation !== "conditional") throw new Error("a dialog");
      return await create.call(navigator.credentials, { publicKey });
    };
    PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
    await upgrade();
  `);
  assertEquals((await accountOf(scene)).passkeys.length, 1);
});

docsTest("the signals make the browser delete a passkey that was removed", async (scene) => {
  await scene.run(`
    await createPasskey({ identifier: "ada" });
    await send("/auth/logout");
  `);
  const { sub } = await accountOf(scene);
  await scene.runtime.passwords.reset(sub, CREDENTIALS.password); // which removes the passkeys
  assertEquals((await scene.authenticator.credentials()).length, 1);
  await scene.run(`
    await send("/auth/login", ${JSON.stringify(CREDENTIALS)});
    ${SIGNALS}
  `);
  assertEquals((await scene.authenticator.credentials()).length, 0);
});
