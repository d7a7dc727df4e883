/**
 * The formats that validators check, JSON Schema Validation §7.3. Others are annotations, JSON Schema §7.2.1. Each expression
 * takes time in proportion to the text.
 *
 * @module
 */

/** A format that is checked. */
export interface Format {
  /** A regular expression, as it is written in code. */
  readonly regexp: string;
  /** What a value must be, for messages. */
  readonly noun: string;
}

const MONTHS = String
  .raw`(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)`;
const LEAP_YEAR = String
  .raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`;
const DATE = String.raw`(?:\d{4}-(?:${MONTHS}|02-(?:0[1-9]|1\d|2[0-8]))|${LEAP_YEAR}-02-29)`;
const TIME = String.raw`(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|23:59:60(?:\.\d+)?(?=z))`;
const OFFSET = String.raw`(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;

const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = String.raw`${BYTE}(?:\.${BYTE}){3}`;
const GROUP = String.raw`[\da-f]{1,4}`;

/** RFC 4291 §2.2: eight groups, of which `::` replaces some; an IPv4 address may be the last two. */
const IPV6 = [
  `(?:${GROUP}:){7}${GROUP}`,
  `(?:${GROUP}:){6}${IPV4}`,
  ...Array.from({ length: 8 }, (_, before) => {
    const groups = before < 7 ? `(?:${GROUP}(?::${GROUP}){0,${6 - before}})?` : "";
    const mapped = before < 6 ? `|(?:${GROUP}:){0,${5 - before}}${IPV4}` : "";
    return `(?:${GROUP}:){${before}}${before === 0 ? ":" : ""}:(?:${groups}${mapped})`;
  }),
].join("|");

const PART = String.raw`[\w!$&'()*+,;=:@/?.~-]|%[\da-f]{2}`;
const NAME = String.raw`[\w!$&'()*+,;=.~-]|%[\da-f]{2}`;
const AUTHORITY = String
  .raw`(?:(?:${NAME}|:)*@)?(?:\[(?:${IPV6}|v[\da-f]+\.[\w!$&'()*+,;=:.~-]+)\]|(?:${NAME})*)(?::\d*)?(?=[/?#]|$)`;

const LABEL = String.raw`[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?`;
const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+";

/** The formats, by name. */
export const FORMATS: Readonly<Record<string, Format>> = {
  "date-time": format(`${DATE}t${TIME}${OFFSET}`, "a date and time of RFC 3339"),
  date: format(DATE, "a date of RFC 3339"),
  duration: format(
    String
      .raw`[+-]?p(?!$)(?:\d+y)?(?:\d+m)?(?:\d+w)?(?:\d+d)?(?:t(?=\d)(?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?s)?)?`,
    "a duration of ISO 8601",
  ),
  email: format(
    String.raw`(?=[^@]{1,64}@.{1,255}$)${ATOM}(?:\.${ATOM})*@${LABEL}(?:\.${LABEL})+`,
    "an e-mail address",
  ),
  ipv4: format(IPV4, "an IPv4 address"),
  ipv6: format(IPV6, "an IPv6 address"),
  uri: format(
    String.raw`[a-z][a-z\d+.-]*:(?:\/\/${AUTHORITY}|(?!\/\/))(?:${PART})*(?:#(?:${PART})*)?`,
    "a URI of RFC 3986",
  ),
  uuid: format(String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`, "a UUID of RFC 9562"),
};

/** The case of letters does not matter in any of them. */
function format(source: string, noun: string): Format {
  return { regexp: `/^(?:${source.replace(/(?<!\\)\/(?!\\)/g, "\\/")})$/i`, noun };
}
