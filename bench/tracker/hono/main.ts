import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { bodyLimit } from "hono/body-limit";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { secureHeaders } from "hono/secure-headers";
import { attachments } from "./attachments.ts";
import { auth, ORIGIN } from "./auth.ts";
import { comments } from "./comments.ts";
import { accessLog, authRequest, onError, problem, router, signedIn } from "./http.ts";
import { issues } from "./issues.ts";
import { keys } from "./keys.ts";
import { mobile } from "./mobile.ts";
import { orgs } from "./orgs.ts";

const app = router();
app.onError(onError);
app.notFound((c) => problem(c, 404, "No such page"));

const sameOrigin = csrf({ origin: ORIGIN });
app.use(accessLog);
app.use(secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", "data:"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
}));
app.use((c, next) => c.req.header("cookie") ? sameOrigin(c, next) : next());
app.use(async (c, next) => {
  // Uploads have their own limit.
  if (c.req.path.endsWith("/attachments")) return next();
  return await bodyLimit({ maxSize: 128 * 1024 })(c, next);
});

app.on(["GET", "POST"], "/api/auth/*", (c) => {
  // With sessions for API keys, a `read` key could change the account.
  if (c.req.header("x-api-key")) throw new HTTPException(403, { message: "Not with an API key" });
  return auth.handler(authRequest(c));
});
app.route("/mobile", mobile);
app.route("/keys", keys);
app.get("/me", signedIn, (c) => {
  const { id, email } = c.get("user");
  return c.json({ id, email });
});
app.use("/orgs/*", signedIn);
for (const routes of [orgs, issues, comments, attachments]) app.route("/orgs", routes);

app.doc31("/openapi.json", {
  openapi: "3.1.0",
  info: { title: "Tracker", version: "1.0.0" },
  security: [{ session: [] }, { bearer: [] }, { key: [] }],
});
const schemes = {
  session: { type: "apiKey", in: "cookie", name: "better-auth.session_token" },
  bearer: { type: "http", scheme: "bearer" },
  key: { type: "apiKey", in: "header", name: "x-api-key" },
} as const;
for (const [name, scheme] of Object.entries(schemes)) {
  app.openAPIRegistry.registerComponent("securitySchemes", name, scheme);
}

app.get("/docs", (c) => c.redirect("/docs/"));
app.get("/docs/swagger-initializer.js", serveStatic({ path: "./public/docs.js" }));
app.get(
  "/docs/*",
  serveStatic({
    root: "./node_modules/swagger-ui-dist",
    rewriteRequestPath: (path) => path.slice("/docs".length),
  }),
);
app.get("/paths.js", serveStatic({ root: "./public" }));
app.get("/*", serveStatic({ root: "../page" }));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`listening on http://localhost:${port}/`);
});
