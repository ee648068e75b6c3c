import sluice from "@sluice/sluice";

export function makeApp() {
  return sluice();
}
