// Written by gatehouse http client generate: change the API, and run the command again.
// deno-fmt-ignore-file
// deno-lint-ignore-file
/* eslint-disable */
/** Client of Notes. */

/** An API key without its digest. */
export interface ApiKeyInfo {
  /** Public identifier: the part of the key by which it is found. */
  id: string;
  /** Subject id of the user. */
  sub: string;
  /** Granted scopes, RFC 6749 §3.3. */
  scope: string[];
  /** When it was created. */
  createdAt: number;
  /** Name given by the user. */
  name?: string;
  /** When it expires; never if it is absent. */
  expiresAt?: number;
  /** When it was last used, to the minute. */
  lastUsedAt?: number;
}

/** The keys of a user. */
export interface ApiKeys {
  /** The keys, expired ones too. */
  apiKeys: ApiKeyInfo[];
}

/** An attachment, as clients see it. */
export interface AttachmentView {
  /** Where it is. */
  url: string;
  /** Name, unique within its note. */
  name: string;
  /** Media type to serve it with. */
  type: string;
  /** Size in bytes. */
  size: number;
  /** Seconds since the Unix epoch. */
  createdAt: number;
}

/** Attachments, as clients see them. */
export interface Attachments {
  /** The attachments. */
  attachments: AttachmentView[];
}

/** A key that was just created. */
export interface MadeApiKey {
  /** The whole key, for the header `X-API-Key`. It cannot be retrieved later. */
  key: string;
  /** The stored part. */
  info: ApiKeyInfo;
}

export interface NewApiKey {
  name: string;
  scope: ("notes:read" | "notes:write")[];
  expiresInDays?: number;
}

/** A note, as it is stored and as clients see it. */
export interface Note {
  /** Sorts by time, and cannot be guessed. */
  id: string;
  /** Seconds since the Unix epoch. */
  createdAt: number;
  /** Seconds since the Unix epoch. */
  updatedAt: number;
  /** 1 to 200 characters. */
  title: string;
  /** Up to 10,000 characters. */
  text: string;
  /** Up to 10, each of 1 to 50 characters, none twice. */
  tags: string[];
}

/** A change of a user's note. */
export interface NoteChange {
  /** What happened. */
  kind: "ADDED" | "CHANGED" | "REMOVED";
  /** The note, after a change. */
  note: Note;
}

export interface NoteInput {
  title: string;
  text?: string;
  tags?: string[];
}

/** A page of notes. */
export interface NotePage {
  /** The notes. */
  notes: Note[];
  /** Reference of the next page; absent on the last. */
  next?: string;
}

export interface NotePatch {
  title?: string;
  text?: string | null;
  tags?: string[] | null;
}

/** Problem details, RFC 9457 */
export interface ProblemDetails {
  /** Kind of the problem */
  type: string;
  /** Short summary of the kind */
  title: string;
  /** HTTP status code */
  status: number;
  /** Stable code for programs */
  code: string;
  /** Explanation of this occurrence */
  detail?: string;
  /** What a validation refused */
  violations?: ({
    in: "params" | "query" | "body";
    /** JSON Pointer (RFC 6901) into that part */
    pointer: string;
    message: string;
    /** Stable code for programs, where there is one */
    code?: string;
  })[];
}

/** The form of an upload. */
export interface Upload {
  /** The files. */
  file: Blob[];
}

/** What each route takes and responds with. */
export interface Routes {
  /** Create an account and sign in */
  "POST /auth/register": {
    call: [options: CallOptions & {
      body: {
        /** An e-mail address or a name */
        identifier: string;
        password: string;
        /** The e-mail address, if that is not the identifier */
        email?: string;
      };
    }];
    result: Success<201, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign in */
  "POST /auth/login": {
    call: [options: CallOptions & {
      body: {
        /** An e-mail address or a name */
        identifier: string;
        password: string;
        /** Keep signed in */
        remember?: boolean;
      };
    }];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign out */
  "POST /auth/logout": {
    call: [options?: CallOptions & {
      body?: { [name: string]: unknown } | undefined;
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Who is signed in */
  "GET /auth/session": {
    call: [options?: CallOptions];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session?: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user?: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Get a CSRF token */
  "GET /auth/csrf": {
    call: [options?: CallOptions];
    result: Success<200, {
      csrfToken: string;
      /** The header field that carries it */
      header: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Begin to register a passkey */
  "POST /auth/webauthn/register/options": {
    call: [options: CallOptions & {
      body: {
        /** For `mediation: "conditional"`, of a user who is signed in */
        conditional?: boolean;
        /** Of an account to create, without a session */
        identifier?: string;
      };
    }];
    result: Success<200, { [name: string]: unknown }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Register a passkey */
  "POST /auth/webauthn/register/verify": {
    call: [options: CallOptions & {
      body: {
        /** Name of the passkey, without control characters */
        name?: string;
        [name: string]: unknown;
      };
    }];
    result: Success<201, {
      credential: {
        /** Credential id, base64url */
        id: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Whether it may be copied to other devices */
        backupEligible: boolean;
        /** Whether it has been copied */
        backedUp: boolean;
        /** Whether the user has been verified */
        userVerified: boolean;
        /** Identifies the make of the authenticator */
        aaguid: string;
        /** Name of the passkey, without control characters */
        name?: string;
        /** Seconds since the Unix epoch */
        lastUsedAt?: number;
        transports?: string[];
        /** Whether it signs in without an identifier */
        discoverable?: boolean;
      };
      principal?: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session?: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user?: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken?: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Begin to sign in with a passkey */
  "POST /auth/webauthn/login/options": {
    call: [options: CallOptions & {
      body: {
        /** Whose passkeys are asked for */
        identifier?: string;
      };
    }];
    result: Success<200, { [name: string]: unknown }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign in with a passkey */
  "POST /auth/webauthn/login/verify": {
    call: [options: CallOptions & {
      body: {
        /** Keep signed in */
        remember?: boolean;
        [name: string]: unknown;
      };
    }];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** The user's passkeys */
  "GET /auth/webauthn/credentials": {
    call: [options?: CallOptions];
    result: Success<200, {
      credentials: {
        /** Credential id, base64url */
        id: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Whether it may be copied to other devices */
        backupEligible: boolean;
        /** Whether it has been copied */
        backedUp: boolean;
        /** Whether the user has been verified */
        userVerified: boolean;
        /** Identifies the make of the authenticator */
        aaguid: string;
        /** Name of the passkey, without control characters */
        name?: string;
        /** Seconds since the Unix epoch */
        lastUsedAt?: number;
        transports?: string[];
        /** Whether it signs in without an identifier */
        discoverable?: boolean;
      }[];
      signals: {
        allAcceptedCredentials: {
          rpId: string;
          userId: string;
          allAcceptedCredentialIds: string[];
        };
        currentUserDetails: {
          rpId: string;
          userId: string;
          name: string;
          displayName: string;
        };
      };
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Rename a passkey */
  "POST /auth/webauthn/credentials/rename": {
    call: [options: CallOptions & {
      body: {
        /** Credential id of the passkey */
        id: string;
        /** Name of the passkey, without control characters */
        name: string;
      };
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Remove a passkey */
  "POST /auth/webauthn/credentials/remove": {
    call: [options: CallOptions & {
      body: {
        /** Credential id of the passkey */
        id: string;
      };
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Send a link that verifies the e-mail address */
  "POST /auth/email/verify/start": {
    call: [options?: CallOptions & {
      body?: { [name: string]: unknown } | undefined;
    }];
    result: Success<202, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Verify an e-mail address by its link */
  "POST /auth/email/verify/finish": {
    call: [options: CallOptions & {
      body: {
        /** The token in the query of the link */
        token: string;
      };
    }];
    result: Success<200, {
      email: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Send a link to a new e-mail address */
  "POST /auth/email/change": {
    call: [options: CallOptions & {
      body: {
        email: string;
      };
    }];
    result: Success<202, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Send a link for a new password */
  "POST /auth/password/forgot": {
    call: [options: CallOptions & {
      body: {
        identifier: string;
      };
    }];
    result: Success<202, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Set a new password by its link */
  "POST /auth/password/reset": {
    call: [options: CallOptions & {
      body: {
        /** The token in the query of the link */
        token: string;
        newPassword: string;
      };
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Send a link that signs in */
  "POST /auth/link/start": {
    call: [options: CallOptions & {
      body: {
        email: string;
        /** Keep signed in */
        remember?: boolean;
      };
    }];
    result: Success<202, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign in by a link */
  "POST /auth/link/finish": {
    call: [options: CallOptions & {
      body: {
        /** The token in the query of the link */
        token: string;
      };
    }];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Send a code that signs in */
  "POST /auth/code/start": {
    call: [options: CallOptions & {
      body: {
        email: string;
        /** Keep signed in */
        remember?: boolean;
      };
    }];
    result: Success<202, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign in by a code */
  "POST /auth/code/finish": {
    call: [options: CallOptions & {
      body: {
        email: string;
        code: string;
      };
    }];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Complete a sign-in by the second factor */
  "POST /auth/login/second-factor": {
    call: [options: CallOptions & {
      body: {
        /** The code of the authenticator app */
        totp?: string;
        /** A recovery code, which is used up */
        recoveryCode?: string;
        /** Do not ask for it in this browser for 30 days */
        rememberBrowser?: boolean;
      };
    }];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Add the second factor to the session */
  "POST /auth/step-up": {
    call: [options: CallOptions & {
      body: {
        /** The code of the authenticator app */
        totp?: string;
        /** A recovery code, which is used up */
        recoveryCode?: string;
      };
    }];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
      session: {
        /** Public identifier */
        id: string;
        sub: string;
        /** Seconds since the Unix epoch */
        createdAt: number;
        /** Seconds since the Unix epoch */
        activeAt: number;
        /** Seconds since the Unix epoch */
        expiresAt: number;
        /** Seconds since the Unix epoch */
        authTime: number;
        amr: string[];
        /** Whether it outlives the browser's window */
        persistent?: boolean;
        acr?: string;
        userAgent?: string;
        /** Name of the OAuth provider, if it was used */
        provider?: string;
      };
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** The CSRF token of the new session */
      csrfToken: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** The second factors of the user */
  "GET /auth/second-factors": {
    call: [options?: CallOptions];
    result: Success<200, {
      /** How many are left */
      recoveryCodes: number;
      totp?: {
        /** Seconds since the Unix epoch */
        confirmedAt: number;
      };
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Begin to set up an authenticator app */
  "POST /auth/second-factors/totp/start": {
    call: [options?: CallOptions & {
      body?: { [name: string]: unknown } | undefined;
    }];
    result: Success<200, {
      /** The secret in base32, for users who type it */
      secret: string;
      /** To be shown as a QR code */
      uri: string;
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Confirm an authenticator app by its first code */
  "POST /auth/second-factors/totp/confirm": {
    call: [options: CallOptions & {
      body: {
        code: string;
      };
    }];
    result: Success<200, {
      /** To be shown once; none if earlier ones are valid */
      recoveryCodes: string[];
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Replace all recovery codes */
  "POST /auth/second-factors/recovery-codes": {
    call: [options?: CallOptions & {
      body?: { [name: string]: unknown } | undefined;
    }];
    result: Success<200, {
      /** To be shown once; none if earlier ones are valid */
      recoveryCodes: string[];
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Remove the second factors */
  "POST /auth/second-factors/remove": {
    call: [options?: CallOptions & {
      body?: { [name: string]: unknown } | undefined;
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign in, as an API client */
  "POST /tokens/login": {
    call: [options: CallOptions & {
      body: {
        /** An e-mail address or a name */
        identifier: string;
        password: string;
      };
    }];
    result: Success<200, {
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** For `Authorization: Bearer`, RFC 6750 */
      accessToken: string;
      tokenType: "Bearer";
      /** Lifetime of the access token in seconds */
      expiresIn: number;
      /** For the next access token, single use */
      refreshToken: string;
      /** Granted scopes */
      scope?: string[];
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Complete a sign-in by the second factor, as an API client */
  "POST /tokens/login/second-factor": {
    call: [options: CallOptions & {
      body: {
        ticket: string;
        /** The code of the authenticator app */
        totp?: string;
        /** A recovery code, which is used up */
        recoveryCode?: string;
      };
    }];
    result: Success<200, {
      user: {
        sub: string;
        /** The identifier that the user signs in with */
        identifier: string;
      };
      /** For `Authorization: Bearer`, RFC 6750 */
      accessToken: string;
      tokenType: "Bearer";
      /** Lifetime of the access token in seconds */
      expiresIn: number;
      /** For the next access token, single use */
      refreshToken: string;
      /** Granted scopes */
      scope?: string[];
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign out, as an API client */
  "POST /tokens/logout": {
    call: [options?: CallOptions & {
      body?: {
        /** The refresh token */
        refreshToken?: string;
      } | undefined;
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Exchange a refresh token for new tokens */
  "POST /tokens/refresh": {
    call: [options: CallOptions & {
      body: {
        /** The refresh token */
        refreshToken: string;
      };
    }];
    result: Success<200, {
      /** For `Authorization: Bearer`, RFC 6750 */
      accessToken: string;
      tokenType: "Bearer";
      /** Lifetime of the access token in seconds */
      expiresIn: number;
      /** For the next access token, single use */
      refreshToken: string;
      /** Granted scopes */
      scope?: string[];
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Who is signed in */
  "GET /tokens/session": {
    call: [options?: CallOptions];
    result: Success<200, {
      principal: {
        /** Stable subject id */
        sub: string;
        /** How the subject proved its identity on this request */
        method: string;
        /** Seconds since the Unix epoch */
        authTime: number;
        /** Authentication methods, RFC 8176 */
        amr?: string[];
        /** Authentication context class */
        acr?: string;
        /** Granted scopes */
        scope?: string[];
        /** The session's public identifier */
        sessionId?: string;
      };
    }> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** The keys that access tokens are signed with */
  "GET /.well-known/jwks.json": {
    call: [options?: CallOptions];
    result: Success<200, unknown> | Failure<304, Problem> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** List your notes, newest first */
  "GET /notes": {
    call: [options?: CallOptions & {
      query?: {
        /** Words that the notes have */
        q?: string | undefined;
        /** Most notes of the page, up to 100 */
        limit?: number | undefined;
        /** The `cursor` in a page's `next` */
        cursor?: string | undefined;
      } | undefined;
    }];
    result: Success<200, NotePage> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Create a note */
  "POST /notes": {
    call: [options: CallOptions & {
      body: NoteInput;
    }];
    result: Success<201, Note> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Read a note */
  "GET /notes/{id}": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
      headers?: {
        /** Versions that the client has */
        "If-None-Match"?: string | undefined;
        [name: string]: string | undefined;
      } | undefined;
    }];
    result: Success<200, Note> | Failure<304, Problem> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Replace a note */
  "PUT /notes/{id}": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
      headers?: {
        /** Versions of the note to change, as in its `ETag` */
        "If-Match"?: string | undefined;
        [name: string]: string | undefined;
      } | undefined;
      body: NoteInput;
    }];
    result: Success<200, Note> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Delete a note */
  "DELETE /notes/{id}": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
      headers?: {
        /** Versions of the note to change, as in its `ETag` */
        "If-Match"?: string | undefined;
        [name: string]: string | undefined;
      } | undefined;
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /**
   * Change a note
   *
   * A merge patch, RFC 7396: omitted members are unchanged, `null` removes one.
   */
  "PATCH /notes/{id}": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
      headers?: {
        /** Versions of the note to change, as in its `ETag` */
        "If-Match"?: string | undefined;
        [name: string]: string | undefined;
      } | undefined;
      body: NotePatch;
    }];
    result: Success<200, Note> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** List the attachments of a note */
  "GET /notes/{id}/attachments": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
    }];
    result: Success<200, Attachments> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Attach files to a note */
  "POST /notes/{id}/attachments": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
      body: Upload | FormData;
    }];
    result: Success<201, Attachments> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Download an attachment */
  "GET /notes/{id}/attachments/{name}": {
    call: [options: CallOptions & {
      params: {
        id: string;
        name: string;
      };
    }];
    result: Success<200, Blob> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Delete an attachment */
  "DELETE /notes/{id}/attachments/{name}": {
    call: [options: CallOptions & {
      params: {
        id: string;
        name: string;
      };
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /**
   * Watch your notes
   *
   * Ends after a minute: connect again, as `EventSource` does by itself.
   */
  "GET /changes": {
    call: [options?: CallOptions];
    result: Success<200, AsyncIterable<ServerSentEvent<NoteChange>>> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Revoke one of your sessions */
  "DELETE /sessions/{id}": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Revoke all other sessions, and sign out your API clients */
  "DELETE /sessions": {
    call: [options?: CallOptions];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Sign out one of your API clients */
  "DELETE /programs/{id}": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** List your API keys */
  "GET /api-keys": {
    call: [options?: CallOptions];
    result: Success<200, ApiKeys> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Create an API key */
  "POST /api-keys": {
    call: [options: CallOptions & {
      body: NewApiKey;
    }];
    result: Success<201, MadeApiKey> | Failure<ErrorStatus, ProblemDetails>;
  };
  /** Revoke one of your API keys */
  "DELETE /api-keys/{id}": {
    call: [options: CallOptions & {
      params: {
        id: string;
      };
    }];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
  /**
   * Delete your account, with all notes
   *
   * Needs a sign-in of the last five minutes, by both factors if you have two.
   */
  "DELETE /account": {
    call: [options?: CallOptions];
    result: Success<204, undefined> | Failure<ErrorStatus, ProblemDetails>;
  };
}

/** Calls a route. It rejects where `fetch` does, and if a successful response is not what the document says. */
export interface Client {
  <Route extends keyof Routes>(
    route: Route,
    ...call: Routes[Route]["call"]
  ): Promise<Routes[Route]["result"]>;
}

/** The data of a route's success. */
export type DataOf<Route extends keyof Routes> = Extract<Routes[Route]["result"], { ok: true }>["data"];

/** Options of `createClient()`. */
export interface ClientOptions {
  /** Where the API is: an absolute URL, or a path of the page's origin. @default the root of the page's origin */
  readonly baseUrl?: string | URL | undefined;
  /** Sends requests: `router.fetch`, for tests in process. @default {fetch} */
  readonly fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Header fields of every request, such as `X-API-Key`. @default none */
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  /** Whether cookies are sent; `"include"` for an API of another origin. @default {"same-origin"} */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /** Aborts every call. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * Path of the route that issues CSRF tokens, or `false`: requests carry none. @default the document's route, such as
   * `/auth/csrf`; `false` with `tokens` or `credentials: "omit"`
   */
  readonly csrf?: string | false | undefined;
  /** Access and refresh tokens of a client without cookies. @default requests carry none */
  readonly tokens?: TokenStore | undefined;
}

/** Stores the tokens of a sign-in. */
export interface TokenStore {
  /** The current tokens; `undefined` without a sign-in. Called for each request. */
  get(): Tokens | undefined | Promise<Tokens | undefined>;
  /** Stores the tokens of a refresh; `undefined` signs out, after the refresh token was refused. */
  set(tokens: Tokens | undefined): void | Promise<void>;
  /** Path of the route that exchanges a refresh token. @default the document's route, such as `/tokens/refresh` */
  readonly refresh?: string | undefined;
}

/** Tokens, as the sign-in and the refresh respond with them. */
export interface Tokens {
  /** Sent as `Authorization: Bearer`. */
  readonly accessToken: string;
  /** Exchanged once when the access token is refused. @default no refresh */
  readonly refreshToken?: string | undefined;
}

/** Options that every call has. */
export interface CallOptions {
  /** Header fields of this request. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborts the call, and the stream of its events. */
  readonly signal?: AbortSignal | undefined;
  /** Other options of `fetch`, such as `redirect`, `cache` and `keepalive`. */
  readonly init?: RequestInit | undefined;
}

/** A response with a status from 200 to 299. */
export interface Success<Status extends number, Data> {
  readonly ok: true;
  readonly status: Status;
  /** The body. */
  readonly data: Data;
  /** The response; its body has been read. */
  readonly response: Response;
}

/** Any other response. */
export interface Failure<Status extends number, Details> {
  readonly ok: false;
  readonly status: Status;
  /** The body; a {@linkcode Problem} if that is not JSON. */
  readonly problem: Details;
  /** The response; its body has been read. */
  readonly response: Response;
}

/** Problem details, RFC 9457. Those made for a response without JSON have the code `unknown`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
}

/** An event of a stream, WHATWG HTML §9.2.6. */
export interface ServerSentEvent<Data> {
  /** Its type; `message` if the stream names none. */
  readonly event: string;
  /** The last id of the stream so far; empty if there is none. */
  readonly id: string;
  readonly data: Data;
}

/** A value of a query parameter; the elements of an array are sent as parameters of the same name. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[];

/** Registered status codes from 200 to 299. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
/** Registered status codes from 400 to 499. */
export type ClientErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415)
  | (416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);
/** Registered status codes from 500 to 599. */
export type ServerErrorStatus = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
/** Registered status codes from 400 to 599. */
export type ErrorStatus = ClientErrorStatus | ServerErrorStatus;

/**
 * Creates a client. Every refusal is a value; redirects are not followed.
 *
 * @throws {TypeError} If `baseUrl` is invalid, or missing outside of a page.
 */
export declare function createClient(options?: ClientOptions): Client;
