/** Names on Sluice's objects besides those from Express and the web; the reference documents each. */
export const OWN_NAMES = {
  app: [
    ...["fetch", "inject", "mount", "ws", "group", "getEngine", "getSettings", "setAppContext", "websocket"],
    ...["connections", "server", "close", "isClosing", "reportError", "idleTimeout", "maxRequestBodySize", "stop"],
    ...["routes", "middlewares", "prefixMiddlewares", "children", "errorHandlers", "wsRoutes", "routerOptions"],
    ...["getRoutes", "getChildren", "getWsRoutes", "getRegisteredRoutes", "printRoutes"],
    ...["fastMatcher", "paramHandlers", "_appContext"],
    // Express 4's
    ...["_router", "lazyrouter"],
  ],
  router: [
    ...["mount", "ws", "group", "register", "routes", "middlewares", "prefixMiddlewares", "children"],
    ...["errorHandlers", "wsRoutes", "getRoutes", "getChildren", "getWsRoutes", "getRegisteredRoutes", "printRoutes"],
    ...["fastMatcher", "paramHandlers"],
  ],
  route: ["add", "entriesFor", "allowedMethods"],
  req: [
    ...["request", "info", "peer", "env", "executionCtx", "waitUntil", "routePath", "cookies", "files", "file", "user"],
    ...["session", "secret", "signedCookies"],
    // properties that @sluice/middleware entries add
    ...["csrfToken", "id", "log", "timedout"],
    // and the limiter of @sluice/rate-limit
    "rateLimit",
    // checked by older body parsers
    ...["_body"],
  ],
  res: [
    "respondWith",
    // a method that @sluice/middleware/compress adds
    "flush",
    // Node's own, which Deno's node:http lacks
    ...["writeHeader", "closed", "_isLenientHeaderValidation"],
  ],
  // on, once, params, ping and terminate are guesses, and throw an error with what to write
  ws: ["data", "on", "once", "params", "ping", "terminate", "publish", "subscribe", "unsubscribe", "isSubscribed"],
  limiter: [
    ...["breakerIsOpen", "close", "consume", "counters", "keys", "overflows", "peek", "policies", "refund", "release"],
    ...["replace", "reset", "size", "top", "waitFor", "warm"],
    // methods from other limiters, which throw an error with the name to use
    ...[
      "block",
      "check",
      "delete",
      "get",
      "getTokensRemaining",
      "limit",
      "penalty",
      "removeTokens",
      "reserve",
      "reward",
    ],
    "set",
    // options of other limiters, some of which are also members there
    ...[
      "blockDuration",
      "delayAfter",
      "delayMs",
      "duration",
      "execEvenly",
      "inMemoryBlockOnConsumed",
      "insuranceLimiter",
    ],
    ...["interval", "keyPrefix", "points", "requests", "storeClient", "tokensPerInterval", "ttl"],
  ],
  store: ["capabilities", "decide", "give", "inspect", "overflows", "reset", "settle", "size"],
  middleware: ["getKey", "limiter", "reset", "resetKey", "size"],
} as const satisfies Record<string, readonly string[]>;
