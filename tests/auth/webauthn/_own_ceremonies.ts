/**
 * What changed ceremonies have in common that are not compared with another library: they are about our records, our limits and
 * our hook, or about the JSON of a response.
 *
 * @module
 */

import type { UserPatch } from "../../../auth/stores/types.ts";
import type { CreateChange, GetChange } from "./_authenticator.ts";
import type { ChangedCeremony, People } from "./_changed_ceremony.ts";

/** Client data with a value that is nested to a depth, the object included. */
export function nested(depth: number): CreateChange & GetChange {
  const value = "[".repeat(depth - 1) + "]".repeat(depth - 1);
  return { clientDataBytes: (text) => text.replace(/\}$/, `,"x":${value}}`) };
}

/** Client data of a length. */
export function long(length: number): CreateChange & GetChange {
  return { clientDataBytes: (text) => text.padEnd(length) };
}

/** Changes ada's account. */
export function update(patch: UserPatch): (people: People) => Promise<void> {
  return async ({ stores: { users } }: People): Promise<void> => {
    const { version = "" } = await users.findBySub("ada") ?? {};
    await users.update("ada", version, patch);
  };
}

/** A member of the response that the page changes; `undefined` leaves it out. */
export function withMember(
  name: string,
  edit: (value: string) => unknown = () => undefined,
): CreateChange & GetChange {
  return {
    json: ({ response, ...rest }) => ({
      ...rest,
      response: { ...response, [name]: edit(String(response[name])) },
    }),
  };
}

/** Rows of both ceremonies, whose response has these members. */
export function both(
  members: readonly string[],
): readonly ChangedCeremony<CreateChange & GetChange>[] {
  return [
    ...members.flatMap((name) => [
      { why: `no ${name}`, change: withMember(name), ends: "response_malformed" as const },
      {
        why: `${name} in base64 with padding`,
        change: withMember(
          name,
          (text) => `${text}====`.slice(0, 4 * Math.ceil((text.length + 1) / 4)),
        ),
        ends: "response_malformed" as const,
      },
      {
        why: `${name} with a character of another alphabet`,
        change: withMember(name, (text) => `/${text.slice(1)}`),
        ends: "response_malformed" as const,
      },
    ]),
    { why: "an id with spare bits", change: { id: "AB" }, ends: "response_malformed" },
    { why: "an id that is a number", change: { id: 5 }, ends: "response_malformed" },
    {
      why: "no rawId",
      change: { json: ({ rawId: _, ...rest }) => rest },
      ends: "response_malformed",
    },
    {
      why: "no type",
      change: { json: ({ type: _, ...rest }) => rest },
      ends: "response_malformed",
    },
    {
      why: "a challenge with padding",
      change: {
        clientDataBytes: (text) => text.replace(/"challenge":"[^"]*/, "$&="),
      },
      ends: "challenge_unknown",
    },
    {
      why: "an empty challenge",
      change: { clientData: { challenge: "" } },
      ends: "challenge_unknown",
    },
  ];
}
