/** `X-Forwarded-For` fields of a megabyte. */

import { assertLess } from "@std/assert";
import { clientAddressReader } from "../../../../auth/throttle/client_address.ts";

const HOST = { remoteAddr: { transport: "tcp", hostname: "10.0.0.1" } };

Deno.test("clientAddressReader() reads a long field in bounded time", () => {
  const read = clientAddressReader({ deployment: { proxies: ["10.0.0.0/8"] }, warn: () => {} });
  for (const unit of ["10.0.0.2,", ",", "[", "1", ":", "1.", "%"]) {
    const request = new Request("https://example.com/", {
      headers: { "X-Forwarded-For": unit.repeat(1_000_000 / unit.length) },
    });
    const start = performance.now();
    for (let i = 0; i < 20; i++) read(request, HOST);
    assertLess(performance.now() - start, 5_000, unit);
  }
});
