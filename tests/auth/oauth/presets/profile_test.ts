/** Whom presets take a user for: rows RP24 to RP29 of the attacks, and what is displayed of a user. */

import { assertEquals } from "@std/assert";
import {
  apple,
  cognito,
  discord,
  facebook,
  github,
  google,
  linkedin,
  microsoft,
  type OAuthFindings,
  type OAuthProfile,
  type OAuthProvider,
  oidcProvider,
  slack,
} from "../../../../auth/oauth/mod.ts";
import {
  APPLE,
  CLIENT,
  CONSUMERS,
  GITHUB_EMAILS,
  GITHUB_USER,
  OTHER_TENANT,
  TENANT,
} from "./_fixtures.ts";

const NOTHING: OAuthFindings = { claims: {}, userinfo: {}, documents: {} };

function read(provider: OAuthProvider, found: Partial<OAuthFindings>): OAuthProfile | string {
  return provider.profile({ ...NOTHING, ...found });
}

const V2 = (tid: string) => `https://login.microsoftonline.com/${tid}/v2.0`;

/** RP24: [why, tenant of the preset, tid, the issuer that `iss` must equal] */
const TENANTS: readonly (readonly [
  why: string,
  tenant: string,
  tid: unknown,
  issuer: string | undefined,
])[] = [
  ["a tenant of common", "common", TENANT, V2(TENANT)],
  ["a personal account at common", "common", CONSUMERS, V2(CONSUMERS)],
  ["a tenant of organizations", "organizations", TENANT, V2(TENANT)],
  ["a personal account at organizations", "organizations", CONSUMERS, undefined],
  ["a personal account at consumers", "consumers", CONSUMERS, V2(CONSUMERS)],
  ["a tenant at consumers", "consumers", TENANT, undefined],
  ["the one tenant", TENANT, TENANT, V2(TENANT)],
  ["another tenant", TENANT, OTHER_TENANT, undefined],
  ["no tid", "common", undefined, undefined],
  ["a tid that is a list", "common", [TENANT], undefined],
  ["a tid that is a name", "common", "contoso.example", undefined],
  ["a tid that is a path", "common", `${TENANT}/../${OTHER_TENANT}`, undefined],
  ["a tid in upper case", "common", OTHER_TENANT.replace(/^9+/, "ABCDEFAB"), undefined],
  ["a tid with a line break", "common", `${TENANT}\n`, undefined],
];
for (const [why, tenant, tid, issuer] of TENANTS) {
  Deno.test(`microsoft() of ${tenant} has ${issuer ?? "no issuer"} for ${why}`, () => {
    const { issuerOf } = microsoft({ ...CLIENT, tenant });
    // The client compares the result with iss, so that the iss of another tenant is refused
    assertEquals(issuerOf?.({ tid, iss: V2(OTHER_TENANT) }), issuer);
  });
}

/** [attack, preset, findings, profile or why it is refused] */
const PROFILES: readonly (readonly [
  attack: string,
  provider: OAuthProvider,
  found: Partial<OAuthFindings>,
  expected: OAuthProfile | string,
])[] = [
  [
    "RP25: Entra's e-mail address, which a tenant's administrator set",
    microsoft({ ...CLIENT, tenant: "common" }),
    { claims: { sub: "1", email: "victim@corp.example", email_verified: true, xms_edov: true } },
    { subject: "1", email: "victim@corp.example", emailVerified: false },
  ],
  [
    "RP26: a Google account without a domain",
    google({ ...CLIENT, hostedDomain: "corp.example" }),
    { claims: { sub: "1", email: "ada@corp.example", email_verified: true } },
    "hosted_domain",
  ],
  [
    "RP26: a Google account of another domain",
    google({ ...CLIENT, hostedDomain: "corp.example" }),
    { claims: { sub: "1", hd: "corp.example.evil.example" } },
    "hosted_domain",
  ],
  [
    "RP26: a Google account of the domain",
    google({ ...CLIENT, hostedDomain: "corp.example" }),
    { claims: { sub: "1", hd: "corp.example" } },
    { subject: "1", emailVerified: false },
  ],
  [
    "RP27: GitHub's primary address that is not verified",
    github(CLIENT),
    githubFindings([{ email: "victim@example.com", primary: true, verified: false }]),
    githubProfile("victim@example.com", false),
  ],
  [
    "RP27: GitHub's verified address that is not primary",
    github(CLIENT),
    githubFindings([{ email: "ada@example.com", primary: false, verified: true }]),
    githubProfile(undefined, false),
  ],
  [
    "RP27: GitHub's public address beside another primary one",
    github(CLIENT),
    githubFindings(GITHUB_EMAILS),
    githubProfile("ada@example.com", true),
  ],
  [
    'RP27: GitHub\'s verified: "true"',
    github(CLIENT),
    githubFindings([{ email: "ada@example.com", primary: true, verified: "true" }]),
    githubProfile("ada@example.com", false),
  ],
  [
    "RP27: GitHub's addresses that are no list",
    github(CLIENT),
    githubFindings({ message: "Not Found" }),
    githubProfile(undefined, false),
  ],
  [
    "RP27: GitHub's list of anything",
    github(CLIENT),
    githubFindings([null, "ada@example.com", 1]),
    githubProfile(undefined, false),
  ],
  [
    "RP28: Facebook's token of another application",
    facebook(CLIENT),
    { userinfo: { id: "1" }, documents: { app: { id: "client-2" } } },
    "token_of_another_application",
  ],
  [
    "RP28: Facebook's token without an application",
    facebook(CLIENT),
    { userinfo: { id: "1" }, documents: { app: [] } },
    "token_of_another_application",
  ],
  [
    "RP28: Facebook's address, which has no flag, and a picture that is a script",
    facebook(CLIENT),
    {
      userinfo: {
        id: "1",
        email: "ada@example.com",
        email_verified: true,
        picture: { data: { url: "javascript:alert(1)" } },
      },
      documents: { app: { id: "client-1" } },
    },
    { subject: "1", email: "ada@example.com", emailVerified: false },
  ],
  [
    "RP29: Apple's user with another address and HTML",
    apple(APPLE),
    {
      claims: { sub: "1", email: "relay@privaterelay.appleid.com", email_verified: true },
      unsigned: {
        email: "victim@example.com",
        email_verified: true,
        sub: "2",
        name: { firstName: "<b>Ada</b>\r\n", lastName: "\u202eecalevoL" },
      },
    },
    {
      subject: "1",
      email: "relay@privaterelay.appleid.com",
      emailVerified: true,
      name: "<b>Ada</b> ecalevoL", // plain text: whoever displays it escapes it
    },
  ],
  [
    "RP29: Apple's user with an address, where the ID token has none",
    apple(APPLE),
    { claims: { sub: "1" }, unsigned: { email: "victim@example.com", name: "Ada" } },
    { subject: "1", emailVerified: false },
  ],
  [
    "Apple's address that is not verified",
    apple(APPLE),
    { claims: { sub: "1", email: "ada@example.com", email_verified: "false" } },
    { subject: "1", email: "ada@example.com", emailVerified: false },
  ],
  [
    "Discord's address that is not verified",
    discord(CLIENT),
    { userinfo: { id: "1", email: "ada@example.com", verified: false } },
    { subject: "1", email: "ada@example.com", emailVerified: false },
  ],
  [
    "Discord's address without a flag",
    discord(CLIENT),
    { userinfo: { id: "1", email: "ada@example.com" } },
    { subject: "1", email: "ada@example.com", emailVerified: false },
  ],
  [
    "Discord's user without an address",
    discord(CLIENT),
    { userinfo: { id: "1", email: null, verified: true } },
    { subject: "1", emailVerified: false },
  ],
  [
    "Discord's user whose id is a number, which JSON may have rounded",
    discord(CLIENT),
    { userinfo: { id: 80351110224678912 } },
    { subject: "", emailVerified: false },
  ],
  [
    "LinkedIn's flag that is a string",
    linkedin(CLIENT),
    { claims: { sub: "1", email: "ada@example.com", email_verified: "true" } },
    { subject: "1", email: "ada@example.com", emailVerified: false },
  ],
  [
    "Slack's user of another workspace",
    slack({ ...CLIENT, team: "T1" }),
    { claims: { sub: "U1", "https://slack.com/team_id": "T2" } },
    "team_mismatch",
  ],
  [
    "Slack's user without a workspace",
    slack(CLIENT),
    { claims: { sub: "U1" } },
    "team_missing",
  ],
  [
    "Slack's users with one id in two workspaces",
    slack({ ...CLIENT, team: "T1" }),
    { claims: { sub: "U1", "https://slack.com/team_id": "T1" } },
    { subject: "T1:U1", emailVerified: false },
  ],
  [
    "Cognito's flag that is a string in an ID token",
    cognito({ ...CLIENT, region: "eu-central-1", userPoolId: "eu-central-1_A" }),
    { claims: { sub: "1", email: "ada@example.com", email_verified: "true" } },
    { subject: "1", email: "ada@example.com", emailVerified: false },
  ],
  [
    "an address of UserInfo beside a flag of the ID token",
    oidcProvider({ ...CLIENT, issuer: "https://id.example.com", identity: "both" }),
    {
      claims: { sub: "1", email: "own@example.com", email_verified: true },
      userinfo: { sub: "1", email: "victim@example.com" },
    },
    { subject: "1", email: "victim@example.com", emailVerified: false },
  ],
  [
    "a flag of UserInfo beside an address of the ID token",
    oidcProvider({ ...CLIENT, issuer: "https://id.example.com", identity: "both" }),
    {
      claims: { sub: "1", email: "victim@example.com", email_verified: false },
      userinfo: { sub: "1", email_verified: true, name: "Ada" },
    },
    { subject: "1", email: "victim@example.com", emailVerified: false, name: "Ada" },
  ],
  [
    'a generic provider\'s email_verified: "true"',
    oidcProvider({ ...CLIENT, issuer: "https://id.example.com" }),
    { claims: { sub: "1", email: "ada@example.com", email_verified: "true" } },
    { subject: "1", email: "ada@example.com", emailVerified: false },
  ],
];
for (const [attack, provider, found, expected] of PROFILES) {
  Deno.test(`${provider.name}() reads ${attack}`, () => {
    assertEquals(read(provider, found), expected);
  });
}

function githubFindings(emails: unknown): Partial<OAuthFindings> {
  return { userinfo: { ...GITHUB_USER, avatar_url: null }, documents: { emails } };
}

function githubProfile(email: string | undefined, emailVerified: boolean): OAuthProfile {
  const own = email === undefined ? {} : { email };
  return { subject: "1", ...own, emailVerified, name: "Ada Lovelace" };
}

Deno.test("github() has no subject for an id that is not a positive safe integer", () => {
  for (const id of ["1", 0, -1, 1.5, 2 ** 53, null, undefined, [1]]) {
    const profile = read(github(CLIENT), { userinfo: { id, login: "octocat" } });
    assertEquals(typeof profile === "string" ? profile : profile.subject, "", String(id));
  }
});
