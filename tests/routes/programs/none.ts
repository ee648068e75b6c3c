import sluice from "@sluice/sluice";

export function makeApp() {
  return sluice();
}

if (globalThis.name === "never") makeApp();
