// Written by "gatehouse http openapi generate --validators". Run it again after a change of types.
// deno-fmt-ignore-file
// deno-lint-ignore-file
/* eslint-disable */

/** A validator of Standard Schema v1. */
interface Validator {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result;
  };
}

type Result =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** Where a value is: under a key of what contains it. */
type Place = { readonly of: Place; readonly key: PropertyKey } | undefined;

type Check = (value: unknown, at: Place, issues: Issue[]) => void;

/** Maximum issues of a value. */
const LIMIT = 50;

function fail(issues: Issue[], at: Place, message: string, ...keys: PropertyKey[]): void {
  if (issues.length >= LIMIT) return;
  const path = keys.reverse();
  for (let one = at; one !== undefined; one = one.of) path.push(one.key);
  issues.push({ message, path: path.reverse() });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports the issues of the alternative that fits best: its own properties are there, and their values fit. */
function either(value: unknown, at: Place, issues: Issue[], ...checks: Check[]): void {
  let depth = 1;
  for (let one = at; one !== undefined; one = one.of) depth++;
  let [best, least]: [Issue[], number] = [[], Infinity];
  for (const check of checks) {
    const found: Issue[] = [];
    check(value, at, found);
    if (found.length === 0) return;
    const own = found.filter(({ path }) => path.length <= depth);
    const misfit = own.length + own.filter(({ message }) => message === "is required").length;
    if (misfit < least) [best, least] = [found, misfit];
  }
  issues.push(...best.slice(0, LIMIT - issues.length));
}

let results = new WeakMap<object, Map<Check, Issue[]>>();

/** Checks each value once: alternatives of a recursive type would check what they contain once for each of them. */
function once(check: Check): Check {
  return (value, at, issues) => {
    if (typeof value !== "object" || value === null) return check(value, at, issues);
    let known = results.get(value);
    if (known === undefined) results.set(value, known = new Map());
    let found = known.get(check);
    if (found === undefined) {
      check(value, at, found = []);
      known.set(check, found);
    }
    if (found.length > 0) issues.push(...found.slice(0, LIMIT - issues.length));
  };
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether a quotient is an integer, but for what division rounds. */
function isMultipleOf(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON;
}

/** The number that a text is in JSON; other values as they are. */
function toNumber(value: unknown): unknown {
  if (typeof value !== "string" || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value)) return value;
  return Number(value);
}

function toBoolean(value: unknown): unknown {
  return value === "true" ? true : value === "false" ? false : value;
}

function same(value: unknown): unknown {
  return value;
}

/** Reads a list, whose name may occur once. */
function listOf(item: Reader): Reader {
  return (value) => Array.isArray(value) ? value.map(item) : [item(value)];
}

type Reader = (value: unknown) => unknown;

function validator(check: Check): Validator {
  return {
    "~standard": {
      version: 1,
      vendor: "gatehouse",
      validate(value) {
        results = new WeakMap();
        const issues: Issue[] = [];
        check(value, undefined, issues);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}

/** Reads the values of a query or a path, which are texts. @param others Reads those without a reader of their own. */
function read(
  readers: Readonly<Record<string, Reader>>,
  others: Reader | undefined,
  { "~standard": { version, vendor, validate } }: Validator,
): Validator {
  return {
    "~standard": {
      version,
      vendor,
      validate(value) {
        if (!isObject(value)) return validate(value);
        const result: Record<string, unknown> = Object.assign(Object.create(null), value);
        for (const name of Object.keys(result)) {
          const reader = Object.hasOwn(readers, name) ? readers[name] : others;
          if (reader !== undefined) result[name] = reader(result[name]);
        }
        return validate(result);
      },
    },
  };
}

const EMAIL = /^(?:(?=[^@]{1,64}@.{1,255}$)[\w!#$%&'*+\/=?^`{|}~-]+(?:\.[\w!#$%&'*+\/=?^`{|}~-]+)*@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+)$/i;
const DATE = /^(?:(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29))$/i;
const UUID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
const PATTERN = new RegExp("^sku--?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$", "u");
const PATTERN2 = new RegExp("^[A-Z]{3}$", "u");
const URI = /^(?:[a-z][a-z\d+.-]*:(?:\/\/(?:(?:[\w!$&'()*+,;=.~-]|%[\da-f]{2}|:)*@)?(?:\[(?:(?:[\da-f]{1,4}:){7}[\da-f]{1,4}|(?:[\da-f]{1,4}:){6}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|(?:[\da-f]{1,4}:){0}::(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,6})?|(?:[\da-f]{1,4}:){0,5}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){1}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,5})?|(?:[\da-f]{1,4}:){0,4}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){2}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,4})?|(?:[\da-f]{1,4}:){0,3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){3}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,3})?|(?:[\da-f]{1,4}:){0,2}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){4}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,2})?|(?:[\da-f]{1,4}:){0,1}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){5}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,1})?|(?:[\da-f]{1,4}:){0,0}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){6}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,0})?)|(?:[\da-f]{1,4}:){7}:(?:)|v[\da-f]+\.[\w!$&'()*+,;=:.~-]+)\]|(?:[\w!$&'()*+,;=.~-]|%[\da-f]{2})*)(?::\d*)?(?=[\/?#]|$)|(?!\/\/))(?:[\w!$&'()*+,;=:@\/?.~-]|%[\da-f]{2})*(?:#(?:[\w!$&'()*+,;=:@\/?.~-]|%[\da-f]{2})*)?)$/i;
const PATTERN3 = new RegExp("^[0-9]{12,19}$", "u");
const DATE_TIME = /^(?:(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)t(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|23:59:60(?:\.\d+)?(?=z))(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d))$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})$/i;
const IPV6 = /^(?:(?:[\da-f]{1,4}:){7}[\da-f]{1,4}|(?:[\da-f]{1,4}:){6}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|(?:[\da-f]{1,4}:){0}::(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,6})?|(?:[\da-f]{1,4}:){0,5}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){1}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,5})?|(?:[\da-f]{1,4}:){0,4}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){2}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,4})?|(?:[\da-f]{1,4}:){0,3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){3}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,3})?|(?:[\da-f]{1,4}:){0,2}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){4}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,2})?|(?:[\da-f]{1,4}:){0,1}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){5}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,1})?|(?:[\da-f]{1,4}:){0,0}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})|(?:[\da-f]{1,4}:){6}:(?:(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,0})?)|(?:[\da-f]{1,4}:){7}:(?:))$/i;
const PATTERN4 = new RegExp("^sku-[0-9]+$", "u");

function checkAddress(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const street = value["street"];
    if (street === undefined) fail(issues, at, "is required", "street");
    else {
      if (typeof street !== "string") fail(issues, at, "must be a string", "street");
      else {
        if (street === "") fail(issues, at, "must have at least 1 character", "street");
        if (street.length > 80 && characters(street) > 80) fail(issues, at, "must have at most 80 characters", "street");
      }
    }
    const city = value["city"];
    if (city === undefined) fail(issues, at, "is required", "city");
    else if (typeof city !== "string") fail(issues, at, "must be a string", "city");
    const zip = value["zip"];
    if (zip === undefined) fail(issues, at, "is required", "zip");
    else if (typeof zip !== "string" && (typeof zip !== "number" || !Number.isFinite(zip))) fail(issues, at, "must be a string or a number", "zip");
    const country = value["country"];
    if (country === undefined) fail(issues, at, "is required", "country");
    else if (country !== "AT" && country !== "CH" && country !== "DE") fail(issues, at, "must be \"AT\", \"CH\" or \"DE\"", "country");
    const note = value["note"];
    if (note !== undefined) {
      if (typeof note !== "string" && note !== null) fail(issues, at, "must be a string or null", "note");
    }
  }
}

function checkCustomer(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const name = value["name"];
    if (name === undefined) fail(issues, at, "is required", "name");
    else if (typeof name !== "string") fail(issues, at, "must be a string", "name");
    const email = value["email"];
    if (email === undefined) fail(issues, at, "is required", "email");
    else {
      if (typeof email !== "string") fail(issues, at, "must be a string", "email");
      else if (!EMAIL.test(email)) fail(issues, at, "must be an e-mail address", "email");
    }
    const address = value["address"];
    if (address === undefined) fail(issues, at, "is required", "address");
    else checkAddress(address, { of: at, key: "address" }, issues);
    const shipTo = value["shipTo"];
    if (shipTo !== undefined) {
      if (isObject(shipTo)) {
        checkAddress(shipTo, { of: at, key: "shipTo" }, issues);
      } else if (shipTo !== null) {
        fail(issues, at, "must be an object or null", "shipTo");
      }
    }
    const born = value["born"];
    if (born !== undefined) {
      if (typeof born !== "string") fail(issues, at, "must be a string", "born");
      else if (!DATE.test(born)) fail(issues, at, "must be a date of RFC 3339", "born");
    }
    const tags = value["tags"];
    if (tags === undefined) fail(issues, at, "is required", "tags");
    else {
      if (!Array.isArray(tags)) fail(issues, at, "must be an array", "tags");
      else {
        const place = { of: at, key: "tags" };
        for (let i = 0; i < tags.length && issues.length < LIMIT; i++) {
          const item: unknown = tags[i];
          if (typeof item !== "string") fail(issues, place, "must be a string", i);
        }
      }
    }
  }
}

function checkPutCustomersIdParams(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const id = value["id"];
    if (id === undefined) fail(issues, at, "is required", "id");
    else {
      if (typeof id !== "string") fail(issues, at, "must be a string", "id");
      else if (!UUID.test(id)) fail(issues, at, "must be a UUID of RFC 9562", "id");
    }
  }
}

function checkPatchCustomersIdBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const name = value["name"];
    if (name !== undefined) {
      if (typeof name !== "string") fail(issues, at, "must be a string", "name");
    }
    const email = value["email"];
    if (email !== undefined) {
      if (typeof email !== "string") fail(issues, at, "must be a string", "email");
      else if (!EMAIL.test(email)) fail(issues, at, "must be an e-mail address", "email");
    }
    const address = value["address"];
    if (address !== undefined) checkAddress(address, { of: at, key: "address" }, issues);
    const shipTo = value["shipTo"];
    if (shipTo !== undefined) {
      if (isObject(shipTo)) {
        checkAddress(shipTo, { of: at, key: "shipTo" }, issues);
      } else if (shipTo !== null) {
        fail(issues, at, "must be an object or null", "shipTo");
      }
    }
    const born = value["born"];
    if (born !== undefined) {
      if (typeof born !== "string") fail(issues, at, "must be a string", "born");
      else if (!DATE.test(born)) fail(issues, at, "must be a date of RFC 3339", "born");
    }
    const tags = value["tags"];
    if (tags !== undefined) {
      if (!Array.isArray(tags)) fail(issues, at, "must be an array", "tags");
      else {
        const place = { of: at, key: "tags" };
        for (let i = 0; i < tags.length && issues.length < LIMIT; i++) {
          const item: unknown = tags[i];
          if (typeof item !== "string") fail(issues, place, "must be a string", i);
        }
      }
    }
  }
}

function checkPostCustomersIdBlockBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const reason = value["reason"];
    if (reason === undefined) fail(issues, at, "is required", "reason");
    else if (typeof reason !== "string") fail(issues, at, "must be a string", "reason");
    const until = value["until"];
    if (until === undefined) fail(issues, at, "is required", "until");
    else {
      if (typeof until === "string") {
        if (!DATE.test(until)) fail(issues, at, "must be a date of RFC 3339", "until");
      } else if (until !== null) {
        fail(issues, at, "must be a string or null", "until");
      }
    }
  }
}

function checkPostCustomersImportBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!Array.isArray(value)) fail(issues, at, "must be an array");
  else {
    for (let i = 0; i < value.length && issues.length < LIMIT; i++) {
      const item: unknown = value[i];
      checkCustomer(item, { of: at, key: i }, issues);
    }
  }
}

function checkMoney(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const amount = value["amount"];
    if (amount === undefined) fail(issues, at, "is required", "amount");
    else {
      if (typeof amount !== "number" || !Number.isFinite(amount)) fail(issues, at, "must be a number", "amount");
      else {
        if (amount < 0) fail(issues, at, "must be at least 0", "amount");
        if (!isMultipleOf(amount, 0.01)) fail(issues, at, "must be a multiple of 0.01", "amount");
      }
    }
    const currency = value["currency"];
    if (currency === undefined) fail(issues, at, "is required", "currency");
    else {
      if (typeof currency !== "string") fail(issues, at, "must be a string", "currency");
      else if (!PATTERN2.test(currency)) fail(issues, at, "must match ^[A-Z]{3}$", "currency");
    }
  }
}

function checkProduct(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const sku = value["sku"];
    if (sku === undefined) fail(issues, at, "is required", "sku");
    else {
      if (typeof sku !== "string") fail(issues, at, "must be a string", "sku");
      else if (!PATTERN.test(sku)) fail(issues, at, "must match ^sku--?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$", "sku");
    }
    const title = value["title"];
    if (title === undefined) fail(issues, at, "is required", "title");
    else if (typeof title !== "string") fail(issues, at, "must be a string", "title");
    const price = value["price"];
    if (price === undefined) fail(issues, at, "is required", "price");
    else checkMoney(price, { of: at, key: "price" }, issues);
    const sizes = value["sizes"];
    if (sizes === undefined) fail(issues, at, "is required", "sizes");
    else {
      if (!Array.isArray(sizes)) fail(issues, at, "must be an array", "sizes");
      else {
        if (sizes.length < 1) fail(issues, at, "must have at least 1 item", "sizes");
        if (sizes.length > 0) {
          const item: unknown = sizes[0];
          if (item !== "L" && item !== "M" && item !== "S") fail(issues, at, "must be \"L\", \"M\" or \"S\"", "sizes", 0);
        }
        const place = { of: at, key: "sizes" };
        for (let i = 1; i < sizes.length && issues.length < LIMIT; i++) {
          const item2: unknown = sizes[i];
          if (item2 !== "L" && item2 !== "M" && item2 !== "S") fail(issues, place, "must be \"L\", \"M\" or \"S\"", i);
        }
      }
    }
    const weights = value["weights"];
    if (weights === undefined) fail(issues, at, "is required", "weights");
    else {
      if (!isObject(weights)) fail(issues, at, "must be an object", "weights");
      else {
        const place2 = { of: at, key: "weights" };
        for (const name of Object.keys(weights)) {
          const property = weights[name];
          if (typeof property !== "number" || !Number.isFinite(property)) fail(issues, place2, "must be a number", name);
        }
      }
    }
    const picture = value["picture"];
    if (picture === undefined) fail(issues, at, "is required", "picture");
    else {
      if (typeof picture === "string") {
        if (!URI.test(picture)) fail(issues, at, "must be a URI of RFC 3986", "picture");
      } else if (picture !== null) {
        fail(issues, at, "must be a string or null", "picture");
      }
    }
    const parent = value["parent"];
    if (parent !== undefined) checkProduct(parent, { of: at, key: "parent" }, issues);
  }
}

function checkPatchProductsIdBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const title = value["title"];
    if (title !== undefined) {
      if (typeof title !== "string") fail(issues, at, "must be a string", "title");
    }
    const price = value["price"];
    if (price !== undefined) checkMoney(price, { of: at, key: "price" }, issues);
    const sizes = value["sizes"];
    if (sizes !== undefined) {
      if (!Array.isArray(sizes)) fail(issues, at, "must be an array", "sizes");
      else {
        if (sizes.length < 1) fail(issues, at, "must have at least 1 item", "sizes");
        if (sizes.length > 0) {
          const item: unknown = sizes[0];
          if (item !== "L" && item !== "M" && item !== "S") fail(issues, at, "must be \"L\", \"M\" or \"S\"", "sizes", 0);
        }
        const place = { of: at, key: "sizes" };
        for (let i = 1; i < sizes.length && issues.length < LIMIT; i++) {
          const item2: unknown = sizes[i];
          if (item2 !== "L" && item2 !== "M" && item2 !== "S") fail(issues, place, "must be \"L\", \"M\" or \"S\"", i);
        }
      }
    }
    const weights = value["weights"];
    if (weights !== undefined) {
      if (!isObject(weights)) fail(issues, at, "must be an object", "weights");
      else {
        const place2 = { of: at, key: "weights" };
        for (const name of Object.keys(weights)) {
          const property = weights[name];
          if (typeof property !== "number" || !Number.isFinite(property)) fail(issues, place2, "must be a number", name);
        }
      }
    }
    const picture = value["picture"];
    if (picture !== undefined) {
      if (typeof picture === "string") {
        if (!URI.test(picture)) fail(issues, at, "must be a URI of RFC 3986", "picture");
      } else if (picture !== null) {
        fail(issues, at, "must be a string or null", "picture");
      }
    }
    const parent = value["parent"];
    if (parent !== undefined) checkProduct(parent, { of: at, key: "parent" }, issues);
  }
}

function checkPutProductsIdBundleBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    for (const name of Object.keys(value)) {
      const property = value[name];
      if (PATTERN.test(name)) {
        if (typeof property !== "number" || !Number.isFinite(property)) fail(issues, at, "must be a number", name);
      }
    }
  }
}

function checkPostProductsIdReviewsBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const stars = value["stars"];
    if (stars === undefined) fail(issues, at, "is required", "stars");
    else if (stars !== 1 && stars !== 2 && stars !== 3 && stars !== 4 && stars !== 5) fail(issues, at, "must be 1, 2, 3, 4 or 5", "stars");
    const text = value["text"];
    if (text !== undefined) {
      if (typeof text !== "string") fail(issues, at, "must be a string", "text");
    }
  }
}

function checkLine(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const sku = value["sku"];
    if (sku === undefined) fail(issues, at, "is required", "sku");
    else {
      if (typeof sku !== "string") fail(issues, at, "must be a string", "sku");
      else if (!PATTERN.test(sku)) fail(issues, at, "must match ^sku--?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$", "sku");
    }
    const count = value["count"];
    if (count === undefined) fail(issues, at, "is required", "count");
    else {
      if (typeof count !== "number" || !Number.isInteger(count)) fail(issues, at, "must be an integer", "count");
      else {
        if (count < 1) fail(issues, at, "must be at least 1", "count");
        if (count > 1000) fail(issues, at, "must be at most 1000", "count");
      }
    }
  }
}

function checkCard(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const kind = value["kind"];
    if (kind === undefined) fail(issues, at, "is required", "kind");
    else if (kind !== "card") fail(issues, at, "must be \"card\"", "kind");
    const number2 = value["number"];
    if (number2 === undefined) fail(issues, at, "is required", "number");
    else {
      if (typeof number2 !== "string") fail(issues, at, "must be a string", "number");
      else if (!PATTERN3.test(number2)) fail(issues, at, "must match ^[0-9]{12,19}$", "number");
    }
    const expires = value["expires"];
    if (expires === undefined) fail(issues, at, "is required", "expires");
    else {
      if (!Array.isArray(expires)) fail(issues, at, "must be an array", "expires");
      else {
        if (expires.length < 2) fail(issues, at, "must have at least 2 items", "expires");
        if (expires.length > 2) fail(issues, at, "must have at most 2 items", "expires");
        if (expires.length > 0) {
          const item: unknown = expires[0];
          if (typeof item !== "number" || !Number.isFinite(item)) fail(issues, at, "must be a number", "expires", 0);
        }
        if (expires.length > 1) {
          const item2: unknown = expires[1];
          if (typeof item2 !== "number" || !Number.isFinite(item2)) fail(issues, at, "must be a number", "expires", 1);
        }
      }
    }
  }
}

function checkTransfer(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const kind = value["kind"];
    if (kind === undefined) fail(issues, at, "is required", "kind");
    else if (kind !== "transfer") fail(issues, at, "must be \"transfer\"", "kind");
    const iban = value["iban"];
    if (iban === undefined) fail(issues, at, "is required", "iban");
    else if (typeof iban !== "string") fail(issues, at, "must be a string", "iban");
  }
}

function checkPayment(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    switch (value["kind"]) {
      case "card": {
        checkCard(value, at, issues);
        break;
      }
      case "transfer": {
        checkTransfer(value, at, issues);
        break;
      }
      case "voucher": {
        const kind = value["kind"];
        if (kind === undefined) fail(issues, at, "is required", "kind");
        else if (kind !== "voucher") fail(issues, at, "must be \"voucher\"", "kind");
        const codes = value["codes"];
        if (codes === undefined) fail(issues, at, "is required", "codes");
        else {
          if (!Array.isArray(codes)) fail(issues, at, "must be an array", "codes");
          else {
            const place = { of: at, key: "codes" };
            for (let i = 0; i < codes.length && issues.length < LIMIT; i++) {
              const item: unknown = codes[i];
              if (typeof item !== "string") fail(issues, place, "must be a string", i);
            }
          }
        }
        break;
      }
      default:
        fail(issues, at, "must be \"card\", \"transfer\" or \"voucher\"", "kind");
    }
  }
}

function checkOrder(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const customer = value["customer"];
    if (customer === undefined) fail(issues, at, "is required", "customer");
    else {
      if (typeof customer !== "string") fail(issues, at, "must be a string", "customer");
      else if (!UUID.test(customer)) fail(issues, at, "must be a UUID of RFC 9562", "customer");
    }
    const lines = value["lines"];
    if (lines === undefined) fail(issues, at, "is required", "lines");
    else {
      if (!Array.isArray(lines)) fail(issues, at, "must be an array", "lines");
      else {
        if (lines.length < 1) fail(issues, at, "must have at least 1 item", "lines");
        if (lines.length > 100) fail(issues, at, "must have at most 100 items", "lines");
        const place = { of: at, key: "lines" };
        for (let i = 0; i < lines.length && issues.length < LIMIT; i++) {
          const item: unknown = lines[i];
          checkLine(item, { of: place, key: i }, issues);
        }
      }
    }
    const payment = value["payment"];
    if (payment === undefined) fail(issues, at, "is required", "payment");
    else checkPayment(payment, { of: at, key: "payment" }, issues);
    const at2 = value["at"];
    if (at2 === undefined) fail(issues, at, "is required", "at");
    else {
      if (typeof at2 !== "string") fail(issues, at, "must be a string", "at");
      else if (!DATE_TIME.test(at2)) fail(issues, at, "must be a date and time of RFC 3339", "at");
    }
    const gift = value["gift"];
    if (gift === undefined) fail(issues, at, "is required", "gift");
    else if (typeof gift !== "boolean") fail(issues, at, "must be a boolean", "gift");
  }
}

function checkPatchOrdersIdBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const lines = value["lines"];
    if (lines === undefined) fail(issues, at, "is required", "lines");
    else {
      if (!Array.isArray(lines)) fail(issues, at, "must be an array", "lines");
      else {
        if (lines.length < 1) fail(issues, at, "must have at least 1 item", "lines");
        if (lines.length > 100) fail(issues, at, "must have at most 100 items", "lines");
        const place = { of: at, key: "lines" };
        for (let i = 0; i < lines.length && issues.length < LIMIT; i++) {
          const item: unknown = lines[i];
          checkLine(item, { of: place, key: i }, issues);
        }
      }
    }
    const gift = value["gift"];
    if (gift === undefined) fail(issues, at, "is required", "gift");
    else if (typeof gift !== "boolean") fail(issues, at, "must be a boolean", "gift");
  }
}

function checkPutOrdersIdLinesBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    for (const name of Object.keys(value)) {
      const property = value[name];
      if (isObject(property)) {
        checkLine(property, { of: at, key: name }, issues);
      } else if (property !== null) {
        fail(issues, at, "must be an object or null", name);
      }
    }
  }
}

function checkPostOrdersIdShippedBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    switch (value["ok"]) {
      case false: {
        const ok = value["ok"];
        if (ok === undefined) fail(issues, at, "is required", "ok");
        else if (ok !== false) fail(issues, at, "must be false", "ok");
        const error = value["error"];
        if (error === undefined) fail(issues, at, "is required", "error");
        else if (typeof error !== "string") fail(issues, at, "must be a string", "error");
        break;
      }
      case true: {
        const ok2 = value["ok"];
        if (ok2 === undefined) fail(issues, at, "is required", "ok");
        else if (ok2 !== true) fail(issues, at, "must be true", "ok");
        const tracking = value["tracking"];
        if (tracking === undefined) fail(issues, at, "is required", "tracking");
        else if (typeof tracking !== "string") fail(issues, at, "must be a string", "tracking");
        break;
      }
      default:
        fail(issues, at, "must be false or true", "ok");
    }
  }
}

function checkCategory(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const name = value["name"];
    if (name === undefined) fail(issues, at, "is required", "name");
    else if (typeof name !== "string") fail(issues, at, "must be a string", "name");
    const children = value["children"];
    if (children === undefined) fail(issues, at, "is required", "children");
    else {
      if (!Array.isArray(children)) fail(issues, at, "must be an array", "children");
      else {
        const place = { of: at, key: "children" };
        for (let i = 0; i < children.length && issues.length < LIMIT; i++) {
          const item: unknown = children[i];
          checkCategory(item, { of: place, key: i }, issues);
        }
      }
    }
  }
}

const checkAlternative: Check = once((value, at, issues) => {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const all = value["all"];
    if (all === undefined) fail(issues, at, "is required", "all");
    else {
      if (!Array.isArray(all)) fail(issues, at, "must be an array", "all");
      else {
        const place = { of: at, key: "all" };
        for (let i = 0; i < all.length && issues.length < LIMIT; i++) {
          const item: unknown = all[i];
          checkFilter(item, { of: place, key: i }, issues);
        }
      }
    }
  }
});

const checkAlternative2: Check = once((value, at, issues) => {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const not = value["not"];
    if (not === undefined) fail(issues, at, "is required", "not");
    else checkFilter(not, { of: at, key: "not" }, issues);
  }
});

function checkAlternative3(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const field = value["field"];
    if (field === undefined) fail(issues, at, "is required", "field");
    else if (typeof field !== "string") fail(issues, at, "must be a string", "field");
    const equals = value["equals"];
    if (equals === undefined) fail(issues, at, "is required", "equals");
    else if (typeof equals !== "string" && (typeof equals !== "number" || !Number.isFinite(equals)) && typeof equals !== "boolean") fail(issues, at, "must be a string, a number or a boolean", "equals");
  }
}

const checkFilter: Check = once((value, at, issues) => {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else either(value, at, issues, checkAlternative, checkAlternative2, checkAlternative3);
});

function checkLevel(value: unknown, at: Place, issues: Issue[]): void {
  if (value !== 1 && value !== 9) fail(issues, at, "must be 1 or 9");
}

function checkPutAlertsIdBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const level = value["level"];
    if (level === undefined) fail(issues, at, "is required", "level");
    else checkLevel(level, { of: at, key: "level" }, issues);
    const limits = value["limits"];
    if (limits === undefined) fail(issues, at, "is required", "limits");
    else {
      if (!isObject(limits)) fail(issues, at, "must be an object", "limits");
      else {
        const soft = limits["soft"];
        if (soft === undefined) fail(issues, at, "is required", "limits", "soft");
        else if (typeof soft !== "number" || !Number.isFinite(soft)) fail(issues, at, "must be a number", "limits", "soft");
        const hard = limits["hard"];
        if (hard !== undefined) {
          if (typeof hard !== "number" || !Number.isFinite(hard)) fail(issues, at, "must be a number", "limits", "hard");
        }
      }
    }
  }
}

function checkPoint(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const latitude = value["latitude"];
    if (latitude === undefined) fail(issues, at, "is required", "latitude");
    else {
      if (typeof latitude !== "number" || !Number.isFinite(latitude)) fail(issues, at, "must be a number", "latitude");
      else {
        if (latitude < -90) fail(issues, at, "must be at least -90", "latitude");
        if (latitude > 90) fail(issues, at, "must be at most 90", "latitude");
      }
    }
    const longitude = value["longitude"];
    if (longitude === undefined) fail(issues, at, "is required", "longitude");
    else {
      if (typeof longitude !== "number" || !Number.isFinite(longitude)) fail(issues, at, "must be a number", "longitude");
      else {
        if (longitude <= -180) fail(issues, at, "must be more than -180", "longitude");
        if (longitude > 180) fail(issues, at, "must be at most 180", "longitude");
      }
    }
  }
}

function checkPostRoutesBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const from = value["from"];
    if (from === undefined) fail(issues, at, "is required", "from");
    else checkPoint(from, { of: at, key: "from" }, issues);
    const to = value["to"];
    if (to === undefined) fail(issues, at, "is required", "to");
    else checkPoint(to, { of: at, key: "to" }, issues);
    const via = value["via"];
    if (via === undefined) fail(issues, at, "is required", "via");
    else {
      if (!Array.isArray(via)) fail(issues, at, "must be an array", "via");
      else {
        const place = { of: at, key: "via" };
        for (let i = 0; i < via.length && issues.length < LIMIT; i++) {
          const item: unknown = via[i];
          checkPoint(item, { of: place, key: i }, issues);
        }
      }
    }
  }
}

function checkHost(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const v4 = value["v4"];
    if (v4 !== undefined) {
      if (typeof v4 !== "string") fail(issues, at, "must be a string", "v4");
      else if (!IPV4.test(v4)) fail(issues, at, "must be an IPv4 address", "v4");
    }
    const v6 = value["v6"];
    if (v6 !== undefined) {
      if (typeof v6 !== "string") fail(issues, at, "must be a string", "v6");
      else if (!IPV6.test(v6)) fail(issues, at, "must be an IPv6 address", "v6");
    }
  }
}

function checkJson5(value: unknown, at: Place, issues: Issue[]): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && issues.length < LIMIT; i++) {
      const item: unknown = value[i];
      checkJson5(item, { of: at, key: i }, issues);
    }
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const property = value[name];
      checkJson5(property, { of: at, key: name }, issues);
    }
  }
}

function checkPostSettingsBody(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const key = value["key"];
    if (key === undefined) fail(issues, at, "is required", "key");
    else if (typeof key !== "string") fail(issues, at, "must be a string", "key");
    const value2 = value["value"];
    if (value2 === undefined) fail(issues, at, "is required", "value");
    else checkJson5(value2, { of: at, key: "value" }, issues);
  }
}

function checkMerge(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const ids = value["ids"];
    if (ids === undefined) fail(issues, at, "is required", "ids");
    else {
      if (!Array.isArray(ids)) fail(issues, at, "must be an array", "ids");
      else {
        if (ids.length < 2) fail(issues, at, "must have at least 2 items", "ids");
        if (ids.length > 3) fail(issues, at, "must have at most 3 items", "ids");
        if (ids.length > 0) {
          const item: unknown = ids[0];
          if (typeof item !== "string") fail(issues, at, "must be a string", "ids", 0);
          else if (!UUID.test(item)) fail(issues, at, "must be a UUID of RFC 9562", "ids", 0);
        }
        if (ids.length > 1) {
          const item2: unknown = ids[1];
          if (typeof item2 !== "string") fail(issues, at, "must be a string", "ids", 1);
          else if (!UUID.test(item2)) fail(issues, at, "must be a UUID of RFC 9562", "ids", 1);
        }
        if (ids.length > 2) {
          const item3: unknown = ids[2];
          if (typeof item3 !== "string") fail(issues, at, "must be a string", "ids", 2);
        }
      }
    }
  }
}

function checkSearch(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const q = value["q"];
    if (q === undefined) fail(issues, at, "is required", "q");
    else if (typeof q !== "string") fail(issues, at, "must be a string", "q");
    const inStock = value["inStock"];
    if (inStock !== undefined) {
      if (typeof inStock !== "boolean") fail(issues, at, "must be a boolean", "inStock");
    }
    const tag = value["tag"];
    if (tag !== undefined) {
      if (!Array.isArray(tag)) fail(issues, at, "must be an array", "tag");
      else {
        const place = { of: at, key: "tag" };
        for (let i = 0; i < tag.length && issues.length < LIMIT; i++) {
          const item: unknown = tag[i];
          if (typeof item !== "string") fail(issues, place, "must be a string", i);
        }
      }
    }
    const price = value["price"];
    if (price !== undefined) {
      if (!Array.isArray(price)) fail(issues, at, "must be an array", "price");
      else {
        const place2 = { of: at, key: "price" };
        for (let i2 = 0; i2 < price.length && issues.length < LIMIT; i2++) {
          const item2: unknown = price[i2];
          if (typeof item2 !== "number" || !Number.isFinite(item2)) fail(issues, place2, "must be a number", i2);
        }
      }
    }
    const page = value["page"];
    if (page !== undefined) {
      if (typeof page !== "number" || !Number.isInteger(page)) fail(issues, at, "must be an integer", "page");
      else if (page < 1) fail(issues, at, "must be at least 1", "page");
    }
    const size = value["size"];
    if (size !== undefined) {
      if (size !== 10 && size !== 20 && size !== 50) fail(issues, at, "must be 10, 20 or 50", "size");
    }
    const sort = value["sort"];
    if (sort !== undefined) {
      if (sort !== "name" && sort !== "-name") fail(issues, at, "must be \"name\" or \"-name\"", "sort");
    }
  }
}

function checkPage(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const page = value["page"];
    if (page !== undefined) {
      if (typeof page !== "number" || !Number.isInteger(page)) fail(issues, at, "must be an integer", "page");
      else if (page < 1) fail(issues, at, "must be at least 1", "page");
    }
    const size = value["size"];
    if (size !== undefined) {
      if (size !== 10 && size !== 20 && size !== 50) fail(issues, at, "must be 10, 20 or 50", "size");
    }
    const sort = value["sort"];
    if (sort !== undefined) {
      if (sort !== "name" && sort !== "-name") fail(issues, at, "must be \"name\" or \"-name\"", "sort");
    }
  }
}

function checkDeleteStockSkuParams(value: unknown, at: Place, issues: Issue[]): void {
  if (!isObject(value)) fail(issues, at, "must be an object");
  else {
    const sku = value["sku"];
    if (sku === undefined) fail(issues, at, "is required", "sku");
    else {
      if (typeof sku !== "string") fail(issues, at, "must be a string", "sku");
      else if (!PATTERN4.test(sku)) fail(issues, at, "must match ^sku-[0-9]+$", "sku");
    }
  }
}

/** Validators by method and path, for `createRouter({ validators })`. */
export const validators: Readonly<
  Record<string, { readonly body?: Validator; readonly params?: Validator; readonly query?: Validator }>
> = {
  "POST /customers": { body: validator(checkCustomer) },
  "PUT /customers/:id": { body: validator(checkCustomer), params: validator(checkPutCustomersIdParams) },
  "PATCH /customers/:id": { body: validator(checkPatchCustomersIdBody), params: validator(checkPutCustomersIdParams) },
  "PUT /customers/:id/address": { body: validator(checkAddress), params: validator(checkPutCustomersIdParams) },
  "POST /customers/:id/block": { body: validator(checkPostCustomersIdBlockBody), params: validator(checkPutCustomersIdParams) },
  "POST /customers/import": { body: validator(checkPostCustomersImportBody) },
  "POST /products": { body: validator(checkProduct) },
  "PUT /products/:id": { body: validator(checkProduct), params: validator(checkPutCustomersIdParams) },
  "PATCH /products/:id": { body: validator(checkPatchProductsIdBody), params: validator(checkPutCustomersIdParams) },
  "PUT /products/:id/price": { body: validator(checkMoney), params: validator(checkPutCustomersIdParams) },
  "PUT /products/:id/bundle": { body: validator(checkPutProductsIdBundleBody), params: validator(checkPutCustomersIdParams) },
  "POST /products/:id/reviews": { body: validator(checkPostProductsIdReviewsBody), params: validator(checkPutCustomersIdParams) },
  "POST /orders": { body: validator(checkOrder) },
  "PATCH /orders/:id": { body: validator(checkPatchOrdersIdBody), params: validator(checkPutCustomersIdParams) },
  "PUT /orders/:id/payment": { body: validator(checkPayment), params: validator(checkPutCustomersIdParams) },
  "POST /orders/:id/lines": { body: validator(checkLine), params: validator(checkPutCustomersIdParams) },
  "PUT /orders/:id/lines": { body: validator(checkPutOrdersIdLinesBody), params: validator(checkPutCustomersIdParams) },
  "POST /orders/:id/shipped": { body: validator(checkPostOrdersIdShippedBody), params: validator(checkPutCustomersIdParams) },
  "POST /categories": { body: validator(checkCategory) },
  "POST /filters": { body: validator(checkFilter) },
  "PUT /alerts/:id": { body: validator(checkPutAlertsIdBody), params: validator(checkPutCustomersIdParams) },
  "POST /routes": { body: validator(checkPostRoutesBody) },
  "POST /hosts": { body: validator(checkHost) },
  "POST /settings": { body: validator(checkPostSettingsBody) },
  "POST /merge": { body: validator(checkMerge) },
  "GET /search": { query: read({ "inStock": toBoolean, "tag": listOf(same), "price": listOf(toNumber), "page": toNumber, "size": toNumber }, undefined, validator(checkSearch)) },
  "GET /customers": { query: read({ "page": toNumber, "size": toNumber }, undefined, validator(checkPage)) },
  "GET /customers/:id/orders": { params: validator(checkPutCustomersIdParams), query: read({ "page": toNumber, "size": toNumber }, undefined, validator(checkPage)) },
  "GET /products/:id": { params: validator(checkPutCustomersIdParams) },
  "DELETE /stock/:sku": { params: validator(checkDeleteStockSkuParams) },
};
