/** What is tried, each at a pinned commit. */
import type { Suite } from "./support/suite.ts";

/** Applications, whose tests are run. */
export const APPLICATIONS: readonly Suite[] = [
  {
    name: "Unleash",
    repository: "Unleash/unleash",
    commit: "ceeb5a9ca6d0beb0cabf041d6a27ffd2d6501859",
    runner: "vitest",
    tests: [
      "--no-isolate",
      "src/lib/middleware",
      "src/lib/routes",
      "src/test/e2e/api/admin/api-token",
      "src/test/e2e/api/admin/context.e2e",
      "src/test/e2e/api/admin/feature-archive",
      "src/test/e2e/api/admin/strategy",
      "src/test/e2e/api/admin/user-admin.e2e",
      "src/test/e2e/api/client/feature.e2e",
    ],
    env: { TEST_DATABASE_URL: "<database>" },
    needs: ["PostgreSQL"],
  },
  {
    name: "parse-server",
    repository: "parse-community/parse-server",
    commit: "7ea2a2953e9202d43ddb53ded309fbd26245d45c",
    runner: "jasmine",
    tests: [
      "--random=false",
      "spec/CloudCode.spec.js",
      "spec/EnableExpressErrorHandler.spec.js",
      "spec/Idempotency.spec.js",
      "spec/InstallationsRouter.spec.js",
      "spec/LogsRouter.spec.js",
      "spec/Middlewares.spec.js",
      "spec/PagesRouter.spec.js",
      "spec/ParseAPI.spec.js",
      "spec/ParseFile.spec.js",
      "spec/ParseServer.spec.js",
      "spec/PromiseRouter.spec.js",
      "spec/PublicAPI.spec.js",
      "spec/RateLimit.spec.js",
      "spec/batch.spec.js",
      "spec/schemas.spec.js",
      // last, because those that fail go on into the tests behind them
      "spec/ParseHooks.spec.js",
    ],
    // what is on npm of this commit is what its tests run
    packages: { "parse-server": "7.4.0-alpha.5" },
    links: { "lib": "node_modules/parse-server/lib", "node_modules/parse-server/public": "../../public" },
    env: {
      TESTING: "1",
      PARSE_SERVER_TEST_DB: "postgres",
      PARSE_SERVER_TEST_DATABASE_URI: "<database>",
      // it is older than modules that can be required
      NODE_OPTIONS: "--no-experimental-require-module",
    },
    needs: ["PostgreSQL"],
  },
  {
    name: "express-gateway",
    repository: "ExpressGateway/express-gateway",
    commit: "a294cac39c98d66f5750c424a24e0bb8ce351c1c",
    runner: "mocha",
    tests: [
      "test",
    ],
    env: {
      "EG_HTTP_PORT": "0",
      "EG_CONFIG_DIR": "lib/config",
      "EG_DISABLE_CONFIG_WATCH": "true",
    },
  },
  {
    name: "Etherpad",
    repository: "ether/etherpad-lite",
    commit: "b827f5b3d93bc79fc9014c7d9f8b900956b8af65",
    runner: "mocha",
    folder: "src/",
    tests: ["--import=tsx", "--timeout=120000", "--recursive", "tests/backend/specs/**.ts"],
    installer: "pnpm",
    env: { NODE_ENV: "production" },
  },
  {
    name: "PeerServer",
    repository: "peers/peerjs-server",
    commit: "cfa79ac8607686ba5dfd5110e5ea5edfdb3fe61d",
    runner: "jest",
    tests: [],
  },
  {
    name: "Probot",
    repository: "probot/probot",
    commit: "4ea8ea48f11a43bc8f7ceba978a0a502cbb3587e",
    runner: "vitest",
    tests: [],
  },
];

/** Packages, whose tests are run. */
export const SUITES: readonly Suite[] = [
  {
    name: "express-session",
    repository: "expressjs/session",
    prepare: ["sh", "test/support/gencert.sh"],
    commit: "2c9512fb790e4bf80b3b62305eb8078028607785",
    runner: "mocha",
    tests: [
      "--require",
      "test/support/env",
      "test/",
    ],
    wraps: true,
  },
  {
    name: "body-parser",
    repository: "expressjs/body-parser",
    commit: "b1f3d588c5dca4b3a4ca7d5d3765c9129118926a",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "compression",
    repository: "expressjs/compression",
    commit: "fb4902f1035649ed2a0baaf17ef3ffa1e62312ae",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "morgan",
    repository: "expressjs/morgan",
    commit: "203c75852adadcc5e3a9ba23b0ef07a8e81c5af7",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "multer",
    repository: "expressjs/multer",
    commit: "0adb21d0294fe7315344feb6ddee00b0666d9e8a",
    runner: "mocha",
    tests: [
      "test/",
    ],
  },
  {
    name: "serve-static",
    repository: "expressjs/serve-static",
    commit: "74be78a8ffad679edfe135c457ce141114d96fcc",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "cors",
    repository: "expressjs/cors",
    commit: "5317ebe670db2aaebc1d496eb5d33493deefb3ed",
    runner: "mocha",
    tests: [
      "test/",
    ],
  },
  {
    name: "on-finished",
    repository: "jshttp/on-finished",
    commit: "500c84cec0c413380a22a16f2aea140341bab0c1",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "on-headers",
    repository: "jshttp/on-headers",
    commit: "691b687710ece2eef62e6a6d1bdcf3a3fcab932a",
    runner: "mocha",
    tests: [
      "test/test.js",
    ],
    wraps: true,
  },
  {
    name: "finalhandler",
    repository: "pillarjs/finalhandler",
    commit: "e561b5ad511be60baeea07e2ad8a7e45b2c7ff2f",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "send",
    repository: "pillarjs/send",
    commit: "092f3fc77f0e796519ac328c543c11cced8f2244",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "cookie-parser",
    repository: "expressjs/cookie-parser",
    commit: "a0fe6c5d1b213f9e332662358e906f8626ca86ff",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "cookie-session",
    repository: "expressjs/cookie-session",
    commit: "dedc782a878a8a2f178a891e569f68018d8e1513",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "csrf-csrf",
    repository: "Psifi-Solutions/csrf-csrf",
    commit: "30ac986e7077221c12a820a46c03da58129ff348",
    runner: "vitest",
    tests: [],
  },
  {
    name: "method-override",
    repository: "expressjs/method-override",
    commit: "4df570e14dddc88b9464808f4cab3b2a73fc6dc8",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "response-time",
    repository: "expressjs/response-time",
    commit: "3bd2651ea7fcf409ea780954e3113b3aaa0feb84",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "serve-index",
    repository: "expressjs/serve-index",
    commit: "326f2aa56ca9a9d228f932befd763bad5fa47892",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "serve-favicon",
    repository: "expressjs/serve-favicon",
    commit: "1d9a8e7261557ec9a40463fd54e99b601016598c",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "vhost",
    repository: "expressjs/vhost",
    commit: "9c98d16f3d300d1d112f800cd4faf77f0f9b1e4d",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "connect-timeout",
    repository: "expressjs/timeout",
    commit: "7377defb5b7b5a9c3d50fabd42c4dd46ad175d13",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "errorhandler",
    repository: "expressjs/errorhandler",
    commit: "1922d04b78ed575ace5499b3d6f5591f2325f70b",
    runner: "mocha",
    tests: [
      "test/",
    ],
    wraps: true,
  },
  {
    name: "express-validator",
    repository: "express-validator/express-validator",
    commit: "b05efad51c9c073ec601b3a916082d3795471225",
    runner: "jest",
    tests: [],
  },
  {
    name: "helmet",
    repository: "helmetjs/helmet",
    commit: "15250cfb1f22334582ed77e1e1b1e580ce2d7134",
    runner: "node",
    tests: [
      "--import=tsx",
      "test/index.test.ts",
      "test/content-security-policy.test.ts",
    ],
    wraps: true,
  },
  {
    name: "express-rate-limit",
    repository: "express-rate-limit/express-rate-limit",
    packages: { "@express-rate-limit/tsconfig": "1.0.2" },
    commit: "3828a5b61c90e3134451ab32e88e61072dbf19f5",
    runner: "jest",
    tests: [
      "test/library",
    ],
  },
  {
    name: "express-slow-down",
    repository: "express-rate-limit/express-slow-down",
    packages: { "@express-rate-limit/tsconfig": "1.0.2" },
    commit: "0d6ecae08aa0d1fc4522c61ac07f09b4a3af325e",
    runner: "jest",
    tests: [
      "test/library",
      "test/integration",
    ],
  },
  {
    name: "passport",
    repository: "jaredhanson/passport",
    commit: "217018dbc46dcd4118dd6f2c60c8d97010c587f8",
    runner: "mocha",
    tests: [
      "--require",
      "test/bootstrap/node",
      "--recursive",
      "test",
    ],
  },
  {
    name: "express-fileupload",
    repository: "richardgirges/express-fileupload",
    prepare: ["node", "test/pretests.js"],
    commit: "20269154bb9aab9672e7ff7ca500349e5d23fb5c",
    runner: "mocha",
    tests: [
      "test",
    ],
  },
  {
    name: "supertest",
    repository: "ladjs/supertest",
    commit: "fd571c82cdce1a7ba93f9a576277dbe535fd381f",
    runner: "mocha",
    tests: [
      "--require",
      "should",
      "test/*.js",
    ],
    wraps: true,
  },
  {
    name: "http-proxy-middleware",
    repository: "chimurai/http-proxy-middleware",
    commit: "014a19804c2f55fefdbe6c336d4be510ba64b073",
    runner: "vitest",
    tests: [],
  },
  {
    name: "express-promise-router",
    repository: "express-promise-router/express-promise-router",
    commit: "90001ac3b4e736ae2c5e6cba63ec9a87e1cf7c87",
    runner: "mocha",
    tests: [
      "test/*.test.js",
    ],
  },
  {
    name: "express-async-handler",
    repository: "Abazhenov/express-async-handler",
    commit: "ac681b80e088a6f74d828238359e7672e73cdc8a",
    runner: "mocha",
    tests: [
      "test.js",
    ],
  },
  {
    name: "express-jwt",
    repository: "auth0/express-jwt",
    commit: "de703b4d4d8789f0005ead3bcc8e918e9daa18ef",
    runner: "mocha",
    tests: [
      "--require",
      "ts-node/register",
      "test/**",
    ],
  },
  {
    name: "express-openapi-validator",
    repository: "cdimascio/express-openapi-validator",
    commit: "c17d005f1e467bac1461e91c535a37a34bb10e32",
    runner: "mocha",
    tests: [
      "-r",
      "ts-node/register",
      "--files",
      "--recursive",
      "test/**/*.spec.ts",
      "test/*.spec.ts",
    ],
  },
  {
    name: "express-winston",
    repository: "bithavoc/express-winston",
    commit: "fcfbafc670a3ca37d280a4ffa0eee8be2d020354",
    runner: "mocha",
    tests: [
      "test/test.js",
    ],
  },
  {
    name: "express-http-proxy",
    repository: "villadora/express-http-proxy",
    commit: "e2aeb522d734645cd9a13eaee3b80795d46f3d14",
    runner: "mocha",
    tests: [
      "--recursive",
      "test",
    ],
  },
  {
    name: "i18next-http-middleware",
    repository: "i18next/i18next-http-middleware",
    commit: "3e3b21dd448430fb56d0ce153311af24f8b32fb3",
    runner: "mocha",
    tests: [
      "test/*.js",
    ],
  },
  {
    name: "node-mocks-http",
    repository: "eugef/node-mocks-http",
    commit: "39c917bea540a5cf75b5923eecabe3aa4cab11c3",
    runner: "mocha",
    tests: [],
  },
  {
    name: "pino-http",
    repository: "pinojs/pino-http",
    commit: "e4730c63d0cf1c54e0423639bb6481c8c4e86ab1",
    runner: "node",
    tests: [
      "test/test.js",
    ],
    wraps: true,
  },
  {
    name: "graphql-http",
    repository: "graphql/graphql-http",
    commit: "08b4ed2cb320d9bc78d96c3801f1f6bed5c61553",
    runner: "vitest",
    // its own is on GitHub only
    packages: { "uWebSockets.js": "npm:@btc-vision/uwebsockets.js@20.57.0" },
    tests: [],
  },
  {
    name: "@as-integrations/express5",
    repository: "apollo-server-integrations/apollo-server-integration-express5",
    commit: "da151ad5db94696fdae84d44bb373cadab7022f6",
    runner: "jest",
    ignoresLock: true,
    packages: { "@apollo/server": "4.13.0", "@apollo/server-integration-testsuite": "4.13.0" },
    tests: [],
  },
  {
    name: "light-my-request",
    repository: "fastify/light-my-request",
    commit: "4448a21ae80fcb531b1164af8fb8e7f0140ec657",
    runner: "node",
    tests: [
      "test/index.test.js",
    ],
  },
  {
    name: "webpack-dev-middleware",
    repository: "webpack/webpack-dev-middleware",
    commit: "267760764a784579f78287ef25b055df44d368b0",
    runner: "jest",
    tests: [
      "test/middleware.test.js",
      "--testNamePattern=^express framework",
    ],
  },
];
