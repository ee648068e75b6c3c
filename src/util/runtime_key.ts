/** Key under which an application has its runtime, for middleware of other packages, too: `Symbol.for("sluice.runtime")`. */
export const runtimeKey: unique symbol = /* @__PURE__ */ Symbol.for("sluice.runtime");
