/** `examples/mcp` as the clients of both generations of the MCP SDK use it, over the network of this machine. */

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { createApp } from "../../examples/mcp/main.ts";
import type { AuthorizationServerOptions } from "../../auth/server/mod.ts";
import { claimsOf } from "../auth/server/_site.ts";
import { GENERATIONS, type McpClient, type McpGeneration, McpProgram } from "./_mcp_clients.ts";
import { ServerBrowser } from "./_server_site.ts";

const PASSWORD = "lovelace wrote notes";
const DOCUMENT = "https://reader.example/client.json";

/** A browser whose user signs in at the page of the example. */
class ExampleBrowser extends ServerBrowser {
  override async signIn(page: URL): Promise<void> {
    const form = await (await this.send(page.href)).text();
    assert(form.includes('name="password"'));
    const body = new FormData();
    body.set("name", "ada");
    body.set("password", PASSWORD);
    const headers = { "Sec-Fetch-Site": "same-origin" };
    const response = await this.send(page.href, { method: "POST", body, headers });
    await response.body?.cancel();
    assertEquals([response.status, response.headers.get("Location")], [
      303,
      page.searchParams.get("next"),
    ]);
    this.signIns++;
  }
}

interface McpSite extends AsyncDisposable {
  readonly origin: string;
  readonly resource: string;
  browser(): ServerBrowser;
}

async function startMcp(options: Partial<AuthorizationServerOptions> = {}): Promise<McpSite> {
  let handler: Deno.ServeHandler<Deno.NetAddr> = () => new Response(null, { status: 503 });
  const local = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const listener = Deno.serve(local, (request, info) => handler(request, info));
  const origin = `http://127.0.0.1:${listener.addr.port}`;
  const app = await createApp(origin, PASSWORD, options);
  handler = (request, info) => app.fetch(request, info);
  return {
    origin,
    resource: `${origin}/mcp`,
    browser: () => new ExampleBrowser(origin),
    [Symbol.asyncDispose]: async () => await listener.shutdown(),
  };
}

/** Connects a client, whose user signs in and consents on the way. */
async function connect(
  { modules, answerOf }: McpGeneration,
  site: McpSite,
  program: McpProgram,
): Promise<McpClient> {
  const { Client, StreamableHTTPClientTransport } = await modules();
  const open = () =>
    new StreamableHTTPClientTransport(new URL(site.resource), { authProvider: program });
  const info = { name: "reader", version: "1.0.0" };
  const [first, transport] = [new Client(info), open()];
  const { name } = await assertRejects(() => first.connect(transport), Error);
  assert(program.address !== undefined, name);
  const back = await site.browser().visit(program.address);
  assertEquals(back.href.split("?")[0], program.redirectUrl);
  await transport.finishAuth(answerOf(back.searchParams));
  await transport.close();
  const client = new Client(info);
  await client.connect(open());
  return client;
}

/** Uses the tools of the server. */
async function useTools(client: McpClient): Promise<void> {
  const { tools } = await client.listTools();
  assertEquals(tools.map(({ name }) => name).sort(), ["add_note", "list_notes"]);
  await client.callTool({ name: "add_note", arguments: { text: "Milk" } });
  const { content: [note] } = await client.callTool({ name: "list_notes", arguments: {} });
  assertEquals(note?.text.split("\n").at(-1), "Milk");
}

for (const generation of GENERATIONS) {
  const { name } = generation;

  Deno.test(`examples/mcp registers a client of ${name}, and serves its tools with tokens for nothing else, MCP-1`, async () => {
    await using site = await startMcp();
    const program = new McpProgram();
    const client = await connect(generation, site, program);
    await useTools(client);
    const asked = Object.fromEntries(program.address?.searchParams ?? []);
    assertEquals([asked["resource"], asked["scope"], asked["code_challenge_method"]], [
      site.resource,
      generation.scope,
      "S256",
    ]);
    const { aud, scope, client_id, iss } = claimsOf(program.kept?.access_token ?? "");
    const id = program.information?.client_id;
    assertEquals([aud, client_id, iss], [site.resource, id, site.origin]);
    assertEquals(`${scope}`.split(" ").sort().join(" "), generation.scope);
    await client.close();
  });

  Deno.test(`examples/mcp knows a client of ${name} by its document`, async () => {
    const program = new McpProgram({ clientMetadataUrl: DOCUMENT });
    const fetched: string[] = [];
    const fetch = (url: string) => {
      fetched.push(url);
      const document = { client_id: DOCUMENT, ...program.clientMetadata };
      return Promise.resolve(
        Response.json({ ...document, redirect_uris: ["http://localhost/callback"] }),
      );
    };
    await using site = await startMcp({ clientIdMetadata: { fetch } });
    const client = await connect(generation, site, program);
    await useTools(client);
    assertEquals([program.information?.client_id, fetched], [DOCUMENT, [DOCUMENT]]);
    assertEquals(claimsOf(program.kept?.access_token ?? "")["client_id"], DOCUMENT);
    await client.close();
  });

  Deno.test(`examples/mcp refreshes the tokens of ${name}, for the same API, MCP-3`, async () => {
    await using site = await startMcp();
    const program = new McpProgram();
    const client = await connect(generation, site, program);
    const before = program.kept;
    assert(before?.refresh_token !== undefined);
    program.kept = { ...before, access_token: "expired" };
    program.address = undefined;
    await useTools(client);
    assertEquals(program.address, undefined); // without the user
    assertNotEquals(program.kept?.refresh_token, before.refresh_token);
    assertEquals(claimsOf(program.kept?.access_token ?? "")["aud"], site.resource);
    await client.close();
  });

  Deno.test(`examples/mcp asks ${name} for the scope that its token lacks, 6750-3.1-b, MCP-4`, async () => {
    await using site = await startMcp();
    const program = new McpProgram();
    const { Client, StreamableHTTPClientTransport } = await generation.modules();
    const info = { name: "reader", version: "1.0.0" };
    const open = () =>
      new StreamableHTTPClientTransport(new URL(site.resource), { authProvider: program });
    /** Connects, and signs in on the way: with the scope that the client asks for, or another. */
    const signIn = async (scope?: string): Promise<string | undefined> => {
      const transport = open();
      await assertRejects(() => new Client(info).connect(transport), Error);
      const { address } = program;
      assert(address !== undefined);
      const asked = address.searchParams.get("scope") ?? undefined;
      if (scope !== undefined) address.searchParams.set("scope", scope);
      const back = await site.browser().visit(address);
      await transport.finishAuth(generation.answerOf(back.searchParams));
      await transport.close();
      program.address = undefined;
      return asked;
    };
    await signIn("offline_access"); // as if the user had unticked the other one
    assertEquals(claimsOf(program.kept?.access_token ?? "")["scope"], "offline_access");
    // The older client refreshes its tokens first, which gives it no scope, and then gives up
    const { refresh_token: _, ...others } = program.kept ?? { access_token: "" };
    program.kept = others;
    const asked = await signIn();
    assert(asked?.split(" ").includes("notes"), asked);
    const client = new Client(info);
    await client.connect(open());
    await useTools(client);
    await client.close();
  });

  Deno.test(`examples/mcp gives a client of ${name} with a web page no secret that it does not want`, async () => {
    await using site = await startMcp();
    const redirectUrl = "https://reader.example/callback";
    const open = new McpProgram({ redirectUrl });
    await useTools(await connect(generation, site, open));
    assertEquals(open.information?.["client_secret"], undefined);
    const metadata = { token_endpoint_auth_method: "client_secret_post" };
    const secret = new McpProgram({ redirectUrl, metadata });
    await useTools(await connect(generation, site, secret));
    assertEquals(typeof secret.information?.["client_secret"], "string");
  });
}
