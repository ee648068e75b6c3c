const WARNED: unique symbol = /* @__PURE__ */ Symbol.for("sluice.rate-limit.warned");

/** Warnings issued in this process; the limiters in both packages have copies of this module. */
function warnedAbout(): Set<string> {
  return (globalThis as { [WARNED]?: Set<string> })[WARNED] ??= new Set();
}

/**
 * Warns on the console, once per process.
 *
 * @param name Subject of the warning
 * @param text Creates the message
 */
export function warnOnce(name: string, text: () => string): void {
  if (warnedAbout().has(name)) return;
  warnedAbout().add(name);
  console.warn(text());
}
