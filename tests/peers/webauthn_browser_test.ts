/** @simplewebauthn/browser as the page of our routes: it converts their JSON for the browser, and the browser's answer to JSON. */

import { assert, assertEquals } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { CreationOptionsJson, RequestOptionsJson } from "../../auth/webauthn/types.ts";
import { ask, bodyOf, createAuthenticator, createPasskeyApp } from "../auth/http/_passkeys.ts";
import type { Authenticator, ResponseJson } from "../auth/webauthn/_authenticator.ts";
import { browser } from "./_simplewebauthn.ts";

/** Options as `navigator.credentials` gets them: bytes instead of base64url. */
interface Converted {
  readonly publicKey: {
    readonly challenge: ArrayBuffer;
    readonly user: { readonly id: ArrayBuffer };
    readonly excludeCredentials?: readonly { readonly id: ArrayBuffer }[];
    readonly allowCredentials?: readonly { readonly id: ArrayBuffer }[];
  };
}

const named = ({ id, ...rest }: { readonly id: ArrayBuffer }) => ({ ...rest, id: toText(id) });

/** A browser whose authenticator is the software one. */
function credentialsOf(authenticator: Authenticator) {
  return {
    async create({ publicKey }: Converted) {
      const { challenge, user, excludeCredentials = [] } = publicKey;
      return toCredential(
        await authenticator.create({
          ...publicKey,
          ...{ challenge: toText(challenge), user: named(user) },
          excludeCredentials: excludeCredentials.map(named),
        } as unknown as CreationOptionsJson),
      );
    },
    async get({ publicKey }: Converted) {
      const { challenge, allowCredentials = [] } = publicKey;
      return toCredential(
        await authenticator.get({
          ...publicKey,
          ...{ challenge: toText(challenge), allowCredentials: allowCredentials.map(named) },
        } as unknown as RequestOptionsJson),
      );
    },
  };
}

/** A `PublicKeyCredential`, whose bytes are not text. */
function toCredential({ id, type, clientExtensionResults, response }: ResponseJson): unknown {
  const { transports, publicKeyAlgorithm, publicKey, ...binary } = response;
  const buffers = Object.fromEntries(
    Object.entries(binary).map(([name, text]) => [name, toBuffer(text)]),
  );
  return {
    ...{ id, type, rawId: toBuffer(id), authenticatorAttachment: "platform" },
    getClientExtensionResults: () => clientExtensionResults,
    response: {
      ...buffers,
      getTransports: () => transports,
      getPublicKeyAlgorithm: () => publicKeyAlgorithm,
      getPublicKey: () => toBuffer(publicKey),
      getAuthenticatorData: () => buffers["authenticatorData"],
    },
  };
}

function toBuffer(text: unknown): ArrayBuffer {
  return decodeBase64Url(String(text)).buffer;
}

function toText(buffer: ArrayBuffer): string {
  return encodeBase64Url(new Uint8Array(buffer));
}

/** Runs as in a browser. */
async function inBrowser(authenticator: Authenticator, run: () => Promise<void>): Promise<void> {
  const members = { configurable: true, value: credentialsOf(authenticator) };
  Object.defineProperty(navigator, "credentials", members);
  Object.defineProperty(globalThis, "PublicKeyCredential", { configurable: true, value() {} });
  try {
    await run();
  } finally {
    Reflect.deleteProperty(navigator, "credentials");
    Reflect.deleteProperty(globalThis, "PublicKeyCredential");
  }
}

Deno.test("the routes of passkeys register and sign in pages that use @simplewebauthn/browser", async () => {
  const app = createPasskeyApp({ webauthn: { identified: true } });
  const page = await app.signedIn();
  await inBrowser(createAuthenticator(), async () => {
    const optionsJSON = await bodyOf(ask(page, "register/options"));
    const created = await browser.startRegistration({ optionsJSON });
    const { credential } = await bodyOf(ask(page, "register/verify", created), 201);
    assert(credential.discoverable);
    assertEquals(credential.transports, ["hybrid", "internal"]);

    for (const body of [{}, { identifier: "ada@example.org" }]) {
      const optionsJSON = await bodyOf(ask(page, "login/options", body));
      const asserted = await browser.startAuthentication({ optionsJSON });
      const { user } = await bodyOf(ask(page, "login/verify", asserted));
      assertEquals(user.identifier, "ada@example.org");
    }

    // Its options name the passkey that the authenticator has already
    const again = await bodyOf(ask(page, "register/options"));
    const refusal: unknown = await browser.startRegistration({ optionsJSON: again })
      .catch((error) => error);
    assertEquals((refusal as { code?: string }).code, "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED");
  });
});
