/**
 * The documentation page and the client for tests on every runtime.
 *
 * @module
 */

import { testClient } from "../../auth/testing/test_client.ts";
import {
  createContainer,
  createRouter,
  generateOpenAPI,
  generateSecret,
  inMemoryAuthStores,
  json,
  registerAuth,
  routerBuilder,
} from "../../mod.ts";
import { docsPage } from "../../openapi/docs_page.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";

const info = { title: "Notes", version: "1.0.0" };

/** Every case, in the order in which they run. */
export const dailyCases: readonly RuntimeCase[] = [
  {
    name: "docsPage() serves its page, and the document with an ETag",
    async run() {
      const router = createRouter().get("/", () => json("root"));
      const assets = { fetch: () => new Response("packaged") };
      const document = () => generateOpenAPI(info, router);
      router.mount("/docs", docsPage({ document, assets }));
      const page = await router.request("/docs");
      assert((await page.text()).includes('src="./docs/swagger-ui-bundle.js"'), "it has its files");
      assert(page.headers.get("Content-Security-Policy") !== null, "it has a policy");
      assertSame(await (await router.request("/docs/swagger-ui.css")).text(), "packaged");
      const first = await router.request("/docs/openapi.json");
      assertSame((await first.json()).info, info);
      const headers = { "If-None-Match": first.headers.get("ETag") ?? "" };
      assertSame((await router.request("/docs/openapi.json", { headers })).status, 304);
    },
  },
  {
    name: "testClient() signs in, and sends cookies and CSRF tokens",
    async run() {
      const runtime = registerAuth({
        secret: generateSecret(),
        stores: inMemoryAuthStores(),
        deployment: "direct",
        csrf: "token",
        container: createContainer(),
      });
      const router = routerBuilder()
        .withAuth(runtime.integration({ routes: { registration: "closed" } }))
        .build()
        .post("/me", (req) => json(req.principal.sub));
      const client = testClient(router, { runtime });
      assertSame((await client.post("/me", {})).status, 401);
      const { sub } = await client.signIn("ada@example.org");
      assertSame(await (await client.post("/me", {})).json(), sub);
    },
  },
];
