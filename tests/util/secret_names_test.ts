import { assertEquals } from "@std/assert";
import { isSecretName, isSecretParameter } from "../../src/util/secret_names.ts";

Deno.test("names of secrets are known in every spelling", () => {
  const names = "session_id sessionId SESSIONID connect.sid passcode SAMLResponse refresh cvv card_number cardNumber " +
    "x-api-key API_KEY apikey secretAccessKey auth x-auth-token OTP userPIN pin_code pwd client-secret _csrf XSRF-TOKEN " +
    "codeVerifier privateKey refresh_token Set-Cookie proxy-authorization recoveryCode awsSignature db.password";
  assertEquals(names.split(" ").filter((name) => !isSecretName(name)), []);
});

Deno.test("names that only contain the letters of one, and what is counted of secrets, are shown", () => {
  const names =
    "author authority keyboard keyword monkey spin pinned passenger compass sidebar inside company opinion " +
    "refreshed description shipping total_tokens maxTokens tokenCount passwordLength session_count sessions cookieSize " +
    "expiresIn token_type cacheKey primary_key public-key sortKey idempotency-key state zip code name email";
  assertEquals(names.split(" ").filter(isSecretName), []);
});

Deno.test("of a nested parameter each name counts, and in a query those of OAuth as well", () => {
  const hides = (name: string, isInQuery = false) => isSecretParameter(name, isSecretName, isInQuery);
  assertEquals([hides("user[password]"), hides("user%5Bpassw%6Frd%5D"), hides("user.token"), hides("user[name]")], [
    ...[true, true, true, false],
  ]);
  assertEquals([hides("code"), hides("code", true), hides("Ticket", true), hides("%", true)], [
    false,
    true,
    true,
    false,
  ]);
});
