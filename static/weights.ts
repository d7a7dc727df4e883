/**
 * Weights of negotiated values: `Accept` and `Accept-Encoding`, RFC 9110 §12.4.2.
 *
 * @module
 */

const WEIGHT_REGEXP = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Reads a field's values, in lower case and without parameters, and their weights from 0 to 1. A value with a malformed
 * weight is omitted.
 */
export function readWeights(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of field.split(",")) {
    const [value = "", ...parameters] = member.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter));
    const number = weight === undefined ? "1" : WEIGHT_REGEXP.exec(weight)?.[1];
    if (value !== "" && number !== undefined) weights.set(value.toLowerCase(), Number(number));
  }
  return weights;
}
