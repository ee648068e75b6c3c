// Loaded before the tests of packages that create their servers without a framework: the listener they pass to
// http.createServer becomes the only handler in a FIELD_FRAMEWORK application.
const http = require("node:http");
const { syncBuiltinESMExports } = require("node:module");
const { dirname, sep } = require("node:path");

const framework = process.env.FIELD_FRAMEWORK;
const own = dirname(require.resolve(`${framework}/package.json`)) + sep;
const createServer = http.createServer;

http.createServer = function (...args) {
  const listener = args.at(-1);
  const isApp = typeof listener !== "function" || typeof listener.handle === "function";
  // the framework also creates its own servers this way
  if (isApp || new Error().stack.split("\n")[2].includes(own)) return createServer.apply(this, args);
  const express = require(framework);
  const app = express();
  app.disable("x-powered-by");
  app.use((req, res) => listener(req, res));
  return createServer.call(this, ...args.slice(0, -1), app);
};
syncBuiltinESMExports();
