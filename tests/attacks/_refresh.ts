/**
 * A custom endpoint for refresh tokens, and the token of a signed-in user.
 *
 * @module
 */

import { digestText } from "../../auth/_kdf.ts";
import { createRouter, json, type RouteRequest } from "@gatehouse/http";
import { STAMPED } from "../auth/tokens/_refresh.ts";
import { type TokensOptions, type WithTokens, withTokens } from "../auth/tokens/_tokens.ts";

export interface Begun extends WithTokens {
  readonly token: string;
  readonly accessToken: string;
  readonly familyId: string;
  readonly post: (token: string) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** The body of an error response. */
  readonly text: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** The only error response, with everything that a client receives. */
export const REFUSED: Answer = {
  status: 401,
  headers: [
    ["content-type", "application/problem+json"],
    ["www-authenticate", "Session"],
  ],
  text: '{"type":"about:blank","title":"Unauthorized","status":401,"code":"invalid_refresh_token"}',
  accessToken: "",
  refreshToken: "",
};

export async function begun(options: TokensOptions = {}): Promise<Begun> {
  const services = await withTokens(options);
  const issued = await services.tokens.issue(STAMPED, { scope: ["notes:read"] });
  const { accessToken, refreshToken: token = "" } = issued;
  const [handle = ""] = token.split(".");
  const familyId = await digestText(handle);
  return { ...services, token, accessToken, familyId, post: endpoint(services.tokens) };
}

/** Presents a refresh token at a custom endpoint. */
export function endpoint({ refresh }: WithTokens["tokens"]): Begun["post"] {
  const router = createRouter({ onError: () => {} }).post("/refresh", async (req: RouteRequest) => {
    return json(await refresh(await req.raw.text()));
  }, { raw: true });
  return async (token) => {
    const response = await router.request("/refresh", { method: "POST", body: token });
    const { status, headers } = response;
    const body = await response.text();
    const { accessToken = "", refreshToken = "" } = JSON.parse(body);
    const text = status === 200 ? "" : body;
    return { status, headers: [...headers], text, accessToken, refreshToken };
  };
}
