/**
 * A catalogue of forged requests, as scripts of an attacker's page.
 *
 * @module
 */

import { PASSWORD } from "./_harness.ts";
import { literal } from "./_steps.ts";

/** A request that an attacker has a user's browser send. */
export interface Attack {
  /** What it is, in a test's name. */
  readonly why: string;
  /** Runs in the attacker's page. @param app Origin of the application. */
  readonly script: (app: string) => string;
  /** The request that reaches the application. */
  readonly reaches: readonly [method: string, path: string];
}

/** A script that sends a form as the user's browser does when it is led to another page. */
export function form(
  url: string,
  enctype: string,
  fields: Readonly<Record<string, string>>,
): string {
  return `{
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: ${literal(url)}, enctype: ${literal(enctype)} });
    for (const [name, value] of Object.entries(${literal(fields)})) {
      const input = document.createElement("input");
      Object.assign(input, { type: "hidden", name, value });
      form.append(input);
    }
    document.body.append(form);
    form.submit();
  }`;
}

/** A script that sends without a preflight, with cookies, and cannot read the answer. */
export function blind(url: string, init: string): string {
  return `fetch(${
    literal(url)
  }, { method: "POST", mode: "no-cors", credentials: "include", ${init} })
    .then(() => undefined)`;
}

const URLENCODED = "application/x-www-form-urlencoded";
/** What the attacker signs in by, as JSON. */
export const CREDENTIALS: string = literal({
  identifier: "mallory@example.com",
  password: PASSWORD,
});

/** Forged requests that browsers send without asking the application first. */
export const SENT: readonly Attack[] = [
  {
    why: "a form",
    script: (app) => form(`${app}/json`, URLENCODED, { to: "mallory" }),
    reaches: ["POST", "/json"],
  },
  {
    why: "a form that looks like JSON",
    script: (app) => form(`${app}/json`, "text/plain", { '{"to":"mallory","ignored":"': '"}' }),
    reaches: ["POST", "/json"],
  },
  {
    why: "a form with files",
    script: (app) => form(`${app}/form`, "multipart/form-data", { to: "mallory" }),
    reaches: ["POST", "/form"],
  },
  {
    why: "a form to a route that takes anything",
    script: (app) => form(`${app}/raw`, URLENCODED, { to: "mallory" }),
    reaches: ["POST", "/raw"],
  },
  {
    why: "a form that asks for another method",
    script: (app) => form(`${app}/raw?_method=DELETE`, URLENCODED, { _method: "DELETE" }),
    reaches: ["POST", "/raw"],
  },
  {
    why: "a form by way of a redirect",
    script: (app) => form(`/?to=${encodeURIComponent(`${app}/raw`)}`, URLENCODED, {}),
    reaches: ["POST", "/raw"],
  },
  {
    why: "a blind fetch of text",
    script: (app) => blind(`${app}/raw`, `body: "x"`),
    reaches: ["POST", "/raw"],
  },
  {
    why: "a blind fetch of a form with files",
    script: (app) => blind(`${app}/form`, `body: new FormData()`),
    reaches: ["POST", "/form"],
  },
  {
    why: "a blind fetch without content type",
    script: (app) => blind(`${app}/json`, `body: new Blob([${literal(CREDENTIALS)}])`),
    reaches: ["POST", "/json"],
  },
  {
    why: "a blind fetch without referrer",
    script: (app) => blind(`${app}/raw`, `body: "x", referrerPolicy: "no-referrer"`),
    reaches: ["POST", "/raw"],
  },
  {
    why: "a beacon",
    script: (app) => `navigator.sendBeacon(${literal(`${app}/raw`)}, "x")`,
    reaches: ["POST", "/raw"],
  },
  {
    why: "a logout",
    script: (app) => form(`${app}/auth/logout`, URLENCODED, {}),
    reaches: ["POST", "/auth/logout"],
  },
  {
    why: "a login as the attacker",
    script: (app) => blind(`${app}/auth/login`, `body: ${literal(CREDENTIALS)}`),
    reaches: ["POST", "/auth/login"],
  },
  {
    why: "a registration",
    script: (app) => form(`${app}/auth/register`, "text/plain", { [CREDENTIALS]: "" }),
    reaches: ["POST", "/auth/register"],
  },
  {
    why: "a form in a frame without an origin",
    script: (app) => {
      const content = `<form method="post" action="${app}/raw"></form>` +
        `<script>document.forms[0].submit()</script>`;
      return `{
        const frame = document.createElement("iframe");
        frame.sandbox = "allow-scripts allow-forms";
        frame.srcdoc = ${literal(content)};
        document.body.append(frame);
      }`;
    },
    reaches: ["POST", "/raw"],
  },
];

/** Requests that change nothing, or nothing by this method. */
export const HARMLESS: readonly Attack[] = [
  {
    why: "a picture",
    script: (app) => `new Image().src = ${literal(`${app}/private`)}; undefined`,
    reaches: ["GET", "/private"],
  },
  {
    why: "a link",
    script: (app) => `location.href = ${literal(`${app}/private`)}`,
    reaches: ["GET", "/private"],
  },
  {
    why: "a link to the logout",
    script: (app) => `location.href = ${literal(`${app}/auth/logout`)}`,
    reaches: ["GET", "/auth/logout"],
  },
  {
    why: "a link to what only DELETE does",
    script: (app) => `location.href = ${literal(`${app}/item?_method=DELETE`)}`,
    reaches: ["GET", "/item"],
  },
];

/** Requests that browsers ask the application about first, since a form cannot send them. */
export const ASKED_FIRST: readonly [why: string, path: string, init: string][] = [
  ["JSON", "/json", `method: "POST", headers: { "Content-Type": "application/json" }, body: "{}"`],
  ["DELETE", "/item", `method: "DELETE"`],
  ["a token's header field", "/raw", `method: "POST", headers: { "X-CSRF-Token": "x" }`],
];
