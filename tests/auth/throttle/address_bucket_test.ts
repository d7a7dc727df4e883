/** What is an address, in which writings, and what counts as one. */

import { assert, assertEquals } from "@std/assert";
import { formatIp, parseIp, parseIpNode } from "../../../auth/_ip.ts";
import { addressBucket } from "../../../auth/throttle/client_address.ts";
import { randomNumbers } from "../../static/_random.ts";

/** RFC 4291 §2.2 and RFC 5952 §1, §2, §4: texts of addresses, and the one text that each of them is. */
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
  ["an end of zeros", "1::", "1:0:0:0:0:0:0:0", "1:0::0:0"],
  ["IPv4", "192.0.2.1", "192.0.2.1", "::ffff:c000:201", "0:0:0:0:0:ffff:c000:0201"],
  ["IPv4, its ends", "0.0.0.0", "::ffff:0:0"],
  ["IPv4, its ends", "255.255.255.255", "::ffff:ffff:ffff"],
];

for (const [why, canonical, ...texts] of SAME) {
  Deno.test(`parseIp() and formatIp() give one text for ${canonical}, ${why}`, () => {
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
  Deno.test(`parseIp() takes ${JSON.stringify(text)} for no address`, () => {
    assertEquals(parseIp(text), undefined);
    assertEquals(addressBucket(text), undefined);
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
  ["IPv4 behind NAT64, RFC 6052 §2.4", "64:ff9b::192.0.2.33", "192.0.2.33"],
  ["IPv4 behind NAT64 in hex", "64:ff9b::c000:221", "192.0.2.33"],
  ["IPv4 behind NAT64 in full", "0064:ff9b:0:0:0:0:c000:0221", "192.0.2.33"],
  ["IPv4 behind NAT64 with brackets, port and zone", "[64:ff9b::192.0.2.33%eth0]:80", "192.0.2.33"],
  ["the first behind NAT64", "64:ff9b::", "0.0.0.0"],
  ["the last behind NAT64", "64:ff9b::ffff:ffff", "255.255.255.255"],
  ["one before NAT64", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", "64:ff9a:ffff:ffff::/64"],
  ["one behind NAT64, in its /64", "64:ff9b::1:0:0", "64:ff9b::/64"],
  ["a translator of one's own, RFC 8215", "64:ff9b:1::192.0.2.33", "64:ff9b:1::/64"],
  ["an IPv4 address that is compatible, and deprecated", "::192.0.2.43", "::/64"],
  ["6to4, RFC 3056", "2002:c000:22b::1", "2002:c000:22b::/64"],
  ["a device's name", "device-17", undefined],
  ["a header field with a list", "203.0.113.9, 10.0.0.1", undefined],
  ["what a proxy says of nobody", "unknown", undefined],
  ["a space in front", " 192.0.2.43", undefined],
  ["IPv4 in brackets, which is none", "[192.0.2.43]", undefined],
  ["IPv4 with a zone, which is none", "192.0.2.43%eth0", undefined],
  ["an empty zone", "fe80::1%", undefined],
  ["a port that is none", "192.0.2.43:x", undefined],
  ["a bracket left open", "[::1", undefined],
  ["a bucket, which is no address", "2001:db8::/64", undefined],
  ["101 characters", `fe80::1%${"x".repeat(93)}`, undefined],
];

for (const [why, address, bucket] of BUCKETS) {
  Deno.test(`addressBucket() gives ${bucket ?? "nothing"} for ${why}`, () => {
    assertEquals(addressBucket(address), bucket);
  });
}

Deno.test("addressBucket() counts 1,000 addresses of one /64 as one, and its neighbours apart", () => {
  const random = randomNumbers(64);
  const within = () => Array.from({ length: 4 }, () => random(0x10000).toString(16)).join(":");
  const buckets = Array.from({ length: 1000 }, () => addressBucket(`2001:db8:7:8:${within()}`));
  assertEquals([...new Set(buckets)], ["2001:db8:7:8::/64"]);
  const neighbours = ["2001:db8:7:7::1", "2001:db8:7:9::1", "2001:db8:8:8::1", "2001:db9:7:8::1"];
  assertEquals(new Set([...neighbours, "2001:db8:7:8::1"].map(addressBucket)).size, 5);
});

Deno.test("formatIp() writes what parseIp() reads as the same, for 5,000 random addresses", () => {
  const random = randomNumbers(5952);
  for (let i = 0; i < 5_000; i++) {
    const length = random(4) === 0 ? 4 : 16;
    const ip = Array.from({ length }, () => random(2) === 0 ? 0 : random(256));
    assertEquals(parseIp(formatIp(ip)), ip);
  }
});

Deno.test("addressBucket() takes random texts without throwing", () => {
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
    const bucket = addressBucket(text);
    assertEquals(bucket !== undefined, parseIpNode(text) !== undefined, JSON.stringify(text));
    assert(bucket === undefined || /^[\d.]+$|^[0-9a-f:]+\/64$/.test(bucket), bucket);
  }
});
