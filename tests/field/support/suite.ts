/** Programs that run a package's tests. */
export type Runner = "jasmine" | "jest" | "mocha" | "node" | "vitest";

/** The tests of a package or an application, as its authors wrote them. */
export interface Suite {
  /** Its usual name. */
  readonly name: string;
  /** Its GitHub repository, as `owner/name`. */
  readonly repository: string;
  /** The tested commit. */
  readonly commit: string;
  /** Suffix of the folder it is checked out in, for a repository with several suites. */
  readonly checkout?: string;
  /** The program that runs the tests. */
  readonly runner: Runner;
  /** Arguments of that program: files, folders, options. For Node, `*` and `**` in paths are expanded. */
  readonly tests: readonly string[];
  /** Folder of the package in its repository, with a trailing slash. */
  readonly folder?: string;
  /** Files that are not needed and not checked out. */
  readonly without?: readonly string[];
  /**
   * The package creates its servers without Express: what its tests pass to `http.createServer` becomes a handler of an
   * application, on Express as on Sluice.
   */
  readonly wraps?: true;
  /** Express version for the reference, if it installs none. */
  readonly express?: "express-4" | "express-5";
  /** Packages that its tests need and its manifest omits or names differently, with versions. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Its lock file is ignored, because its packages can no longer be installed. */
  readonly ignoresLock?: true;
  /** Environment variables for its tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Services that must run. */
  readonly needs?: readonly ("PostgreSQL" | "PostGIS")[];
  /**
   * Arguments with which its authors run all of its tests, if {@linkcode Suite.tests} selects some. The others are
   * counted, and not run.
   */
  readonly all?: readonly string[];
  /** A command with arguments that creates files for the tests before each run. */
  readonly prepare?: readonly [string, ...string[]];
  /** Links to create before its tests run: paths, with a folder below the repository's. */
  readonly links?: Readonly<Record<string, string>>;
  /** The program that installs its packages, npm by default. */
  readonly installer?: "pnpm";
  /** A note for readers. */
  readonly note?: string;
}

/** Result of a test. */
export type Outcome = "passed" | "failed";

/** What a runner writes for a test: its full title and its result. */
export type Written = readonly [title: string, outcome: Outcome | "skipped"];

/** Results by full title, without skipped tests. */
export type Results = ReadonlyMap<string, Outcome>;
