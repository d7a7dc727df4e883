/** The passwords that leaks show most, from the list of another library: none of them may be chosen. */

import { assertNotEquals } from "@std/assert";
import { passwordPolicy } from "../../auth/password/policy.ts";
import { testVectors } from "./_vectors.ts";

type Entry = readonly [password: string, rank: number, inDjango: boolean];

interface CommonCase {
  readonly id: string;
  readonly password: string;
}

const policy = passwordPolicy({ minLength: 8 });

function entryCases(document: { readonly cases: readonly Entry[] }): readonly CommonCase[] {
  return document.cases.map(([password, rank]) => ({ id: `rank ${rank}`, password }));
}

testVectors<CommonCase>({
  file: "passwords/common-zxcvbn.json",
  casesOf: entryCases,
  expected: 5000, // the file asks for those in both lists, 3,403 of them
  skip: () => undefined,
  async run({ id, password }) {
    assertNotEquals(await policy.check(password), [], id);
  },
});
