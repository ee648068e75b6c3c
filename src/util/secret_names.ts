// all literals, which bundlers drop if unused
/** Parts that mark a name as a secret's: in lower case, without word separators. */
const PARTS =
  /passw|pwd|passphrase|passcode|passkey|secret|token|authentication|authorization|credential|cookie|csrf|xsrf|jwt|saml|assertion|signature|session(?!s)|sessid|auth$|(?<!mon|don|tur|hot)key$|verifier|mnemonic|seedphrase|cardn|creditcard|debitcard|ccnum|securitycode|socialsecurity|(?:auth|backup|login|onetime|recovery|reset|sms|verification)code/;

/** Words that mark any name containing them as a secret's. */
const WORDS =
  /^(?:auth[nz]?|bearer|csc|cv[cnv]2?|[ht]?otp|iban|keys?|mfa|nonce|oauth2?|pan|pass|pin|pw|refresh|sess|sid|sig|ssn|wresult)$/;

/** Names for a secret's counts or properties, and for public keys. */
const HARMLESS =
  /(?:count|length|size|limit|ttl|type|expiry|expires(?:at|in)?|maxage)$|(?:cached|completion|input|max|output|prompt|reasoning|total)tokens$|^(?:cache|column|foreign|group|idempotency|message|object|partition|primary|public|routing|row|sort)keys?$/;

/** Names that denote secrets only in a query, where OAuth, CAS and signed URLs put their parameters. */
const IN_QUERIES = /^(?:code|hmac|ticket)$/i;

/**
 * Returns whether a name denotes a secret, in any spelling: `apiKey`, `x-api-key`, `API_KEY`. Logs, spans and pages all
 * use this one rule. When in doubt, it hides.
 *
 * @param name A header, field, parameter, cookie or property name
 */
export function isSecretName(name: string): boolean {
  // most names are one word and need not be split
  if (/^[a-z]*$/.test(name)) return (PARTS.test(name) || WORDS.test(name)) && !HARMLESS.test(name);
  const words = name.replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$2 ").toLowerCase().split(/[^a-z\d]+/);
  const compact = words.join("");
  return (PARTS.test(compact) || words.some((word) => WORDS.test(word))) && !HARMLESS.test(compact);
}

/**
 * Returns whether a parameter's value is a secret; for a nested one such as `user[password]`, checks each name.
 *
 * @param name The name as in a query or form, encoded
 * @param hides The rule for names, including a program's additions
 * @param isInQuery Whether it is in a query
 */
export function isSecretParameter(name: string, hides: (name: string) => boolean, isInQuery: boolean): boolean {
  const names = parameterNames(name);
  return (isInQuery && IN_QUERIES.test(names[0]!)) || names.some(hides);
}

/**
 * The names within a parameter's name: `user` and `password` for `user[password]`.
 *
 * @param name The name, encoded
 */
export function parameterNames(name: string): string[] {
  return /^\w*$/.test(name) ? [name] : decoded(name.replaceAll("+", " ")).split(/[[\].]+/);
}

/**
 * Decodes percent encoding.
 *
 * @param text Any string; one with a broken escape is returned unchanged
 */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
