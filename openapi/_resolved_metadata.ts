/**
 * Endpoint metadata with validators converted to JSON Schema.
 *
 * @module
 */

import type { EndpointMetadata, MediaTypeObject, SchemaObject } from "../router/openapi_types.ts";
import type { StandardSchemaV1 } from "../router/schema.ts";
import type { Components } from "./_components.ts";
import type { Endpoint } from "./_endpoints.ts";
import { isObject } from "./_json_schema.ts";
import type { Side } from "./_normalize_schema.ts";

/** An endpoint whose metadata contains no validators. */
export interface ResolvedEndpoint extends Omit<Endpoint, "metadata"> {
  readonly metadata: EndpointMetadata<SchemaObject>;
}

type Content<Schema> = Readonly<Record<string, MediaTypeObject<Schema>>>;
type Written = SchemaObject | StandardSchemaV1;

/**
 * Converts the validators in an endpoint's metadata.
 *
 * @param name Base name of schemas that need a name.
 * @throws {TypeError} If one of them gives no JSON Schema.
 */
export function resolveMetadata(
  endpoint: Endpoint,
  components: Components,
  name: string,
): ResolvedEndpoint {
  const { parameters, requestBody, responses, ...metadata } = endpoint.metadata;

  function schema(written: Written, side: Side, part: string): SchemaObject {
    return isValidator(written)
      ? components.convert({ validator: written, side, name: name + part })
      : written;
  }

  /** Copies an object with its schema and its content converted. */
  function converted<T extends { readonly schema?: Written; readonly content?: Content<Written> }>(
    { schema: own, content, ...rest }: T,
    side: Side,
    part: string,
  ): Omit<T, "schema" | "content"> & {
    readonly schema?: SchemaObject;
    readonly content?: Content<SchemaObject>;
  } {
    const media = content && Object.fromEntries(
      Object.entries(content).map(([type, { schema: inner, ...one }]) => [
        type,
        inner === undefined ? one : { ...one, schema: schema(inner, side, part) },
      ]),
    );
    return {
      ...rest,
      ...(own === undefined ? {} : { schema: schema(own, side, part) }),
      ...(media === undefined ? {} : { content: media }),
    };
  }

  /** Header fields of a response, whose schemas may be validators. Without a schema, a field is a string. */
  function headers(
    written: Readonly<Record<string, unknown>>,
    part: string,
  ): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      Object.entries(written).map(([field, one]) => {
        if (!isObject(one) || "$ref" in one || "content" in one) return [field, one];
        const schema = isObject(one.schema) ? one.schema : { type: "string" };
        return [field, converted({ ...one, schema }, "output", `${part}_${field}`)];
      }),
    );
  }

  return {
    ...endpoint,
    metadata: {
      ...metadata,
      ...(parameters === undefined
        ? {}
        : { parameters: parameters.map((one) => converted(one, "input", `_${one.name}`)) }),
      ...(requestBody === undefined
        ? {}
        : { requestBody: converted(requestBody, "input", "Body") }),
      ...(responses === undefined ? {} : {
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, one]) => [
            status,
            {
              ...converted(one, "output", `Response${status}`),
              ...(one.headers === undefined ? {} : {
                headers: headers(one.headers, `Response${status}`),
              }),
            },
          ]),
        ),
      }),
    },
  };
}

function isValidator(schema: Written): schema is StandardSchemaV1 {
  return "~standard" in schema;
}
