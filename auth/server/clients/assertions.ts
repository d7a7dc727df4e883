/**
 * Client assertions: the method `private_key_jwt`, RFC 7523 §2.2 and §3 with draft-ietf-oauth-rfc7523bis, and OpenID Connect Core §9.
 *
 * @module
 */

import { decodeBase64Url } from "../../_base64url.ts";
import type { FetchFunction } from "../../_fetch_json.ts";
import { digestText } from "../../_kdf.ts";
import { parseStrictObject } from "../../_strict_json.ts";
import { AuthError } from "../../error.ts";
import { type AsymmetricAlgorithm, isJwaAlgorithm, JWA } from "../../jwt/jwa.ts";
import { generateJwk, publicJwk } from "../../jwt/jwk.ts";
import { mediaType, verifyJws } from "../../jwt/jws.ts";
import { jwtVerifier } from "../../jwt/jwt.ts";
import { remoteJwks } from "../../jwt/remote_jwks.ts";
import type { Jwk, JwkSet, JwtClaims, KeyResolver, VerificationKeys } from "../../jwt/types.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";
import type { StateStore } from "../../stores/types.ts";
import { limitOutbound, remember } from "./_outbound.ts";

/** What verifies assertions. */
export interface ClientAssertions {
  /** Accepted algorithms, for the metadata. */
  readonly algorithms: readonly AsymmetricAlgorithm[];
  /**
   * Why an assertion is refused; `undefined` if it is the client's, and was not used before. Without a client the work is the same.
   *
   * @throws {AuthError} `service_unavailable` if the keys of the client cannot be fetched.
   */
  readonly refusalOf: (
    assertion: string,
    client: RegisteredClient | undefined,
  ) => Promise<"assertion_refused" | "assertion_reused" | undefined>;
}

/** What the assertions of a server need of it. */
export interface AssertionContext {
  readonly issuer: string;
  readonly states: Pick<StateStore, "claim">;
  /** Accepted algorithms. @default all that have a public key */
  readonly algorithms?: readonly AsymmetricAlgorithm[] | undefined;
  /** Fetches keys. */
  readonly fetch: FetchFunction | undefined;
  readonly insecureLoopback: boolean;
  readonly now: () => number;
  readonly warn: (message: string, error?: unknown) => void;
}

/** All that have a public key: a secret that server and client share authenticates as `client_secret_basic` does, or not at all. */
const ALGORITHMS: readonly AsymmetricAlgorithm[] = Object.keys(JWA).filter((
  alg,
): alg is AsymmetricAlgorithm => isJwaAlgorithm(alg) && JWA[alg].kty !== "oct");

/** rfc7523bis §4. It need not be named, but no other type may be: of a DPoP proof, or a request object. */
const TYPE = "client-authentication+jwt";

/** Seconds between issuance and expiry: for as long the identifier is kept. */
const MAX_LIFETIME = 300;

/** Allowed difference of clocks. */
const TOLERANCE = 30;

/** Creates the verifier of a server. */
export function clientAssertions(context: AssertionContext): ClientAssertions {
  const { issuer, states, now, algorithms = ALGORITHMS } = context;
  const keysOf = clientKeys(context);

  /** The claims of an assertion that the client has signed for this server. */
  async function verify(assertion: string, client: RegisteredClient | undefined) {
    const { clientId = "-" } = client ?? {};
    const verifyAssertion = jwtVerifier({
      algorithms,
      keys: keysOf(client),
      typ: typeOf(assertion),
      issuer: clientId, // RFC 7523 §3: iss and sub are the client
      subject: clientId,
      audience: issuer,
      requiredClaims: ["jti"],
      clockTolerance: TOLERANCE,
      now,
    });
    try {
      return (await verifyAssertion(assertion)).claims;
    } catch (error) {
      if (!(error instanceof AuthError) || error.status !== 401) throw error;
      if (error.reason?.startsWith("key_")) await verifyInVain(assertion);
      return undefined;
    }
  }

  return {
    algorithms,
    async refusalOf(assertion, client) {
      const claims = await verify(assertion, client);
      if (client === undefined || claims === undefined || !isBrief(claims, now())) {
        return "assertion_refused";
      }
      const { aud, jti, exp = 0 } = claims;
      // rfc7523bis §3: the issuer as its sole value; a server that the client also uses cannot present the assertion here
      if (typeof aud !== "string" || jti === "") return "assertion_refused";
      const key = `client-assertion:${await digestText(
        JSON.stringify([issuer, client.clientId, jti]),
      )}`;
      const claimed = await states.claim(key, Math.ceil(exp) + TOLERANCE); // one winner, whoever sends it
      return claimed === "claimed" ? undefined : "assertion_reused";
    },
  };
}

/** The client that an assertion names as its subject, RFC 7521 §4.2; not verified. */
export function readAssertionSubject(assertion: string): string | undefined {
  const sub = readPart(assertion, 1)["sub"];
  return typeof sub === "string" && sub !== "" ? sub : undefined;
}

/** The identifier is kept until the expiry, so it must be near. An assertion that was valid for longer is none. */
function isBrief({ exp = Infinity, iat = exp - MAX_LIFETIME }: JwtClaims, at: number): boolean {
  return iat <= at + TOLERANCE && exp - iat <= MAX_LIFETIME;
}

/** `JWT` stands for tokens without a type, too. */
function typeOf(assertion: string): string {
  const { typ } = readPart(assertion, 0);
  return typeof typ === "string" && mediaType(typ) === TYPE ? TYPE : "JWT";
}

/** A part of an assertion that is not verified; empty if it cannot be read. */
function readPart(assertion: string, index: number): Readonly<Record<string, unknown>> {
  try {
    return parseStrictObject(decodeBase64Url(assertion.split(".", 3)[index] ?? ""));
  } catch {
    return {};
  }
}

/** Reason of an error: too many sets of keys are being fetched. */
const TOO_MANY = "client_keys_unreachable";

/** Finds the keys of clients: those of their record, or the published ones. */
function clientKeys(
  { fetch: send, insecureLoopback, now, warn }: AssertionContext,
): (client: RegisteredClient | undefined) => VerificationKeys {
  const resolvers = new Map<string, KeyResolver>();
  const outbound = limitOutbound(now, TOO_MANY);
  const fetch: FetchFunction = (url, init) =>
    outbound(new URL(url).host, () => (send ?? globalThis.fetch)(url, init));

  return (client) => {
    const { jwks, jwksUri } = client ?? {};
    if (jwks) return jwks as JwkSet; // a database may have `null`
    if (!jwksUri) return () => undefined;
    const resolver = resolvers.get(jwksUri) ??
      remoteJwks(jwksUri, { fetch, insecureLoopback, now, warn });
    remember(resolvers, jwksUri, resolver);
    return resolver;
  };
}

/** Verifies a signature by a key that nobody has, so that a refusal does not tell by its time which keys a client has. */
async function verifyInVain(assertion: string): Promise<void> {
  const keys: KeyResolver = ({ alg }) => decoyKey(alg as AsymmetricAlgorithm); // one of those that are accepted
  await verifyJws(assertion, { algorithms: ALGORITHMS, keys }).catch(() => {});
}

/** RSA keys take long to generate. The modulus is 2^2048 - 1: it need not be of primes, and no signature is larger. */
const DECOY_RSA: Jwk = { kty: "RSA", n: `${"_".repeat(341)}w`, e: "AQAB" };

const DECOYS = new Map<AsymmetricAlgorithm, Jwk>();

async function decoyKey(alg: AsymmetricAlgorithm): Promise<Jwk> {
  if (JWA[alg].kty === "RSA") return DECOY_RSA;
  const key = DECOYS.get(alg) ?? publicJwk(await generateJwk(alg));
  DECOYS.set(alg, key);
  return key;
}
