/**
 * What the site's pages are, in their order. A page is named by its file; whatever else is in a section's folder follows
 * in the order in which the folder's `index.md` links to it, and then by name.
 */

/** A section of the site. */
export interface Section {
  readonly title: string;
  /** A folder of `docs/` all of whose pages belong here, if it is there. */
  readonly folder?: string;
  /** Files that come first. */
  readonly pages?: readonly string[];
  /** Whether the navigation shows only the title until it is opened. */
  readonly isClosed?: boolean;
}

/** The sections, as the navigation has them. */
export const SECTIONS: readonly Section[] = [
  { title: "Start", folder: "start" },
  { title: "Tutorial", folder: "tutorial" },
  {
    title: "Guides",
    folder: "guide",
    pages: ["docs/websockets.md", "docs/all-cores.md", "docs/uws.md", "docs/recipes.md"],
  },
  { title: "Recipes for limits", folder: "limits" },
  { title: "Limiter reference", folder: "limits/reference" },
  { title: "Moving", folder: "moving", pages: ["docs/migrate-from-express.md", "docs/express-differences.md"] },
  {
    title: "Packages",
    pages: [
      "README.md",
      "advanced/README.md",
      "middleware/README.md",
      "openapi/README.md",
      "create/README.md",
    ],
  },
  { title: "In production", pages: ["docs/production.md", "docs/monitoring.md", "docs/security.md"] },
  {
    title: "What was measured",
    pages: [
      "docs/runtimes.md",
      "docs/ecosystem.md",
      "docs/reliability.md",
      "docs/cve-ledger.md",
      "docs/performance.md",
    ],
    folder: "measurements",
  },
  {
    title: "Project",
    pages: ["CONTRIBUTING.md", "docs/checklists.md", "docs/caches.md", "docs/dependencies.md", "CHANGELOG.md"],
  },
  { title: "Decisions", folder: "decisions", isClosed: true },
];

/** Where the pages are that are not in `docs/`. */
export const ADDRESSES: Readonly<Record<string, string>> = {
  "README.md": "packages/sluice.md",
  "advanced/README.md": "packages/rate-limit.md",
  "middleware/README.md": "packages/middleware.md",
  "openapi/README.md": "packages/openapi.md",
  "create/README.md": "packages/create.md",
  "CONTRIBUTING.md": "contributing.md",
  "CHANGELOG.md": "changelog.md",
};
