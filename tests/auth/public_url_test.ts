/** Which URLs may be fetched: the spellings of a host that the parser accepts, and the ranges that are not public. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertNotStrictEquals,
  assertThrows,
} from "@std/assert";
import { publicUrl } from "../../auth/_public_url.ts";

const CANNOT = "Cannot fetch";

/** [first and last address of a range, its purpose] */
const RANGES: readonly (readonly [first: string, last: string, what: string])[] = [
  ["0.0.0.0", "0.255.255.255", "this network"],
  ["10.0.0.0", "10.255.255.255", "private"],
  ["100.64.0.0", "100.127.255.255", "a carrier's NAT"],
  ["127.0.0.0", "127.255.255.255", "loopback"],
  ["169.254.0.0", "169.254.255.255", "link-local"],
  ["172.16.0.0", "172.31.255.255", "private"],
  ["192.0.0.0", "192.0.0.255", "protocol assignments"],
  ["192.0.2.0", "192.0.2.255", "documentation"],
  ["192.88.99.0", "192.88.99.255", "6to4 relays"],
  ["192.168.0.0", "192.168.255.255", "private"],
  ["198.18.0.0", "198.19.255.255", "benchmarking"],
  ["198.51.100.0", "198.51.100.255", "documentation"],
  ["203.0.113.0", "203.0.113.255", "documentation"],
  ["224.0.0.0", "239.255.255.255", "multicast"],
  ["240.0.0.0", "255.255.255.255", "reserved and broadcast"],
  ["[::]", "[::]", "unspecified"],
  ["[::1]", "[::1]", "loopback"],
  ["[::2]", "[::ffff:ffff]", "IPv4-compatible, even with a public address"],
  ["[::ffff:10.0.0.0]", "[::ffff:10.255.255.255]", "IPv4-mapped private"],
  ["[::ffff:127.0.0.1]", "[::ffff:7fff:ffff]", "IPv4-mapped loopback"],
  ["[::ffff:a9fe:0]", "[::ffff:169.254.169.254]", "IPv4-mapped link-local"],
  ["[::ffff:0:127.0.0.1]", "[::ffff:0:a9fe:a9fe]", "IPv4-translated, RFC 2765"],
  ["[64:ff9b::]", "[64:ff9b::ffff:ffff]", "NAT64"],
  ["[64:ff9b:1::]", "[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]", "local NAT64"],
  ["[100::]", "[100::ffff:ffff:ffff:ffff]", "discard-only"],
  ["[1fff:ffff::]", "[1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "not allocated"],
  ["[2001::]", "[2001:0:ffff:ffff:ffff:ffff:ffff:ffff]", "Teredo"],
  ["[2001:2::]", "[2001:2:0:ffff:ffff:ffff:ffff:ffff]", "benchmarking"],
  ["[2001:10::]", "[2001:2f:ffff:ffff:ffff:ffff:ffff:ffff]", "ORCHID"],
  ["[2001:100::]", "[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]", "protocol assignments"],
  ["[2001:db8::]", "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]", "documentation"],
  ["[2002::]", "[2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "6to4"],
  ["[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "6to4 of loopback and link-local"],
  ["[3fff::]", "[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]", "documentation"],
  ["[4000::]", "[5f00::ffff]", "not allocated, and segment routing"],
  ["[fc00::]", "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "unique local"],
  ["[fe80::]", "[febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "link-local"],
  ["[fec0::]", "[feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "site-local, RFC 3879"],
  ["[ff00::]", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "multicast"],
];
for (const [first, last, what] of RANGES) {
  Deno.test(`publicUrl() rejects ${first} to ${last}: ${what}`, () => {
    for (const host of new Set([first, last])) {
      assertRefused(`https://${host}/jwks`);
      assertRefused(`https://${host}:8443/jwks`);
      assertRefused(`http://${host}/jwks`);
    }
  });
}

/** Addresses just outside of a range, and names. */
const PUBLIC: readonly (readonly [host: string, why: string])[] = [
  ["1.0.0.0", "after this network"],
  ["9.255.255.255", "before 10/8"],
  ["11.0.0.0", "after 10/8"],
  ["100.63.255.255", "before the carriers' NAT"],
  ["100.128.0.0", "after it"],
  ["126.255.255.255", "before loopback"],
  ["128.0.0.0", "after loopback"],
  ["169.253.255.255", "before link-local"],
  ["169.255.0.0", "after link-local"],
  ["172.15.255.255", "before 172.16/12"],
  ["172.32.0.0", "after 172.16/12"],
  ["192.0.1.0", "after 192.0.0/24"],
  ["192.0.3.0", "after documentation"],
  ["192.167.255.255", "before 192.168/16"],
  ["192.169.0.0", "after 192.168/16"],
  ["198.17.255.255", "before benchmarking"],
  ["198.20.0.0", "after benchmarking"],
  ["223.255.255.255", "before multicast"],
  ["[::ffff:8.8.8.8]", "a mapped address is treated as IPv4"],
  ["[2000::]", "the first allocated address"],
  ["[2001:200::]", "after the protocol assignments"],
  ["[2001:db7:ffff::]", "before documentation"],
  ["[2001:db9::]", "after documentation"],
  ["[2003::]", "after 6to4"],
  ["[2606:4700:4700::1111]", "somebody's resolver"],
  ["[3ffe:ffff::]", "before documentation"],
  ["[3fff:1000::]", "after documentation"],
  ["id.example.com", "a name"],
  ["id.example.com.", "a name with a trailing dot"],
  ["localhost.example.com", "a name that only starts like localhost"],
  ["mylocalhost", "a name that only ends like localhost"],
  ["127.0.0.1.example.com", "a name that starts like an address"],
  ["xn--bcher-kva.example", "an internationalized name"],
];
for (const [host, why] of PUBLIC) {
  Deno.test(`publicUrl() accepts https://${host}: ${why}`, () => {
    assertEquals(publicUrl(CANNOT, `https://${host}/jwks`).protocol, "https:");
    assertRefused(`http://${host}/jwks`);
    assertRefused(`http://${host}/jwks`, true);
  });
}

/** Spellings of hosts that the parser normalizes. */
const SPELLINGS: readonly (readonly [address: string, why: string])[] = [
  ["https://127.1/", "two parts"],
  ["https://127.0.1/", "three parts"],
  ["https://2130706433/", "one number"],
  ["https://0x7f000001/", "one hexadecimal number"],
  ["https://0x7f.1/", "hexadecimal parts"],
  ["https://0177.0.0.1/", "octal parts"],
  ["https://017700000001/", "one octal number"],
  ["https://127.0.0.1./", "a trailing dot"],
  ["https://0x7f.1./", "hexadecimal, with a trailing dot"],
  ["https://127.0.0.1../", "two trailing dots"],
  ["https://１２７.0.0.1/", "full-width digits"],
  ["https://①②⑦.0.0.1/", "circled digits"],
  ["https://127。0。0。1/", "ideographic full stops"],
  ["https://%31%32%37.0.0.1/", "percent-encoded digits"],
  ["https:127.0.0.1/", "no slashes"],
  ["https:\\\\127.0.0.1\\", "backslashes"],
  ["https:///127.0.0.1/", "three slashes"],
  [" https://127.0.0.1/\n", "spaces around it"],
  ["ht\ttps://127.0.\n0.1/", "spaces inside"],
  ["HTTPS://127.0.0.1/", "upper case"],
  ["https://0/", "zero alone"],
  ["https://0xa9fea9fe/", "link-local as one hexadecimal number"],
  ["https://[0:0:0:0:0:0:0:1]/", "all groups"],
  ["https://[::FFFF:7F00:1]/", "mapped, in hexadecimal"],
  ["https://localhost/", "a name of this machine"],
  ["https://LOCALHOST/", "in upper case"],
  ["https://localhost./", "with a trailing dot"],
  ["https://localhost../", "with two trailing dots"],
  ["https://%6c%6fcalhost/", "percent-encoded"],
  ["https://ｌocalhost/", "in full-width letters"],
  ["https://loc\u00adalhost/", "with a soft hyphen"],
  ["https://a.localhost/", "a subdomain"],
  ["https://a.b.localhost./", "a subdomain of a subdomain, with a trailing dot"],
];
for (const [address, why] of SPELLINGS) {
  Deno.test(`publicUrl() rejects ${JSON.stringify(address)}: ${why}`, () => {
    assertRefused(address);
  });
}

const SCHEMES: readonly (readonly [address: string, why: string])[] = [
  ["http://id.example.com/jwks", "not encrypted"],
  ["file:///etc/passwd", "a file"],
  ["data:application/json,{}", "data"],
  ["blob:https://id.example.com/1", "a blob"],
  ["javascript:1", "a program"],
  ["ftp://id.example.com/", "another protocol"],
  ["ws://id.example.com/", "a socket"],
  ["wss://id.example.com/", "an encrypted socket"],
  ["https+unix://id.example.com/", "a scheme that only starts with https"],
  ["jar:https://id.example.com/", "a nested scheme"],
  ["https://user@id.example.com/", "a user name"],
  ["https://user:hunter2@id.example.com/", "a password"],
  ["https://:hunter2@id.example.com/", "a password only"],
  ["https://a..example.com/", "an empty label"],
  ["https://", "no host"],
  ["//id.example.com/jwks", "no scheme"],
  ["/jwks", "a path"],
  ["https://[fe80::1%25eth0]/", "a zone"],
  ["https://id.example.com:99999/", "no port"],
  ["", "nothing"],
];
for (const [address, why] of SCHEMES) {
  Deno.test(`publicUrl() rejects ${JSON.stringify(address)} whatever is allowed: ${why}`, () => {
    assertRefused(address);
    assertRefused(address, true);
  });
}

for (const value of [undefined, null, 1, {}, [], { href: "https://id.example.com/" }]) {
  Deno.test(`publicUrl() rejects ${JSON.stringify(value)}, which is not a URL`, () => {
    assertRefused(value as unknown as string);
  });
}

const THIS_MACHINE: readonly (readonly [address: string, why: string])[] = [
  ["http://127.0.0.1/", "its address"],
  ["http://127.0.0.1:8000/jwks?a=b", "with a port"],
  ["http://127.255.255.255/", "the last address of its range"],
  ["http://127.1/", "in another spelling"],
  ["http://[::1]:8000/", "its IPv6 address"],
  ["http://localhost:8000/", "its name"],
  ["http://localhost.:8000/", "its name with a trailing dot"],
  ["http://id.localhost/", "a subdomain"],
  ["https://localhost/", "encrypted"],
];
for (const [address, why] of THIS_MACHINE) {
  Deno.test(`publicUrl() accepts ${address} with insecureLoopback only: ${why}`, () => {
    assertRefused(address);
    assertEquals(
      publicUrl(CANNOT, address, { insecureLoopback: true }).href,
      new URL(address).href,
    );
  });
}

for (const host of ["0.0.0.0", "10.0.0.1", "169.254.169.254", "[::]", "[fe80::1]", "[fd00::1]"]) {
  Deno.test(`publicUrl() rejects ${host} even with insecureLoopback`, () => {
    assertRefused(`http://${host}/`, true);
    assertRefused(`https://${host}/`, true);
  });
}

Deno.test("publicUrl() does not quote the URL in its messages", () => {
  for (
    const address of [
      "https://ada:hunter2@id.example.com/s3cret",
      "s3cret:hunter2",
      "http://s3cret",
    ]
  ) {
    const { message } = assertThrows(() => publicUrl(CANNOT, address), TypeError);
    assert(message.startsWith(`${CANNOT}: `), message);
    assertFalse(/hunter2|s3cret|ada|example/.test(message), message);
  }
});

Deno.test("publicUrl() returns a copy of the URL", () => {
  const given = new URL("https://id.example.com/jwks");
  const url = publicUrl(CANNOT, given);
  assertNotStrictEquals(url, given);
  given.host = "localhost";
  assertEquals(url.href, "https://id.example.com/jwks");
});

function assertRefused(address: string, insecureLoopback = false): void {
  const error = assertThrows(() => publicUrl(CANNOT, address, { insecureLoopback }), TypeError);
  assert(error.message.startsWith(`${CANNOT}: `), error.message);
}
