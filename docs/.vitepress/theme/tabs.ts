/** Tabs of one name open together on every page, and again at the next visit. */

const KEY = "sluice-tab";

/** What opens where a group has no tab of the chosen name. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  Node: ["npm"],
  npm: ["Node"],
  pnpm: ["npm", "Node"],
  Yarn: ["npm", "Node"],
};

/** Opens the tabs that the reader chose last. */
export function openChosenTabs(): void {
  const name = localStorage.getItem(KEY);
  if (name === null) return;
  for (const group of document.querySelectorAll(".vp-code-group")) {
    const names = Array.from(group.querySelectorAll("label"), ({ textContent }) => textContent);
    const chosen = [name, ...INSTEAD[name] ?? []].map((one) => names.indexOf(one)).find((i) => i >= 0);
    if (chosen === undefined) continue;
    group.querySelectorAll("input")[chosen]!.checked = true;
    for (const [i, block] of [...group.querySelector(".blocks")!.children].entries()) {
      block.classList.toggle("active", i === chosen);
    }
  }
}

/** Remembers each tab that the reader opens. */
export function rememberTabs(): void {
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest(".vp-code-group") === null) return;
    const name = target.labels?.[0]?.textContent;
    if (typeof name !== "string") return;
    localStorage.setItem(KEY, name);
    // the reader's group must not move away under the mouse
    const before = target.getBoundingClientRect().top;
    openChosenTabs();
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" });
  });
}
