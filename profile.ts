/**
 * For packages whose applications emulate another framework: `@sluice/express` gives each major version of Express its
 * own {@linkcode Profile}. Programs do not need it.
 *
 * @example Applications with a different `X-Powered-By`
 * ```ts ignore
 * import { FrameworkApp, FrameworkRequest, FrameworkResponse } from "@sluice/sluice";
 * import { BaseRouter, type Profile, profileKey } from "@sluice/sluice/profile";
 *
 * const profile: Profile = {
 *   poweredBy: "Mine",
 *   fileType: (type) => type,
 *   Request: FrameworkRequest,
 *   Response: FrameworkResponse,
 *   Router: BaseRouter,
 *   settings: { "x-powered-by": true },
 * };
 * class App extends FrameworkApp {
 *   override get [profileKey](): Profile {
 *     return profile;
 *   }
 * }
 * const app = new App();
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";

export type { Profile } from "./src/app/profile.ts";
export { type AppProfile, profileKey } from "./src/exchange/app_profile.ts";
export { exchangeOf } from "./src/exchange/exchange.ts";
export type { AppClasses } from "./src/dispatch/handle_request.ts";
export { sha1EntityTag, strongEntityTag, type TagMaker } from "./src/http/entity_tag.ts";
export { type ExtendedQueryOptions, parseExtendedQuery } from "./src/http/nested_query.ts";
export { isExponential } from "./src/matching/ambiguity.ts";
export {
  type CalledLayer,
  handleError,
  handleRequest,
  type LayerCall,
  type LayerErrorCall,
  type LayerNext,
  replaceLayerCalls,
} from "./src/matching/layer_call.ts";
export { literalSource } from "./src/matching/literal_source.ts";
export { METHODS } from "./src/matching/methods.ts";
export {
  dialectKey,
  type DialectPath,
  MARK,
  type PathDialect,
  PathDialectError,
  type PatternOptions,
} from "./src/matching/path_dialect.ts";
export type { PathOptions } from "./src/matching/path_options.ts";
export { inPresentSyntax } from "./src/matching/present_syntax.ts";
export { isCapturing, type PathKey, REGEXP_SYNTAX } from "./src/matching/regexp_keys.ts";
export { usualSpelling } from "./src/util/path_spelling.ts";
export { type ParsedQuery, parseSimpleQuery } from "./src/http/query_string.ts";
export { statusMessage } from "./src/http/status_text.ts";
export { type FlatParser, formParser } from "./src/middleware/body/urlencoded.ts";
export { BaseRouter, type RouterClass, routerConstructor } from "./src/routing/router.ts";
export { escapeHtml } from "./src/util/escape_html.ts";
export { runtimeKey } from "./src/util/runtime_key.ts";
export { detailsOf, withDetails } from "./src/util/handler_details.ts";
