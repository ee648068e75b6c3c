/**
 * Express files in which monitoring agents look for functions: some agents replace them once the file is loaded, and
 * some rewrite the file while it loads. So the functions must be in files at the same paths, assigned under the same
 * names. The files re-export everything.
 */

/** A file from Express, or from its package `router`. */
export interface HookedFile {
  /** Its path in the package. */
  readonly path: string;
  /** Its contents. */
  readonly text: string;
}

/** The path to the package `router`, on which Express 5 is built: agents identify a package by its folder name. */
const ROUTER = "node/node_modules/router/";

/** That package's version, as seen by agents. */
const ROUTER_MANIFEST = { name: "router", version: "2.3.0", private: true, type: "commonjs", main: "index.js" };

/** The methods that call layers, by Express major. */
const LAYER_METHODS: Readonly<Record<number, readonly [request: string, error: string]>> = {
  4: ["handle_request", "handle_error"],
  5: ["handleRequest", "handleError"],
};

/**
 * The files that agents hook.
 *
 * @param major The Express major
 */
export function hookedFiles(major: number): HookedFile[] {
  const [router, layer] = routerFiles(major);
  return [
    passing("lib/response.js", "lib_response", "whole", ["render"]),
    passing(router, "lib_router_index", "whole.prototype", ["use", "route", "param"]),
    layerFile(layer, LAYER_METHODS[major]!),
    ...(major === 4 ? [] : [{ path: `${ROUTER}package.json`, text: `${JSON.stringify(ROUTER_MANIFEST, null, 2)}\n` }]),
  ];
}

/**
 * The end of the main module, which loads the files that agents hook, in Express's order.
 *
 * @param major The Express major
 */
export function loadingHooked(major: number): string {
  const [router, layer] = routerFiles(major);
  const files = [layer, router, "lib/request.js", "lib/response.js", "lib/express.js"];
  const loaded = files.map((path) => `require("../${path}");`);
  return [
    ...loaded,
    `const adopt = () => {`,
    `  const { prototype, shipped } = require("../${layer}");`,
    `  require("./layer_calls.cjs").adopt(prototype, ${JSON.stringify(LAYER_METHODS[major])}, shipped);`,
    `};`,
    `// who loads that file by itself has not got it yet, and may then put functions over its own`,
    `if (Object.hasOwn(require("../${layer}"), "shipped")) adopt();`,
    `else queueMicrotask(adopt);`,
    ``,
  ].join("\n");
}

function routerFiles(major: number): [router: string, layer: string] {
  return major === 4 ? ["lib/router/index.js", "lib/router/layer.js"] : [`${ROUTER}index.js`, `${ROUTER}lib/layer.js`];
}

function passing(path: string, module: string, owner: string, methods: readonly string[]): HookedFile {
  return {
    path,
    text: [
      `"use strict";`,
      `const whole = require("${above(path)}node/${module}.cjs");`,
      `const { ${methods.join(", ")} } = ${owner};`,
      ...methods.map((method) => `${owner}.${method} = ${passesTo(method)};`),
      `module.exports = whole;`,
      ``,
    ].join("\n"),
  };
}

// agents change the prototype's functions; the copies in `shipped` stay as written here
function layerFile(path: string, [request, error]: readonly [string, string]): HookedFile {
  return {
    path,
    text: [
      `"use strict";`,
      `const whole = require("${above(path)}node/lib_router_layer.cjs");`,
      `const { disown, request, error } = require("${above(path)}node/layer_calls.cjs");`,
      `disown(whole.prototype, ["${request}", "${error}"]);`,
      `whole.prototype.${request} = ${passesTo("request")};`,
      `whole.prototype.${error} = ${passesTo("error")};`,
      `whole.shipped = [${passesTo("request")}, ${passesTo("error")}];`,
      `module.exports = whole;`,
      ``,
    ].join("\n"),
  };
}

function passesTo(name: string): string {
  return `function (...args) { return ${name}.apply(this, args); }`;
}

function above(path: string): string {
  return "../".repeat(path.split("/").length - 1);
}
