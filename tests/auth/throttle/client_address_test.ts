/** Client addresses, through proxies too, and the unit by which attempts are counted. */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { INPUTS } from "../../_effort.ts";
import { formatIp, parseIp, parseIpNode } from "../../../auth/_ip.ts";
import {
  addressBuckets,
  type ClientAddressOptions,
  clientAddressReader,
} from "../../../auth/throttle/client_address.ts";
import { randomNumbers } from "../../static/_random.ts";

const URL = "https://site.example/";

/** The connection info of Deno.serve. */
function tcp(hostname: string): unknown {
  return { remoteAddr: { transport: "tcp", hostname, port: 50_000 } };
}

function forwarded(...fields: readonly string[]): Request {
  const headers = new Headers();
  for (const field of fields) headers.append("X-Forwarded-For", field);
  return new Request(URL, { headers });
}

/** A reader, and the warnings that it emits. */
function reader(options: ClientAddressOptions = {}) {
  const warnings: string[] = [];
  const read = clientAddressReader({ warn: (message) => void warnings.push(message), ...options });
  return { read, warnings };
}

const DIRECT: readonly [why: string, host: unknown, address: string | undefined][] = [
  ["Deno.serve's info", tcp("192.0.2.1"), "192.0.2.1"],
  ["Deno.serve's info over IPv6", tcp("2001:db8::1"), "2001:db8::1"],
  [
    "Deno.serve's info on a Unix socket",
    { remoteAddr: { transport: "unix", path: "/s" } },
    undefined,
  ],
  ["Bun's server", { requestIP: () => ({ address: "192.0.2.2", port: 1 }) }, "192.0.2.2"],
  ["Bun's server without an address", { requestIP: () => null }, undefined],
  ["an environment of workerd", { KV: {} }, undefined],
  [
    "a connection other than TCP",
    { remoteAddr: { transport: "vsock", hostname: "7" } },
    undefined,
  ],
  ["undefined", undefined, undefined],
  ["null", null, undefined],
  ["an empty address", tcp(""), undefined],
];

for (const [why, host, address] of DIRECT) {
  Deno.test(`clientAddressReader() reads ${why}`, () => {
    assertEquals(reader().read(new Request(URL), host), address);
    assertEquals(reader().read(forwarded("203.0.113.9"), host), address, "without trusted proxies");
  });
}

Deno.test("clientAddressReader() calls requestIP() as a method of Bun's server", () => {
  const request = new Request(URL);
  const server = {
    requestIP(asked: Request) {
      return { address: this === server && asked === request ? "192.0.2.3" : "wrong" };
    },
  };
  assertEquals(reader().read(request, server), "192.0.2.3");
});

Deno.test("clientAddressReader() reads a real connection of Deno.serve", async () => {
  const { read, warnings } = reader();
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const server = Deno.serve(options, (request, info) => new Response(read(request, info)));
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  assertEquals(await response.text(), "127.0.0.1");
  assertEquals(warnings, []);
  await server.shutdown();
});

Deno.test("clientAddressReader() warns once of an unlisted proxy, and names the option", () => {
  const { read, warnings } = reader({ deployment: { proxies: ["192.0.2.7"] } });
  for (let i = 0; i < 3; i++) assertEquals(read(new Request(URL), tcp("10.0.0.1")), "10.0.0.1");
  assertEquals(warnings, [], "without a forwarding proxy");
  for (const field of ["203.0.113.9", "", "x"]) {
    assertEquals(read(forwarded(field), tcp("10.0.0.1")), "10.0.0.1");
  }
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0] ?? "", "deployment.proxies");
});

Deno.test("clientAddressReader() of a direct server ignores X-Forwarded-For, which anyone can send", () => {
  for (const options of [{}, { deployment: "direct" }] as const) {
    const { read, warnings } = reader(options);
    assertEquals(read(forwarded("203.0.113.9"), tcp("192.0.2.1")), "192.0.2.1");
    assertEquals(warnings, []);
  }
});

Deno.test("clientAddressReader() warns once of each reason", () => {
  const { read, warnings } = reader({ deployment: { proxies: ["10.0.0.0/8"] } });
  for (let i = 0; i < 2; i++) {
    read(new Request(URL));
    read(new Request(URL), tcp("10.0.0.1"));
    read(forwarded("unknown"), tcp("10.0.0.1"));
    read(forwarded("203.0.113.9"), tcp("192.0.2.1"));
  }
  assertEquals(warnings.length, 3);
});

Deno.test("clientAddressReader() warns once if the address is unknown, and names the option", () => {
  const { read, warnings } = reader();
  for (let i = 0; i < 3; i++) assertEquals(read(new Request(URL)), undefined);
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0] ?? "", "clientAddress");
});

Deno.test("clientAddressReader() calls a custom reader with all arguments of the host", () => {
  const clientAddress = (request: Request, ...args: unknown[]) =>
    `${request.headers.get("cf-connecting-ip")} ${args.join()}`;
  const request = new Request(URL, { headers: { "CF-Connecting-IP": "device-7" } });
  assertEquals(reader({ deployment: { clientAddress } }).read(request, 1, 2), "device-7 1,2");
});

Deno.test("clientAddressReader() does not read X-Forwarded-For beside a custom reader", () => {
  const { read, warnings } = reader({ deployment: { clientAddress: () => "10.0.0.1" } });
  assertEquals(read(forwarded("203.0.113.9"), tcp("192.0.2.1")), "10.0.0.1");
  assertEquals(warnings, []);
});

Deno.test("clientAddressReader() passes on what a custom reader throws", () => {
  const clientAddress = () => {
    throw new Error("no address today");
  };
  const { read, warnings } = reader({ deployment: { clientAddress } });
  assertThrows(() => read(new Request(URL)), Error, "no address today");
  assertEquals(warnings, []);
});

Deno.test("clientAddressReader() treats null from a custom reader as unknown", () => {
  const header = (request: Request) => request.headers.get("CF-Connecting-IP");
  const { read, warnings } = reader({ deployment: { clientAddress: header as () => string } });
  assertEquals(read(new Request(URL), tcp("192.0.2.1")), undefined);
  assertEquals(warnings.length, 1);
});

Deno.test("clientAddressReader() rejects a promise instead of an address", () => {
  const clientAddress = (() => Promise.resolve("192.0.2.1")) as unknown as () => string;
  assertThrows(
    () => reader({ deployment: { clientAddress } }).read(new Request(URL)),
    TypeError,
    "must return a string",
  );
});

/** Proxies of the rows below: two IPv4 ranges, one IPv6 range. */
const PROXIES = ["10.0.0.0/8", "192.0.2.7", "2001:db8:aa::/48"];

const FORWARDED: readonly [
  why: string,
  peer: string,
  fields: readonly string[],
  address: string | undefined,
][] = [
  ["the only entry", "10.0.0.1", ["203.0.113.9"], "203.0.113.9"],
  ["the last entry", "10.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"],
  [
    "the entry before trusted ones",
    "10.0.0.1",
    ["1.1.1.1, 203.0.113.9, 10.1.2.3, 192.0.2.7"],
    "203.0.113.9",
  ],
  ["the last of several fields", "10.0.0.1", ["198.51.100.1", "203.0.113.9"], "203.0.113.9"],
  ["the first, if all are trusted", "10.0.0.1", ["10.9.9.9, 10.1.2.3"], "10.9.9.9"],
  ["undefined without a field", "10.0.0.1", [], undefined],
  ["undefined for an empty field", "10.0.0.1", [""], undefined],
  ["undefined for a field of commas", "10.0.0.1", [", ,"], undefined],
  [
    "the entry before empty ones, RFC 9110 §5.6.1.2",
    "10.0.0.1",
    [", 203.0.113.9 ,, ,"],
    "203.0.113.9",
  ],
  ["an entry with tabs around", "10.0.0.1", ["1.1.1.1,\t203.0.113.9\t"], "203.0.113.9"],
  ["an entry with a port", "10.0.0.1", ["203.0.113.9:1234"], "203.0.113.9"],
  ["an entry with brackets and a port", "10.0.0.1", ["[2001:DB8::9]:1234"], "2001:db8::9"],
  ["a mapped address as IPv4", "10.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"],
  [
    "an entry from a mapped proxy",
    "::ffff:10.0.0.1",
    ["203.0.113.9, ::ffff:a01:203"],
    "203.0.113.9",
  ],
  ["an entry from an IPv6 proxy", "2001:db8:aa:1::1", ["203.0.113.9"], "203.0.113.9"],
  ["an entry from a proxy with a zone", "2001:db8:aa:1::1%eth0", ["203.0.113.9"], "203.0.113.9"],
  ["undefined for an invalid address", "10.0.0.1", ["203.0.113.9, unknown"], undefined],
  ["undefined for a name", "10.0.0.1", ["203.0.113.9, localhost, 10.0.0.2"], undefined],
  ["undefined for an octal address", "10.0.0.1", ["203.0.113.011"], undefined],
  ["undefined for a leading U+00A0", "10.0.0.1", ["\u00a0203.0.113.9"], undefined],
  ["no entry before an invalid one", "10.0.0.1", ["<script>, 203.0.113.9"], "203.0.113.9"],
  ["no field of an untrusted peer", "203.0.113.66", ["1.1.1.1"], "203.0.113.66"],
  ["no field of an address next to a proxy", "192.0.2.8", ["1.1.1.1"], "192.0.2.8"],
  ["no field of an IPv6 address next to a proxy", "2001:db8:ab::1", ["1.1.1.1"], "2001:db8:ab::1"],
  ["no field of a peer with an invalid address", "unix", ["1.1.1.1"], "unix"],
];

for (const [why, peer, fields, address] of FORWARDED) {
  Deno.test(`clientAddressReader() trusts listed proxies: ${why}`, () => {
    const { read, warnings } = reader({ deployment: { proxies: PROXIES } });
    assertEquals(read(forwarded(...fields), tcp(peer)), address);
    assertEquals(read(forwarded(...fields), tcp(peer)), address);
    const isUnlisted = why.startsWith("no field of");
    const [warning = "", ...others] = warnings;
    assertEquals(others, [], "one warning each");
    if (address === undefined) {
      assertStringIncludes(warning, "a trusted proxy sends no X-Forwarded");
    } else if (isUnlisted) assertStringIncludes(warning, "X-Forwarded-For is ignored");
    else assertEquals([warning, addressBuckets(address) === undefined], ["", false]);
  });
}

Deno.test("clientAddressReader() returns one bucket for 100 spoofed X-Forwarded-For values", () => {
  const spoofed = Array.from({ length: 100 }, (_, i) => `198.51.100.${i}`);
  const bucketsOf = (read: ReturnType<typeof clientAddressReader>, peer: string, suffix: string) =>
    new Set(spoofed.map((text) => {
      const request = forwarded(`${text}, 10.0.0.${text.slice(11)}, ${text}${suffix}`);
      return addressBuckets(read(request, tcp(peer)) ?? "unknown")?.[0];
    }));
  const ignorant = reader().read;
  assertEquals([...bucketsOf(ignorant, "203.0.113.66", "")], ["203.0.113.66"]);
  const believing = reader({ deployment: { proxies: PROXIES } }).read;
  assertEquals([...bucketsOf(believing, "203.0.113.66", "")], ["203.0.113.66"], "connects itself");
  assertEquals(
    [...bucketsOf(believing, "10.0.0.1", ", 203.0.113.66")],
    ["203.0.113.66"],
    "by proxy",
  );
});

Deno.test("clientAddressReader() returns only addresses that addressBuckets() accepts, for random fields", () => {
  const random = randomNumbers(17);
  const entries = [
    "10.0.0.2",
    "203.0.113.9",
    "[2001:db8::9]:1",
    "::ffff:1.2.3.4",
    "64:ff9b::1",
    "",
  ];
  const others = ["unknown", "_x", "1.2.3.4.5", "[::1", "::1%", "é", "\t", "1.2.3.4:x"];
  const { read } = reader({ deployment: { proxies: PROXIES } });
  let known = 0;
  for (let i = 0; i < Math.max(5_000, INPUTS); i++) {
    const field = Array.from({ length: random(6) }, () => {
      const list = random(8) === 0 ? others : entries;
      return list[random(list.length)] ?? "";
    });
    const peer = ["10.0.0.1", "::ffff:10.0.0.1", "2001:db8:aa::1%eth0", "203.0.113.66"][random(4)];
    const address = read(forwarded(field.join()), tcp(peer ?? ""));
    if (address === undefined) continue;
    known++;
    assert(addressBuckets(address) !== undefined, `${address} of ${field.join()}`);
  }
  assert(known > 3_000, `${known} are too few for the test`);
});

Deno.test("clientAddressReader() reads at most the last 32 entries of a field", () => {
  const { read } = reader({ deployment: { proxies: PROXIES } });
  const hops = (count: number) => new Array<string>(count).fill("10.0.0.2").join(",");
  assertEquals(read(forwarded(`203.0.113.9,${hops(31)}`), tcp("10.0.0.1")), "203.0.113.9");
  assertEquals(read(forwarded(`203.0.113.9,${hops(32)}`), tcp("10.0.0.1")), "10.0.0.2");
});

/** Ranges, addresses in them and their neighbours. */
const RANGES: readonly [range: string, inside: readonly string[], outside: readonly string[]][] = [
  ["0.0.0.0/0", ["1.2.3.4", "255.255.255.255"], ["::1", "2001:db8::1"]],
  ["::/0", ["::1", "2001:db8::1"], ["1.2.3.4", "::ffff:1.2.3.4"]],
  ["10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0", "::a00:1"]],
  ["172.16.0.0/12", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]],
  ["192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127", "192.0.3.128"]],
  ["192.0.2.6/31", ["192.0.2.6", "192.0.2.7"], ["192.0.2.5", "192.0.2.8"]],
  ["192.0.2.7/32", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]],
  ["192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.6", "192.0.2.8"]],
  ["::ffff:10.0.0.0/104", ["10.0.0.0", "::ffff:10.1.1.1"], ["11.0.0.0", "::1"]],
  ["2001:db8::/32", ["2001:db8::", "2001:db8:ffff::1"], ["2001:db7:ffff::", "2001:db9::"]],
  ["2001:db8:0:cd30::/60", ["2001:db8:0:cd3f::1"], ["2001:db8:0:cd40::", "2001:db8:0:cd2f::"]],
  ["fe80::/10", ["fe80::1", "febf::1", "fe80::1%eth0"], ["fec0::1", "fe7f::1"]],
  ["::1", ["::1", "0:0:0:0:0:0:0:1"], ["::2", "::", "0.0.0.1", "127.0.0.1"]],
];

for (const [range, inside, outside] of RANGES) {
  Deno.test(`clientAddressReader() trusts ${range} only`, () => {
    const { read } = reader({ deployment: { proxies: [range] } });
    const request = forwarded("device:203.0.113.9,203.0.113.9:1");
    const client = range === "0.0.0.0/0" ? undefined : "203.0.113.9";
    for (const peer of inside) assertEquals(read(request, tcp(peer)), client, peer);
    for (const peer of outside) assertEquals(read(request, tcp(peer)), peer, peer);
  });
}

const NO_RANGE: readonly unknown[] = [
  ...["", "localhost", "loopback", "*", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/"],
  ...[
    "10.0.0.0/8/8",
    "10.0.0.0/8.0",
    "10.0.0.0/+8",
    "10.0.0/8",
    "010.0.0.0/8",
    "10.0.0.0/255.0.0.0",
  ],
  ...["10.0.0.1/8", "192.0.2.7/31", "10.0.0.0 /8", " 10.0.0.0/8", "10.0.0.0/8\n", "10.0.0.0:80"],
  ...["2001:db8::/129", "2001:db8::1/32", "::ffff:0.0.0.0/95", "[::1]", "[2001:db8::]/32"],
  ...["fe80::%eth0/10", "2001:0DB8:0:CD3/60", "2001:0DB8::CD30/60", "/8", "10.0.0.1, 10.0.0.2"],
  ...[null, undefined, 10, {}, ["10.0.0.1"]],
];

for (const text of NO_RANGE) {
  Deno.test(`clientAddressReader() rejects ${JSON.stringify(text)} as a trusted proxy`, () => {
    const deployment = { proxies: ["10.0.0.0/8", text] as string[] };
    const error = assertThrows(() => clientAddressReader({ deployment }), TypeError);
    assertStringIncludes((error as Error).message, "deployment.proxies[1]");
  });
}

const NO_DEPLOYMENT: readonly [why: string, deployment: unknown][] = [
  ["null", null],
  ["another word", "proxied"],
  ["an empty string", ""],
  ["an array of proxies", ["10.0.0.0/8"]],
  ["a function", () => "192.0.2.1"],
  ["no member", {}],
  ["an unknown member", { proxy: ["10.0.0.0/8"] }],
  ["both members", { proxies: ["10.0.0.0/8"], clientAddress: () => "192.0.2.1" }],
  ["a member and an unknown one", { proxies: ["10.0.0.0/8"], depth: 1 }],
  ["proxies that are a string", { proxies: "10.0.0.0/8" }],
  ["proxies that are undefined", { proxies: undefined }],
  ["proxies that are an object", { proxies: {} }],
  ["an address instead of a function", { clientAddress: "10.0.0.1" }],
];
for (const [why, deployment] of NO_DEPLOYMENT) {
  Deno.test(`clientAddressReader() rejects as a deployment: ${why}`, () => {
    const options = { deployment } as ClientAddressOptions;
    assertThrows(() => clientAddressReader(options), TypeError, "deployment");
  });
}

/** RFC 4291 §2.2 and RFC 5952 §1, §2, §4: representations of addresses, and the canonical one. */
const SAME: readonly [why: string, canonical: string, ...texts: readonly string[]][] = [
  [
    "RFC 4291 §2.2 (1)",
    "abcd:ef01:2345:6789:abcd:ef01:2345:6789",
    "ABCD:EF01:2345:6789:ABCD:EF01:2345:6789",
  ],
  ["RFC 4291 §2.2 (1)", "2001:db8::8:800:200c:417a", "2001:DB8:0:0:8:800:200C:417A"],
  ["RFC 4291 §2.2 (2)", "ff01::101", "FF01:0:0:0:0:0:0:101", "FF01::101"],
  ["RFC 4291 §2.2 (2)", "::1", "0:0:0:0:0:0:0:1"],
  ["RFC 4291 §2.2 (2)", "::", "0:0:0:0:0:0:0:0"],
  ["RFC 4291 §2.2 (3)", "::d01:4403", "0:0:0:0:0:0:13.1.68.3", "::13.1.68.3"],
  ["RFC 4291 §2.2 (3)", "129.144.52.38", "0:0:0:0:0:FFFF:129.144.52.38", "::FFFF:129.144.52.38"],
  [
    "RFC 5952 §1",
    "2001:db8::1:0:0:1",
    "2001:db8:0:0:1:0:0:1",
    "2001:0db8:0:0:1:0:0:1",
    "2001:db8::1:0:0:1",
    "2001:db8::0:1:0:0:1",
    "2001:0db8::1:0:0:1",
    "2001:db8:0:0:1::1",
    "2001:db8:0000:0:1::1",
    "2001:DB8:0:0:1::1",
  ],
  [
    "RFC 5952 §2.1",
    "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1",
    "2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001",
  ],
  ["RFC 5952 §4.2.1", "2001:db8::2:1", "2001:db8:0:0:0:0:2:1"],
  ["RFC 5952 §4.2.2", "2001:db8:0:1:1:1:1:1", "2001:db8::1:1:1:1:1"],
  ["RFC 5952 §4.2.3, the longest", "2001:0:0:1::1", "2001:0:0:1:0:0:0:1"],
  ["RFC 5952 §4.2.3, the first of two", "2001:db8::1:0:0:1", "2001:db8:0:0:1:0:0:1"],
  ["trailing zeros", "1::", "1:0:0:0:0:0:0:0", "1:0::0:0"],
  ["IPv4", "192.0.2.1", "192.0.2.1", "::ffff:c000:201", "0:0:0:0:0:ffff:c000:0201"],
  ["IPv4, its first and last address", "0.0.0.0", "::ffff:0:0"],
  ["IPv4, its first and last address", "255.255.255.255", "::ffff:ffff:ffff"],
];

for (const [why, canonical, ...texts] of SAME) {
  Deno.test(`parseIp() and formatIp() normalize to ${canonical}: ${why}`, () => {
    for (const text of [canonical, ...texts]) {
      const ip = parseIp(text);
      assert(ip !== undefined, text);
      assertEquals(formatIp(ip), canonical, text);
    }
  });
}

const NO_ADDRESS: readonly string[] = [
  ...["", " ", "localhost", "unknown", "_hidden", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256"],
  ...["01.2.3.4", "1.2.3.04", "0x1.2.3.4", "1.2.3.4e0", "1.2.3.-4", "+1.2.3.4", "1..3.4", "1.2.3."],
  ...["2130706433", "0177.0.0.1", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\n", "1.2.3.4\0", "１.2.3.4"],
  ...[":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2::3"],
  ...["1:2:3:4:5:6:7::8:9", "12345::", "g::", "::g", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "::1:"],
  ...["1:2:3:4::5:6:7:8", "::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "1.2.3.4::", "::1.2.3.4:5"],
  ...[
    "1:2:3:4:5:6:7:1.2.3.4",
    "::-1",
    "::+1",
    "::0x1",
    ":: 1",
    "::1\n",
    "::1/64",
    "::ffff:1.2.3.400",
  ],
];

for (const text of NO_ADDRESS) {
  Deno.test(`parseIp() rejects ${JSON.stringify(text)}`, () => {
    assertEquals(parseIp(text), undefined);
    assertEquals(addressBuckets(text), undefined);
  });
}

const BUCKETS: readonly [why: string, address: string, bucket: string | undefined][] = [
  ["IPv4", "192.0.2.43", "192.0.2.43"],
  ["IPv4 with a port, RFC 7239 §6", "192.0.2.43:47011", "192.0.2.43"],
  ["IPv6", "2001:db8:cafe:1::17", "2001:db8:cafe:1::/64"],
  ["IPv6 in brackets, RFC 7239 §4", "[2001:db8:cafe::17]", "2001:db8:cafe::/64"],
  ["IPv6 with a port, RFC 7239 §4", "[2001:db8:cafe::17]:4711", "2001:db8:cafe::/64"],
  ["IPv6 in capitals", "2001:DB8:CAFE:0:FFFF:FFFF:FFFF:FFFF", "2001:db8:cafe::/64"],
  ["IPv6 with a zone", "fe80::1%eth0", "fe80::/64"],
  ["IPv6 with a zone, brackets and port", "[fe80::1%eth0.7]:443", "fe80::/64"],
  ["the loopback", "::1", "::/64"],
  ["four groups without zeros", "1:2:3:4:5:6:7:8", "1:2:3:4::/64"],
  ["a mapped IPv4", "::ffff:192.0.2.43", "192.0.2.43"],
  ["a mapped IPv4 in capitals", "::FFFF:192.0.2.43", "192.0.2.43"],
  ["a mapped IPv4 in hex", "::ffff:c000:22b", "192.0.2.43"],
  ["a mapped IPv4 in full", "0:0:0:0:0:ffff:c000:022b", "192.0.2.43"],
  ["a mapped IPv4 in brackets", "[::ffff:192.0.2.43]", "192.0.2.43"],
  ["a mapped IPv4 with a port", "[::ffff:192.0.2.43]:80", "192.0.2.43"],
  ["a mapped IPv4 with a zone", "::ffff:192.0.2.43%eth0", "192.0.2.43"],
  ["IPv4 over NAT64, RFC 6052 §2.4", "64:ff9b::192.0.2.33", "192.0.2.33"],
  ["IPv4 over NAT64 in hex", "64:ff9b::c000:221", "192.0.2.33"],
  ["IPv4 over NAT64 in full", "0064:ff9b:0:0:0:0:c000:0221", "192.0.2.33"],
  ["IPv4 over NAT64 with brackets, port and zone", "[64:ff9b::192.0.2.33%eth0]:80", "192.0.2.33"],
  ["the first NAT64 address", "64:ff9b::", "0.0.0.0"],
  ["the last NAT64 address", "64:ff9b::ffff:ffff", "255.255.255.255"],
  ["the address before NAT64", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", "64:ff9a:ffff:ffff::/64"],
  ["the address after NAT64, in its /64", "64:ff9b::1:0:0", "64:ff9b::/64"],
  ["a local-use NAT64 prefix, RFC 8215", "64:ff9b:1::192.0.2.33", "64:ff9b:1::/64"],
  ["an IPv4-compatible address, which is deprecated", "::192.0.2.43", "::/64"],
  ["6to4, RFC 3056 §2", "2002:c000:22b::1", "192.0.2.43"],
  ["another network of 6to4", "2002:c000:22b:7::1", "192.0.2.43"],
  ["the address after 6to4", "2003:c000:22b::1", "2003:c000:22b::/64"],
  ["a device's name", "device-17", undefined],
  ["a header field with a list", "203.0.113.9, 10.0.0.1", undefined],
  ["a proxy's value for an unknown client", "unknown", undefined],
  ["a leading space", " 192.0.2.43", undefined],
  ["IPv4 in brackets, which is invalid", "[192.0.2.43]", undefined],
  ["IPv4 with a zone, which is invalid", "192.0.2.43%eth0", undefined],
  ["an empty zone", "fe80::1%", undefined],
  ["an invalid port", "192.0.2.43:x", undefined],
  ["an unclosed bracket", "[::1", undefined],
  ["a bucket, which is not an address", "2001:db8::/64", undefined],
  ["101 characters", `fe80::1%${"x".repeat(93)}`, undefined],
];

for (const [why, address, bucket] of BUCKETS) {
  Deno.test(`addressBuckets() returns ${bucket ?? "undefined"} for ${why}`, () => {
    const buckets = addressBuckets(address);
    assertEquals(buckets?.[0], bucket);
    assertEquals(buckets?.length, bucket && (bucket.includes(":") ? 2 : 1));
  });
}

Deno.test("addressBuckets() counts 1,000 addresses of one /64 as one, and neighboring networks separately", () => {
  const random = randomNumbers(64);
  const within = () => Array.from({ length: 4 }, () => random(0x10000).toString(16)).join(":");
  const buckets = Array.from(
    { length: 1000 },
    () => addressBuckets(`2001:db8:7:8:${within()}`)?.[0],
  );
  assertEquals([...new Set(buckets)], ["2001:db8:7:8::/64"]);
  const neighbours = ["2001:db8:7:7::1", "2001:db8:7:9::1", "2001:db8:8:8::1", "2001:db9:7:8::1"];
  assertEquals(
    new Set([...neighbours, "2001:db8:7:8::1"].map((text) => addressBuckets(text)?.[0])).size,
    5,
  );
});

Deno.test("addressBuckets() returns the /48 of an IPv6 address after its /64", () => {
  const site = "2001:db8:7::/48";
  assertEquals(addressBuckets("2001:db8:7:8::1"), ["2001:db8:7:8::/64", site]);
  assertEquals(addressBuckets("2001:db8:7:ffff::1"), ["2001:db8:7:ffff::/64", site]);
  assertEquals(addressBuckets("2001:db8:8:8::1")?.[1], "2001:db8:8::/48");
});

Deno.test("parseIp() reverses formatIp(), for random addresses", () => {
  const random = randomNumbers(5952);
  for (let i = 0; i < INPUTS; i++) {
    const length = random(4) === 0 ? 4 : 16;
    const ip = Array.from({ length }, () => random(2) === 0 ? 0 : random(256));
    assertEquals(parseIp(formatIp(ip)), ip);
  }
});

Deno.test("addressBuckets() accepts random strings without throwing", () => {
  const random = randomNumbers(3);
  const parts = [
    "1",
    "255",
    "ffff",
    ":",
    "::",
    ".",
    "[",
    "]",
    "%",
    "/",
    "eth0",
    "\0",
    " ",
    "é",
    "x",
  ];
  for (let i = 0; i < 20_000; i++) {
    const text = Array.from({ length: random(18) }, () => parts[random(parts.length)]).join("");
    const bucket = addressBuckets(text)?.join(" ");
    assertEquals(bucket !== undefined, parseIpNode(text) !== undefined, JSON.stringify(text));
    assert(bucket === undefined || /^[\d.]+$|^[0-9a-f:]+\/64 [0-9a-f:]+\/48$/.test(bucket), bucket);
  }
});
