import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { bearer, organization } from "better-auth/plugins";
import { createAccessControl } from "better-auth/plugins/access";
import { adminAc, defaultStatements, ownerAc } from "better-auth/plugins/organization/access";
import { forgetOrg } from "./store.ts";

export const ORIGIN = process.env.ORIGIN ?? "http://localhost:3000";

const ac = createAccessControl({
  ...defaultStatements,
  issue: ["read", "write", "moderate"],
});

export const roles = {
  viewer: ac.newRole({ issue: ["read"] }),
  member: ac.newRole({ issue: ["read", "write"] }),
  admin: ac.newRole({ ...adminAc.statements, issue: ["read", "write", "moderate"] }),
  owner: ac.newRole({ ...ownerAc.statements, issue: ["read", "write", "moderate"] }),
};
export type Role = keyof typeof roles;

export const auth = betterAuth({
  baseURL: ORIGIN,
  secret: process.env.SECRET,
  database: memoryAdapter({
    user: [],
    session: [],
    account: [],
    verification: [],
    organization: [],
    member: [],
    invitation: [],
    apikey: [],
  }),
  emailAndPassword: { enabled: true },
  // The access tokens of mobile.ts are sessions: use must not extend them.
  session: { disableSessionRefresh: true },
  verification: { storeIdentifier: "hashed" },
  advanced: { ipAddress: { ipAddressHeaders: ["x-client-ip"] } },
  rateLimit: {
    enabled: true,
    customRules: {
      "/sign-in/email": { window: 60, max: 20 },
      "/sign-up/email": { window: 60, max: 20 },
    },
  },
  plugins: [
    bearer(),
    apiKey({ enableSessionForAPIKeys: true, rateLimit: { enabled: false } }),
    organization({
      ac,
      roles,
      organizationHooks: {
        afterDeleteOrganization: async ({ organization }) => forgetOrg(organization.id),
      },
    }),
  ],
});
