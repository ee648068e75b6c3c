/** Key of an application's runtime, also for other packages' middleware: `Symbol.for("sluice.runtime")`. */
export const runtimeKey: unique symbol = /* @__PURE__ */ Symbol.for("sluice.runtime");
