import { decoded, isSecretName, isSecretParameter } from "./secret_names.ts";

/** What stands for a secret. */
export const REDACTED = "[redacted]";

/** Tells whether a name is that of a secret. */
export type Hides = (name: string) => boolean;

/** Without one of these there is nothing to hide; the lines of a stack have none of them. */
const SUSPECT =
  /[="']|:\/\/[^\s/?#]*@|eyJ|\b(?:basic|bearer|dpop)\b|JSON|^[ \t]*(?:(?:set-)?cookie|(?:proxy-)?authorization|x-[\w-]+):/im;

/** What JSON.parse quotes of its input: in V8's messages at most 21 characters, in JavaScriptCore's a whole identifier. */
const QUOTED_INPUT =
  /(?:\.{3})?"[^]{0,64}"(?:\.{3})?(?= is not valid JSON)|(?<=JSON Parse error: Unexpected identifier )"[^"]*"?/g;

/** What stands in front of the host of a URL: a password, or alone an access token. */
const USER_INFO = /(?<=\b[a-z][a-z\d+.-]{0,30}:\/\/)(?:([^\s/?#@:]{0,256}):)?[^\s/?#@]{1,1024}(?=@)/gi;

/** The credentials of `Authorization`: those that are encoded have a digit, a capital or an equals sign. */
const CREDENTIALS = /(?<=\b(?:[Bb]asic|[Bb]earer|DPoP|BASIC|BEARER)[ \t]{1,8})(?=[^\s,;"']*[\dA-Z=])[^\s,;"']{6,}/g;

/** A JSON Web Token (RFC 7519), whose header is an object. */
const JWT = /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)*/g;

/** A line of a head. */
const HEADER = /^([ \t]*)((?:set-)?cookie|(?:proxy-)?authorization|x-[\w-]{1,64})(:[ \t]*)\S.*$/gim;

/** `"name": value` in JSON, and `name: "value"` as objects are shown; the end may have been cut off. */
const MEMBER =
  /(["'])([^"'\\\s=?&;,]{1,128})\1(\s*:\s*)(?:"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$)|\[[^\]]*(?:\]|$)|\{[^}]*(?:\}|$)|[^\s,}\]]+)|\b([\w$-]{1,128})(:\s*)(?:"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$))/g;

/** The same in JSON that is a string in JSON. */
const ESCAPED_MEMBER = /\\"([^"\\]{1,128})\\"(\s*:\s*)(?:\\"(?:[^"\\]|\\\\\\"|\\[^"])*(?:\\"|$)|[^\s,}\]\\]+)/g;

/** `name=value` in queries, forms, cookies and connection strings. */
const PAIR = /(^|[?&;,#\s"'`({])([^\s=?&;,#"'`(){}]{1,128})( ?= ?)("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s&;,#"'`)}]+)/g;

/** Names of parameters in the pattern of a path. */
const PARAMETER = /(?<=:)\w+/g;

/** How often a URL in a URL in a URL is encoded. */
const MOST_DECODINGS = 3;

/**
 * A text without the secrets in it: passwords in URLs, the values of secret parameters, members and cookies, credentials,
 * JSON Web Tokens, and what JSON.parse quotes of its input. It is for what a program has not written itself, such as the
 * message of an error.
 *
 * @param text The text
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
 * Tells whether a value of a query has a secret in it, such as a URL with one.
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
 * A path without the segments that are the values of parameters with secret names, such as those of `/reset/:token`.
 *
 * @param path The path, not decoded
 * @param params The parameters
 * @param hides The rule for names
 * @param pattern The pattern that it matches, if it is known
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
  // segments of a pattern are those of the path as far as it has no wildcard and no optional part
  const expected = /^[^*{(]*/.exec(pattern)![0].split("/");
  return path.split("/").map((segment, i) => {
    const isSecret = [...(expected[i] ?? "").matchAll(PARAMETER)].some(([name]) => hides(name));
    return isSecret || secrets.includes(decoded(segment)) ? REDACTED : segment;
  }).join("/");
}

/**
 * A path and query without their secrets.
 *
 * @param target Path and query, not decoded
 * @param params The parameters of its route
 * @param pattern The path of its route, if it is known
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
