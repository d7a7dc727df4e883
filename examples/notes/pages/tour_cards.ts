/**
 * What the service demonstrates: where to try it, and the lines of the example behind it. A test compares the lines with
 * their files.
 *
 * @module
 */

/** A link of a card. */
export interface CardLink {
  /** What it says. */
  readonly text: string;
  /** Where it leads. */
  readonly href: string;
}

/** One thing that the service demonstrates. */
export interface TourCard {
  /** Its heading. */
  readonly title: string;
  /** What happens, in a sentence or two. */
  readonly text: string;
  /** Where to try it. */
  readonly links: readonly CardLink[];
  /** File of the example, from the project's folder. */
  readonly file: string;
  /** Successive lines of the file, without their common indentation. */
  readonly code: string;
}

/** What a service has that another may lack. */
export interface TourParts {
  /** Page of Notes ID where users see which applications have access, if it runs. */
  readonly accountUrl?: string | undefined;
  /** Whether there is an outbox. */
  readonly hasOutbox: boolean;
}

const PASSWORDS: TourCard = {
  title: "Passwords",
  text: "Register and sign in. Attempts are limited by account and by address, the session is a " +
    "__Host- cookie, and common passwords are refused.",
  links: [{ text: "Register", href: "/register" }, { text: "Sign in", href: "/sign-in" }],
  file: "examples/notes/api.ts",
  code: `return routerBuilder<Connection>({ container, info, onRequest })
  .withAuth(runtime.integration({ routes, catch: askToSignIn }))`,
};

const PASSKEYS: TourCard = {
  title: "Passkeys",
  text:
    "Create an account without a password, or add passkeys to yours. Browsers offer them where " +
    "people sign in.",
  links: [{ text: "Your passkeys", href: "/passkeys" }],
  file: "examples/notes/accounts.ts",
  code: `webauthn: {
  rpId: new URL(origin).hostname,
  rpName: "Notes",
  origins: [origin],
  signUp: true,
},`,
};

const PROVIDER: TourCard = {
  title: "Sign in with a provider",
  text:
    "Notes ID is an OpenID provider of the same library at another port. It asks for consent, and " +
    "lists the applications that have access.",
  links: [{ text: "Sign in with Notes ID", href: "/sign-in" }],
  file: "examples/notes/identity/identity.ts",
  code: `const server = new AuthorizationServer({
  issuer,
  clients,
  codes: stores.authorizations,
  tokens: stores.refreshTokens,`,
};

const STEP_UP: TourCard = {
  title: "Second factor and step-up",
  text:
    "Add an authenticator app and ten recovery codes. To delete the account takes a sign-in of the " +
    "last five minutes, by both factors.",
  links: [{ text: "Security", href: "/security" }],
  file: "examples/notes/account_controller.ts",
  code: `@Delete("/", {
  ...IN_PERSON,
  auth: { maxAge: MAX_AGE },`,
};

const MAIL: TourCard = {
  title: "Messages",
  text:
    "Verify an address, reset a password, sign in by a link or a code. The outbox shows what would " +
    "be mailed.",
  links: [{ text: "Outbox", href: "/outbox" }, { text: "Forgot password", href: "/forgot" }],
  file: "examples/notes/accounts.ts",
  code: `return emailAccounts({
  deliver,
  origin,
  verifyEmail: { page: "/verify" },`,
};

const LIVE: TourCard = {
  title: "Notes, live",
  text:
    "Open your notes in two windows and add one: the other shows it at once, by server-sent events " +
    "of a typed generator.",
  links: [{ text: "Your notes", href: "/" }],
  file: "examples/notes/change_controller.ts",
  code: `return sse(req, async function* ({ signal }) {
  const until = AbortSignal.any([signal, AbortSignal.timeout(LIFETIME_MS)]);
  for await (const data of changes.of(req.principal.sub, until)) yield { data };
});`,
};

const CHAT: TourCard = {
  title: "Chat",
  text:
    "Talk to other users over a WebSocket, which is guarded like any route and closed when the " +
    "session ends.",
  links: [{ text: "Chat", href: "/chat" }],
  file: "examples/notes/chat.ts",
  code: `if (event.type !== "session.revoked") return;
for (const [socket, { sub }] of members) {
  if (sub === event.sub) void socket.recheck();
}`,
};

const PROGRAMS: TourCard = {
  title: "API keys and tokens",
  text:
    "Create a key with a scope, or let an API client sign in for a JWT with refresh rotation. Both " +
    "pass only routes that name their scope.",
  links: [{ text: "Developer", href: "/developer" }, { text: "Your sessions", href: "/sessions" }],
  file: "examples/notes/accounts.ts",
  code: `strategies: [apiKeyStrategy({ apiKeys, now })],
jwt: { issuer: origin, audience: "notes", scope: SCOPES },`,
};

const GRAPHQL: TourCard = {
  title: "GraphQL",
  text:
    "The same notes by queries, mutations and subscriptions. A field without a rule of its own needs " +
    "a signed-in user.",
  links: [{ text: "Query your notes", href: "/graphql?query={notes{notes{title}}}" }],
  file: "examples/notes/graphql/schema.ts",
  code: `return protectSchema(schema, {
  default: Authenticated({ scope: "any" }),
  rules: {`,
};

const DOCUMENTS: TourCard = {
  title: "OpenAPI",
  text:
    "OpenAPI 3.1 from the routes, their types and schemas, with a page to send requests as yourself.",
  links: [{ text: "Documentation", href: "/docs" }, {
    text: "Document",
    href: "/docs/openapi.json",
  }],
  file: "examples/notes/note_controller.ts",
  code: `@Get("/", {
  ...READS,
  summary: "List your notes, newest first",
  schema: { query: listQuerySchema },`,
};

/** The cards, in the order in which a visitor would try them. */
export function tourCards({ accountUrl, hasOutbox }: TourParts): readonly TourCard[] {
  return [
    PASSWORDS,
    PASSKEYS,
    ...(accountUrl === undefined ? [] : [withLink(PROVIDER, accountUrl)]),
    STEP_UP,
    ...(hasOutbox ? [MAIL] : []),
    LIVE,
    CHAT,
    PROGRAMS,
    GRAPHQL,
    DOCUMENTS,
  ];
}

function withLink(card: TourCard, accountUrl: string): TourCard {
  return {
    ...card,
    links: [...card.links, { text: "Applications with access", href: accountUrl }],
  };
}
