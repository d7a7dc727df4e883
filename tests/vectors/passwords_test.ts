/** The most common leaked passwords of another library's list: the policy rejects all of them. */

import { assertNotEquals } from "@std/assert";
import { passwordPolicy } from "../../auth/password/policy.ts";
import { testVectors } from "./_vectors.ts";

type Entry = readonly [password: string, rank: number, inDjango: boolean];

interface CommonCase {
  readonly id: string;
  readonly password: string;
  readonly inDjango: boolean;
}

const policy = passwordPolicy({ minLength: 8 });

function entryCases(document: { readonly cases: readonly Entry[] }): readonly CommonCase[] {
  return document.cases.map(([password, rank, inDjango]) => ({
    id: `rank ${rank}`,
    password,
    inDjango,
  }));
}

testVectors<CommonCase>({
  file: "passwords/common-zxcvbn.json",
  casesOf: entryCases,
  skip: ({ inDjango }) => inDjango ? undefined : "are in one of the two lists only",
  async run({ id, password }) {
    assertNotEquals(await policy.check(password), [], id);
  },
});
