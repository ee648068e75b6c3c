/** Key of an application's runtime, also for middleware of other packages: `Symbol.for("sluice.runtime")`. */
export const runtimeKey: unique symbol = /* @__PURE__ */ Symbol.for("sluice.runtime");
