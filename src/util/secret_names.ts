// literals all, which bundlers leave out of what does not need them
/** What a name contains if its value is a secret: in lower case, without what stands between words. */
const PARTS =
  /passw|pwd|passphrase|passcode|passkey|secret|token|authentication|authorization|credential|cookie|csrf|xsrf|jwt|saml|assertion|signature|session(?!s)|sessid|auth$|(?<!mon|don|tur|hot)key$|verifier|mnemonic|seedphrase|cardn|creditcard|debitcard|ccnum|securitycode|socialsecurity|(?:auth|backup|login|onetime|recovery|reset|sms|verification)code/;

/** Words that make any name with them one of a secret. */
const WORDS =
  /^(?:auth[nz]?|bearer|csc|cv[cnv]2?|[ht]?otp|iban|keys?|mfa|nonce|oauth2?|pan|pass|pin|pw|refresh|sess|sid|sig|ssn|wresult)$/;

/** Names of what is counted or said of a secret, and of keys that everybody may know. */
const HARMLESS =
  /(?:count|length|size|limit|ttl|type|expiry|expires(?:at|in)?|maxage)$|(?:cached|completion|input|max|output|prompt|reasoning|total)tokens$|^(?:cache|column|foreign|group|idempotency|message|object|partition|primary|public|routing|row|sort)keys?$/;

/** Names that are those of secrets only in a query, where the parameters of OAuth, CAS and signed URLs are. */
const IN_QUERIES = /^(?:code|hmac|ticket)$/i;

/**
 * Tells whether a name is that of a secret, however it is written: `apiKey`, `x-api-key`, `API_KEY`. This is the one rule
 * for the lines of logs, spans and pages. In doubt it hides.
 *
 * @param name The name of a header, field, parameter, cookie or property
 */
export function isSecretName(name: string): boolean {
  // most names are one word, and need not be taken apart
  if (/^[a-z]*$/.test(name)) return (PARTS.test(name) || WORDS.test(name)) && !HARMLESS.test(name);
  const words = name.replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$2 ").toLowerCase().split(/[^a-z\d]+/);
  const compact = words.join("");
  return (PARTS.test(compact) || words.some((word) => WORDS.test(word))) && !HARMLESS.test(compact);
}

/**
 * Tells whether the value of a parameter is a secret; of a nested one such as `user[password]`, each name is looked at.
 *
 * @param name The name as it is in a query or a form, encoded
 * @param hides The rule for names, with what a program has added
 * @param isInQuery Whether it is in a query
 */
export function isSecretParameter(name: string, hides: (name: string) => boolean, isInQuery: boolean): boolean {
  const names = parameterNames(name);
  return (isInQuery && IN_QUERIES.test(names[0]!)) || names.some(hides);
}

/**
 * The names in that of a parameter: `user` and `password` of `user[password]`.
 *
 * @param name The name, encoded
 */
export function parameterNames(name: string): string[] {
  return /^\w*$/.test(name) ? [name] : decoded(name.replaceAll("+", " ")).split(/[[\].]+/);
}

/**
 * Undoes percent encoding.
 *
 * @param text Any text; one with a broken escape is returned as it is
 */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
