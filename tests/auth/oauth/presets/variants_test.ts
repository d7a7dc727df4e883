/** What options change in the data of presets. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  cognito,
  facebook,
  github,
  gitlab,
  google,
  keycloak,
  microsoft,
  oidcProvider,
  okta,
  slack,
} from "../../../../auth/oauth/mod.ts";
import { CLIENT, FIXTURES, TENANT } from "./_fixtures.ts";

Deno.test("Presets return frozen data that later changes of the options do not reach", () => {
  const scope = ["openid", "email"];
  const parameters = { access_type: "offline" };
  const provider = google({ ...CLIENT, scope, parameters });
  scope.push("https://mail.google.com/");
  parameters.access_type = "online";
  assertEquals(provider.scope, ["openid", "email"]);
  assertEquals(provider.parameters, { access_type: "offline" });
  for (const { provider } of Object.values(FIXTURES)) assertFrozen(provider);
  assertThrows(() => (provider as { clientId: string }).clientId = "client-2", TypeError);
});

function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  assert(Object.isFrozen(value));
  Object.values(value).forEach(assertFrozen);
}

Deno.test("github() of an Enterprise Server has its endpoints there, and does not demand iss", () => {
  const { server, documents, iss } = github({ ...CLIENT, host: "https://git.example.com" });
  assertEquals(server, {
    issuer: "https://git.example.com/login/oauth",
    authorization_endpoint: "https://git.example.com/login/oauth/authorize",
    token_endpoint: "https://git.example.com/login/oauth/access_token",
    userinfo_endpoint: "https://git.example.com/api/v3/user",
  });
  assertEquals(documents?.["emails"]?.url, "https://git.example.com/api/v3/user/emails");
  assertEquals(iss, "optional");
});

Deno.test("github() asks for e-mail addresses only where the scope allows it", () => {
  const namesFor = (scope: string[]) => Object.keys(github({ ...CLIENT, scope }).documents ?? {});
  assertEquals(namesFor(["read:user"]), []);
  assertEquals(namesFor(["user:email"]), ["emails"]);
  assertEquals(namesFor(["user"]), ["emails"]);
});

Deno.test("gitlab() of an instance has its endpoints there", () => {
  const { server } = gitlab({ ...CLIENT, host: "https://gitlab.example.com:8443" });
  assert("issuer" in server);
  assertEquals(server.issuer, "https://gitlab.example.com:8443");
  assertEquals(server.jwks_uri, "https://gitlab.example.com:8443/oauth/discovery/keys");
});

Deno.test("microsoft() of one tenant has its issuer and endpoints", () => {
  const { server } = microsoft({ ...CLIENT, tenant: TENANT });
  assert("issuer" in server);
  assertEquals(server.issuer, `https://login.microsoftonline.com/${TENANT}/v2.0`);
  assertEquals(
    server.token_endpoint,
    `https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/token`,
  );
  assertEquals(
    server.end_session_endpoint,
    `https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/logout`,
  );
});

Deno.test("facebook() takes all documents from the version of the option", () => {
  const provider = facebook({ ...CLIENT, version: "v27.0" });
  assertEquals(JSON.stringify(provider).match(/v\d+\.\d/g), Array(4).fill("v27.0"));
});

Deno.test("google() and slack() ask for the domain and the workspace besides own parameters", () => {
  const parameters = { access_type: "offline", hd: "*", team: "T0" };
  assertEquals(google({ ...CLIENT, hostedDomain: "corp.example", parameters }).parameters, {
    ...parameters,
    hd: "corp.example",
  });
  assertEquals(slack({ ...CLIENT, team: "T1", parameters }).parameters, {
    ...parameters,
    team: "T1",
  });
});

Deno.test("okta() and keycloak() write the issuers of their products", () => {
  assertEquals(okta({ ...CLIENT, domain: "notes.okta.com" }).server, {
    discover: "https://notes.okta.com",
  });
  const url = "https://sso.example.com/auth";
  assertEquals(keycloak({ ...CLIENT, url, realm: "my notes" }).server, {
    discover: "https://sso.example.com/auth/realms/my%20notes",
  });
});

Deno.test("oidcProvider() and cognito() without the option clientSecret are public clients", () => {
  const clientId = "client-1";
  const own = oidcProvider({ clientId, issuer: "https://id.example.com" });
  assertEquals(own.authentication, { method: "none" });
  const pool = cognito({ clientId, region: "eu-central-1", userPoolId: "eu-central-1_A" });
  assertEquals(pool.authentication, { method: "none" });
});

Deno.test("oidcProvider() takes another client authentication and name", () => {
  const provider = oidcProvider({
    clientId: "client-1",
    issuer: "https://id.example.com",
    name: "partner-1",
    authentication: { method: "client_secret_post", secret: "secret-1" },
    idTokenAlgorithms: ["ES384"],
  });
  assertEquals(provider.name, "partner-1");
  assertEquals(provider.authentication, { method: "client_secret_post", secret: "secret-1" });
  assertEquals(provider.idTokenAlgorithms, ["ES384"]);
});
