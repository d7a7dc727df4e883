/** The bridge of docs/observability.md, with OpenTelemetry's own API and SDK. */

import { createRouter, HttpError, json, type RequestEvent } from "../../mod.ts";
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { OPEN_TELEMETRY } from "./versions.ts";

Deno.test("traceRequest() of docs/observability.md writes a span for each request", async () => {
  const { propagation, trace } = await import(OPEN_TELEMETRY.api);
  const { W3CTraceContextPropagator } = await import(OPEN_TELEMETRY.core);
  const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = await import(
    OPEN_TELEMETRY.sdk
  );
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());

  const page = await Deno.readTextFile(join(ROOT, "docs/observability.md"));
  const code = /```ts ignore\n([^`]*(?:`[^`]+`[^`]*)*?)\n```/.exec(page)?.[1] ?? "";
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(
    file,
    code.replace('"@opentelemetry/api"', JSON.stringify(OPEN_TELEMETRY.api)),
  );
  const { traceRequest } = await import(`file://${file}`) as {
    traceRequest(event: RequestEvent): void;
  };
  await Deno.remove(file);

  const failures: unknown[] = [];
  const router = createRouter({ onRequest: traceRequest, onError: (error) => failures.push(error) })
    .get("/users/:id", (req) => json(req.params))
    .get("/busy", () => {
      throw new HttpError(503, "busy");
    });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await router.request("/users/7", { headers });
  await router.request("/busy");
  await router.request("/nowhere");
  const [user, busy, nowhere] = exporter.getFinishedSpans();
  assertEquals([user.name, user.kind, user.spanContext().traceId, user.parentSpanContext.spanId], [
    "GET /users/:id",
    1, // SERVER
    traceId,
    "b7ad6b7169203331",
  ]);
  assertEquals(user.attributes, {
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "http.route": "/users/:id",
  });
  assertEquals([busy.attributes["error.type"], busy.status.code], ["503", 2]);
  assertEquals([nowhere.name, nowhere.attributes["http.route"]], ["GET", undefined]);
  assertEquals(failures, []);
});
