import { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { auth } from "./auth.ts";
import { authRequest, type Env, onInvalid, readJson } from "./http.ts";

const ACCESS_SECONDS = 15 * 60;
const REFRESH_SECONDS = 30 * 24 * 60 * 60;
const Refresh = z.object({ refreshToken: z.string() });
const Grant = z.object({ userId: z.string(), accessToken: z.string() });

/** Better Auth has no refresh tokens for its own users: a short session, and a token used once. */
export const mobile = new OpenAPIHono<Env>({ defaultHook: onInvalid });

mobile.post("/sign-in", async (c) => {
  const response = await auth.handler(authRequest(c, "/api/auth/sign-in/email"));
  if (!response.ok) return response;
  const { token, user } = await response.json();
  await (await auth.$context).internalAdapter.deleteSession(token);
  return c.json(await issueTokens(user.id));
});

mobile.post("/refresh", async (c) => {
  const grant = await consume(await readJson(c, Refresh));
  if (!grant) throw new HTTPException(401, { message: "The refresh token is not valid" });
  return c.json(await issueTokens(grant.userId));
});

mobile.post("/revoke", async (c) => {
  await consume(await readJson(c, Refresh));
  return c.body(null, 204);
});

async function issueTokens(userId: string) {
  const { internalAdapter } = await auth.$context;
  const refreshToken = crypto.randomUUID() + crypto.randomUUID();
  const { token: accessToken } = await internalAdapter.createSession(
    userId,
    false,
    { expiresAt: secondsFromNow(ACCESS_SECONDS) },
    true,
  );
  await internalAdapter.createVerificationValue({
    identifier: `refresh-${refreshToken}`,
    value: JSON.stringify({ userId, accessToken }),
    expiresAt: secondsFromNow(REFRESH_SECONDS),
  });
  return { accessToken, refreshToken, expiresIn: ACCESS_SECONDS };
}

async function consume({ refreshToken }: z.infer<typeof Refresh>) {
  const { internalAdapter } = await auth.$context;
  const found = await internalAdapter.consumeVerificationValue(`refresh-${refreshToken}`);
  if (!found || found.expiresAt < new Date()) return;
  const grant = Grant.parse(JSON.parse(found.value));
  await internalAdapter.deleteSession(grant.accessToken);
  return grant;
}

function secondsFromNow(seconds: number) {
  return new Date(Date.now() + seconds * 1000);
}
