const WARNED: unique symbol = /* @__PURE__ */ Symbol.for("sluice.rate-limit.warned");

/** What has been warned about in this process; limiters of both packages have copies of this module. */
function warnedAbout(): Set<string> {
  return (globalThis as { [WARNED]?: Set<string> })[WARNED] ??= new Set();
}

/**
 * Warns on the console, once in a process.
 *
 * @param name What it is about
 * @param text Makes the text
 */
export function warnOnce(name: string, text: () => string): void {
  if (warnedAbout().has(name)) return;
  warnedAbout().add(name);
  console.warn(text());
}
