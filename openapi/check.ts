/**
 * Checks an application against its OpenAPI document, with requests generated from the document: `sluice check`, for
 * tests.
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
