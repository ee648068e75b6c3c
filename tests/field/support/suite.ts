/** Programs that run a package's tests, and how each is told to write down the results. */
export type Runner = "jasmine" | "jest" | "mocha" | "node" | "vitest";

/** The tests of a package or an application, as its authors wrote them. */
export interface Suite {
  /** Name that its users know. */
  readonly name: string;
  /** Where it is on GitHub, as `owner/name`. */
  readonly repository: string;
  /** The commit that is tried. */
  readonly commit: string;
  /** Suffix of the folder it is checked out in, for a repository with several suites. */
  readonly checkout?: string;
  /** The program that runs the tests. */
  readonly runner: Runner;
  /** Arguments of that program: files, folders, options. For Node, `*` and `**` in paths are replaced by what there is. */
  readonly tests: readonly string[];
  /** Folder of the package in its repository, with a slash at the end. */
  readonly folder?: string;
  /** Files that are not needed and not checked out. */
  readonly without?: readonly string[];
  /**
   * The package makes its servers without Express: what its tests give to `http.createServer` becomes a handler of an
   * application, on Express as on Sluice.
   */
  readonly wraps?: true;
  /** Version of Express that is its measure, where it brings none. */
  readonly express?: "express-4" | "express-5";
  /** Packages that its tests need and its manifest does not name, or names otherwise, with versions. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Its lock file is left aside, because what it names can no longer be installed. */
  readonly ignoresLock?: true;
  /** Variables for its tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** What must run beside it. */
  readonly needs?: readonly ("PostgreSQL" | "PostGIS")[];
  /**
   * Arguments with which its authors run all of its tests, where {@linkcode Suite.tests} select some. The others are
   * counted, and not run.
   */
  readonly all?: readonly string[];
  /** A command, with its arguments, that makes files for the tests, before each run. */
  readonly prepare?: readonly [string, ...string[]];
  /** Links that are made before its tests run, by their paths, with a folder below the repository's. */
  readonly links?: Readonly<Record<string, string>>;
  /** The program that installs its packages, npm by default. */
  readonly installer?: "pnpm";
  /** What a reader should know. */
  readonly note?: string;
}

/** How a test ended. */
export type Outcome = "passed" | "failed";

/** What a runner writes of a test: its full title, and how it ended. */
export type Written = readonly [title: string, outcome: Outcome | "skipped"];

/** Results by the full title of a test; skipped ones are not in it. */
export type Results = ReadonlyMap<string, Outcome>;
