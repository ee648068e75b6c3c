/**
 * Limits as data. A document, such as a JSON file, defines which policies apply to which requests. It can be replaced
 * while the server runs.
 *
 * @example Apply a document to an application
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { rateLimit } from "@sluice/rate-limit";
 * import { PolicyRules } from "@sluice/rate-limit/rules";
 *
 * const rules = new PolicyRules({
 *   policies: [
 *     { name: "client", limit: 600, window: "1m", algorithm: "sliding-window" },
 *     { name: "login", routes: ["/login"], methods: ["POST"], limit: 5, window: "10m" },
 *   ],
 * });
 * const app = sluice();
 * app.use(rateLimit({ rules }));
 * ```
 *
 * @module
 */
export type { DocumentLimit, DocumentPolicy, KeyPart, PolicyDocument } from "./src/rules/policy_document.ts";
export { PolicyRules } from "./src/rules/policy_rules.ts";
