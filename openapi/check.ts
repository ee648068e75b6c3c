/**
 * Checks that an application keeps to its OpenAPI document, with requests that are made from the document: what
 * `sluice check` does, for tests.
 *
 * @module
 */
export {
  checkApplication,
  type CheckedApp,
  type CheckOptions,
  type CheckReport,
  type Finding,
} from "./src/check/check_application.ts";
export { reportText } from "./src/check/report_text.ts";
export type { SentRequest } from "./src/check/sent_request.ts";
export type { OpenApiDocument } from "./src/document/openapi_document.ts";
