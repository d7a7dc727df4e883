/**
 * Providers to sign in with: Notes ID, and those of environment variables. Without any, the service has none of their routes.
 *
 * @module
 */

import type { StateStore } from "@gatehouse/http";
import {
  github,
  google,
  type OAuthClient,
  oauthClient,
  type OAuthProvider,
  oidcProvider,
} from "@gatehouse/http/auth/oauth";
import { StartError } from "./start_error.ts";

/** A provider as a person reads it. */
export interface Provider {
  /** The name in its routes: `google`. */
  readonly name: string;
  /** What a button says. */
  readonly title: string;
  /** Signs in with it. */
  readonly client: OAuthClient;
  /** Page where users see which applications have access to their account there. */
  readonly accountUrl?: string;
}

/** What providers are created from. */
export interface ProviderOptions {
  /** Reads an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Origin of the service. */
  readonly origin: string;
  /** Keeps sign-ins until they are completed. */
  readonly states: StateStore;
  /** Notes ID, if it runs: see `identity/`. */
  readonly notesId?: NotesId | undefined;
  /** Sends requests. @default {globalThis.fetch} */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The clock, in seconds since the Unix epoch. */
  readonly now?: () => number;
}

/** What the service knows of Notes ID. */
export interface NotesId {
  /** Issuer. */
  readonly issuer: string;
  /** The service's secret there. */
  readonly clientSecret: string;
}

/** The client that is registered at a provider. */
interface Registration {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** One row for each provider: the first part of its variables' names, and what is made of them. */
const ROWS: readonly {
  readonly prefix: string;
  readonly name: string;
  readonly title: string;
  readonly create: (registration: Registration, env: ProviderOptions["env"]) => OAuthProvider;
}[] = [
  { prefix: "GOOGLE", name: "google", title: "Google", create: google },
  { prefix: "GITHUB", name: "github", title: "GitHub", create: github },
  {
    prefix: "OIDC",
    name: "oidc",
    title: "your organization",
    create: (registration, env) =>
      oidcProvider({ issuer: env("OIDC_ISSUER") ?? "", ...registration }),
  },
];

/** Creates Notes ID and the providers whose variables are set. @throws {StartError} If a secret is missing. */
export function readProviders(options: ProviderOptions): readonly Provider[] {
  const { env, notesId } = options;
  const others = ROWS.flatMap(({ prefix, name, title, create }) => {
    const clientId = env(`${prefix}_CLIENT_ID`);
    if (!clientId) return [];
    const clientSecret = env(`${prefix}_CLIENT_SECRET`);
    if (!clientSecret) throw new StartError(`${prefix}_CLIENT_SECRET is missing`);
    const provider = create({ clientId, clientSecret }, env);
    return [{ name, title, client: createClient(name, provider, options) }];
  });
  if (notesId === undefined) return others;
  const name = "notes-id";
  const { issuer, clientSecret } = notesId;
  // What a scope permits to see is at UserInfo, and in the ID token only if the provider puts it there
  const provider = oidcProvider({
    name,
    issuer,
    clientId: "notes",
    clientSecret,
    identity: "both",
  });
  const client = createClient(name, provider, options);
  return [{ name, title: "Notes ID", client, accountUrl: `${issuer}/` }, ...others];
}

function createClient(
  name: string,
  provider: OAuthProvider,
  { origin, states, fetch, now }: ProviderOptions,
): OAuthClient {
  return oauthClient(provider, {
    states,
    redirectUri: `${origin}/auth/oauth/${name}/callback`,
    insecureLoopback: new URL(origin).hostname === "localhost", // a provider on the same machine
    ...(fetch === undefined ? {} : { fetch }),
    ...(now === undefined ? {} : { now }),
  });
}
