import { decoded, isSecretName, isSecretParameter } from "./secret_names.ts";

/** Replacement for a secret. */
export const REDACTED = "[redacted]";

/** Returns whether a name denotes a secret. */
export type Hides = (name: string) => boolean;

/** A string that matches none of these patterns has no secret; stack lines never match. */
const SUSPECT =
  /[="']|:\/\/[^\s/?#]*@|eyJ|\b(?:basic|bearer|dpop)\b|JSON|^[ \t]*(?:(?:set-)?cookie|(?:proxy-)?authorization|x-[\w-]+):/im;

/** The input that JSON.parse quotes: at most 21 characters in V8's messages, a whole identifier in JavaScriptCore's. */
const QUOTED_INPUT =
  /(?:\.{3})?"[^]{0,64}"(?:\.{3})?(?= is not valid JSON)|(?<=JSON Parse error: Unexpected identifier )"[^"]*"?/g;

/** The user info before a URL's host: a password, or an access token alone. */
const USER_INFO = /(?<=\b[a-z][a-z\d+.-]{0,30}:\/\/)(?:([^\s/?#@:]{0,256}):)?[^\s/?#@]{1,1024}(?=@)/gi;

/** The credentials in `Authorization`: encoded ones contain a digit, a capital or an equals sign. */
const CREDENTIALS = /(?<=\b(?:[Bb]asic|[Bb]earer|DPoP|BASIC|BEARER)[ \t]{1,8})(?=[^\s,;"']*[\dA-Z=])[^\s,;"']{6,}/g;

/** A JSON Web Token (RFC 7519), whose header is an object. */
const JWT = /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)*/g;

/** A header line. */
const HEADER = /^([ \t]*)((?:set-)?cookie|(?:proxy-)?authorization|x-[\w-]{1,64})(:[ \t]*)\S.*$/gim;

/** `"name": value` in JSON, and `name: "value"` as objects are printed; the end may be cut off. */
const MEMBER =
  /(["'])([^"'\\\s=?&;,]{1,128})\1(\s*:\s*)(?:"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$)|\[[^\]]*(?:\]|$)|\{[^}]*(?:\}|$)|[^\s,}\]]+)|\b([\w$-]{1,128})(:\s*)(?:"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$))/g;

/** The same in JSON within a JSON string. */
const ESCAPED_MEMBER = /\\"([^"\\]{1,128})\\"(\s*:\s*)(?:\\"(?:[^"\\]|\\\\\\"|\\[^"])*(?:\\"|$)|[^\s,}\]\\]+)/g;

/** `name=value` in queries, forms, cookies and connection strings. */
const PAIR = /(^|[?&;,#\s"'`({])([^\s=?&;,#"'`(){}]{1,128})( ?= ?)("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s&;,#"'`)}]+)/g;

/** Parameter names in a path pattern. */
const PARAMETER = /(?<=:)\w+/g;

/** Maximum encoding levels, for a URL in a URL in a URL. */
const MOST_DECODINGS = 3;

/**
 * Removes secrets from a string: passwords in URLs, values of secret parameters, members and cookies, credentials, JSON
 * Web Tokens, and input quoted by JSON.parse. Meant for strings from elsewhere, such as error messages.
 *
 * @param text The string
 * @param hides The rule for names
 */
export function redactedText(text: string, hides: Hides = isSecretName): string {
  return withoutSecrets(text, hides, MOST_DECODINGS);
}

function withoutSecrets(text: string, hides: Hides, decodings: number): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(QUOTED_INPUT, REDACTED)
    .replace(USER_INFO, (_all, user?: string) => user ? `${user}:${REDACTED}` : REDACTED)
    .replace(CREDENTIALS, REDACTED)
    .replace(JWT, REDACTED)
    .replace(HEADER, (all, indent, name, colon) => hides(name) ? `${indent}${name}${colon}${REDACTED}` : all)
    .replace(ESCAPED_MEMBER, (all, name, colon) => hides(name) ? `\\"${name}\\"${colon}\\"${REDACTED}\\"` : all)
    .replace(MEMBER, (all, quote, quoted, between, bare, colon) => {
      if (!hides(quoted ?? bare)) return all;
      return quoted === undefined
        ? `${bare}${colon}"${REDACTED}"`
        : `${quote}${quoted}${quote}${between}${quote}${REDACTED}${quote}`;
    })
    .replace(PAIR, (all, before, name, equals, value) => {
      const isInQuery = before === "?" || before === "&";
      const hidden = isSecretParameter(name, hides, isInQuery) || hasEncoded(value, hides, decodings);
      return hidden ? `${before}${name}${equals}${REDACTED}` : all;
    });
}

/**
 * Returns whether a query value contains a secret, such as a URL with one.
 *
 * @param value The value, encoded
 * @param hides The rule for names
 */
export function hasEncodedSecret(value: string, hides: Hides): boolean {
  return hasEncoded(value, hides, MOST_DECODINGS);
}

function hasEncoded(value: string, hides: Hides, decodings: number): boolean {
  if (decodings === 0 || !value.includes("%")) return false;
  const text = decoded(value);
  return text !== value && (withoutSecrets(text, hides, 0) !== text || hasEncoded(text, hides, decodings - 1));
}

/**
 * Removes path segments that are the values of parameters with secret names, as in `/reset/:token`.
 *
 * @param path The path, not decoded
 * @param params The parameters
 * @param hides The rule for names
 * @param pattern The pattern that it matches, if known
 */
export function redactedPath(
  path: string,
  params: Readonly<Record<string, unknown>>,
  hides: Hides,
  pattern = "",
): string {
  const secrets = Object.entries(params).flatMap(([name, value]) => hides(name) ? value : []);
  const hasNames = [...pattern.matchAll(PARAMETER)].some(([name]) => hides(name));
  if (secrets.length === 0 && !hasNames) return path;
  // a pattern's segments correspond to the path's up to the first wildcard or optional part
  const expected = /^[^*{(]*/.exec(pattern)![0].split("/");
  return path.split("/").map((segment, i) => {
    const isSecret = [...(expected[i] ?? "").matchAll(PARAMETER)].some(([name]) => hides(name));
    return isSecret || secrets.includes(decoded(segment)) ? REDACTED : segment;
  }).join("/");
}

/**
 * Removes the secrets from a path and query.
 *
 * @param target Path and query, not decoded
 * @param params Its route's parameters
 * @param pattern Its route's path, if known
 */
export function redactedTarget(
  target: string,
  params: Readonly<Record<string, unknown>>,
  pattern?: string,
): string {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  return redactedText(redactedPath(path, params, isSecretName, pattern) + target.slice(path.length));
}
