import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  ADA,
  CLIENT,
  createServices,
  NOBODY,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  repeat,
  shown,
  START,
  types,
} from "../_services.ts";

const SAME_USER: readonly [why: string, identifier: string][] = [
  ["as it was given", "ada@example.org"],
  ["case", "ADA@Example.ORG"],
  ["white space around it", " ada@example.org\t"],
  ["full-width characters, NFKC", "ａｄａ＠example.org"],
];

Deno.test("createUser() makes a user who can sign in at once", async () => {
  const { passwords, stores, sessions, hasher } = createServices();
  const authentication = await passwords.createUser(ADA, { client: CLIENT });
  const user = await stores.users.findByIdentifier("ada@example.org");
  assertEquals(authentication, {
    sub: user?.sub ?? "",
    identifier: ADA.identifier,
    securityStamp: user?.securityStamp ?? "",
    authTime: START,
    amr: ["pwd"],
  });
  assertMatch(authentication.sub, /^[\w-]{22}$/);
  assertMatch(authentication.securityStamp, /^[\w-]{22}$/);
  assertEquals([user?.createdAt, user?.disabled], [START, undefined]);
  assertMatch(user?.passwordHash ?? "", /^\$pbkdf2-sha256\$i=1000\$/);
  assertEquals(hasher.calls, ["hash"]);
  const { token } = await sessions.create(authentication);
  assertEquals((await sessions.verify(token))?.user.sub, authentication.sub);
});

Deno.test("createUser() keeps the identifier in its one spelling", async () => {
  for (const [why, identifier] of SAME_USER) {
    const { passwords, stores } = createServices();
    await passwords.createUser({ ...ADA, identifier });
    assert(await stores.users.findByIdentifier("ada@example.org") !== null, why);
  }
});

Deno.test("createUser() refuses an identifier that is taken, however it is spelt", async () => {
  const { passwords, stores } = createServices();
  const { sub } = await passwords.createUser(ADA);
  const before = await stores.users.findBySub(sub);
  for (const [why, identifier] of SAME_USER) {
    const error = await refusal(() =>
      passwords.createUser({ identifier, password: OTHER_PASSWORD })
    );
    assertEquals([error.code, error.status], ["identifier_unavailable", 409], why);
  }
  assertEquals(await stores.users.findBySub(sub), before);
});

Deno.test("createUser() gives an identifier to one of 50 at once", async () => {
  const { passwords, stores } = createServices();
  const attempts = repeat(50, (i) => passwords.createUser({ ...ADA }, { sub: `u${i}` }));
  assertEquals(await outcomes(attempts), { made: 1, identifier_unavailable: 49 });
  const [winner] = (await Promise.allSettled(attempts)).flatMap((attempt) =>
    attempt.status === "fulfilled" ? [attempt.value.sub] : []
  );
  assertEquals((await stores.users.findByIdentifier(ADA.identifier))?.sub, winner);
});

Deno.test("createUser() says what is wrong with a password, without a hash", async () => {
  const { passwords, stores, hasher } = createServices();
  const weak: readonly [why: string, password: unknown][] = [
    ["too short", "short"],
    ["no text", 12345678901234567890n],
    ["no text but a list of them", [PASSWORD]],
    ["absent", undefined],
    ["too long", "long and ".repeat(200)],
    ["NUL", `${PASSWORD}\0`],
    ["half a character", `${PASSWORD}\ud83d`],
  ];
  for (const [why, password] of weak) {
    const error = await refusal(() =>
      passwords.createUser({ ...ADA, password: password as string })
    );
    assertEquals([error.code, error.status], ["weak_password", 422], why);
    const [first] = error.problem.violations ?? [];
    assertEquals([first?.in, first?.pointer], ["body", "/password"], why);
    assertMatch(first?.code ?? "", /^[a-z_]+$/, why);
    assert((first?.message ?? "").length > 5, why);
    assert(!JSON.stringify(shown(error)).includes(PASSWORD), why);
  }
  assertEquals(hasher.calls, []);
  assertEquals(await stores.users.findByIdentifier(ADA.identifier), null);
});

Deno.test("createUser() hands the policy the identifier, and says something even if that is silent", async () => {
  const seen: unknown[] = [];
  const { passwords, hasher } = createServices({
    policy: {
      check(_password, context) {
        seen.push(context?.identifier);
        return Promise.resolve([]);
      },
    },
  });
  const impossible = { identifier: "Ada@example.org", password: "nul \0 in it" };
  const error = await refusal(() => passwords.createUser(impossible));
  assertEquals(seen, ["ada@example.org"]);
  assertEquals(error.code, "weak_password");
  assertEquals(error.problem.violations?.length, 1);
  assertEquals(hasher.calls, []);
});

Deno.test("createUser() takes the application's own subject id", async () => {
  const { passwords, stores } = createServices();
  assertEquals((await passwords.createUser({ ...ADA }, { sub: "u1" })).sub, "u1");
  assertEquals((await stores.users.findBySub("u1"))?.identifier, ADA.identifier);
});

Deno.test("createUser() is counted by address, whatever comes of it, and refused without a hash", async () => {
  const { passwords, hasher, clock, events } = createServices();
  for (const i of repeat(10, (i) => i)) {
    await passwords.createUser({ ...ADA, identifier: `user-${i}` }, { client: CLIENT });
  }
  for (const _ of repeat(5, () => 0)) {
    await refusal(() => passwords.createUser({ ...ADA, identifier: "user-0" }, { client: CLIENT }));
    await refusal(() => passwords.createUser({ ...ADA, password: "weak" }, { client: CLIENT }));
  }
  hasher.calls.length = 0;
  events.length = 0;
  for (const password of [PASSWORD, "weak"]) {
    const error = await refusal(() =>
      passwords.createUser({ ...ADA, password }, { client: CLIENT })
    );
    assertEquals([error.code, error.headers["Retry-After"]], ["throttled", "3600"]);
  }
  assertEquals([hasher.calls, types(events)], [[], ["login.throttled", "login.throttled"]]);
  await passwords.createUser(ADA, { client: { address: "192.0.2.2" } });
  clock.now += 3_600;
  await passwords.createUser({ ...ADA, identifier: "bob" }, { client: CLIENT });
});

Deno.test("createUser(), change() and reset() hash the NFC form of what was typed", async () => {
  const { passwords } = createServices();
  const [composed, decomposed] = ["NFC", "NFD"].map((form) =>
    "Ä rose is Ä rosé is a ñandú".normalize(form)
  ) as [string, string];
  const sub = "u1";
  const matches = async () => await passwords.verify({ ...ADA, password: composed }, NOBODY);
  await passwords.createUser({ ...ADA, password: decomposed }, { sub });
  await matches();
  await passwords.change(sub, { currentPassword: decomposed, newPassword: decomposed }, NOBODY);
  await matches();
  await passwords.reset(sub, decomposed);
  await matches();
});
