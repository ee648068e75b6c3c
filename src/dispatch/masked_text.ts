import { describe } from "../util/error_text.ts";

/** What is shown instead of a secret. */
const MASK = "[masked]";

/** Names of what nobody should see over the shoulder, or in the picture of a page. */
const SECRET =
  /auth(?!or(?!i[sz]))|cookie|credential|csrf|xsrf|jwt|key(?!word|board)|passw|passphrase|passcode|\bpass\b|pwd|secret|session|(?:^|[^a-z])(?:otp|sid)|signature|token/i;

/** Characters of one value: a header may have many thousand. */
const SHOWN = 1000;

/**
 * The text of a value, with secrets masked: all of it if its name looks like that of one, otherwise those of its members
 * and of the queries of URLs in it.
 *
 * @param name The name of the value
 * @param value The value
 */
export function maskedText(name: string, value: unknown): string {
  if (SECRET.test(name)) return MASK;
  const text = typeof value === "string" ? maskedQueries(value) : JSON.stringify(value, masked) ?? describe(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function masked(name: string, value: unknown): unknown {
  return SECRET.test(name) ? MASK : value;
}

/**
 * A target with secrets masked: those in its query, and in segments that are the values of parameters.
 *
 * @param target Path and query, not decoded
 * @param params The parameters
 */
export function maskedTarget(target: string, params: Readonly<Record<string, unknown>>): string {
  const secrets = new Set(Object.entries(params).flatMap(([name, value]) => SECRET.test(name) ? value : []));
  const [path, ...query] = target.split("?");
  const segments = path!.split("/").map((segment) => secrets.has(decoded(segment)) ? MASK : segment);
  return maskedText("", [segments.join("/"), ...query].join("?"));
}

function maskedQueries(text: string): string {
  return text.replace(
    /([?&;])([^=?&;\s]+)=[^&;\s]*/g,
    (pair, mark, name) => SECRET.test(decoded(name)) ? `${mark}${name}=${MASK}` : pair,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // a broken percent escape: the text as it is
    return text;
  }
}
