/** Programs that run a package's tests. */
export type Runner = "jasmine" | "jest" | "mocha" | "node" | "vitest";

/** The tests for a package or an application, as its authors wrote them. */
export interface Suite {
  /** Its usual name. */
  readonly name: string;
  /** Its GitHub repository, as `owner/name`. */
  readonly repository: string;
  /** The tested commit. */
  readonly commit: string;
  /** Suffix for its checkout folder, if a repository has several suites. */
  readonly checkout?: string;
  /** The program that runs the tests. */
  readonly runner: Runner;
  /** Arguments of that program: files, folders, options. For Node, `*` and `**` in paths are expanded. */
  readonly tests: readonly string[];
  /** The package's folder in its repository, with a trailing slash. */
  readonly folder?: string;
  /** Files that are not needed and not checked out. */
  readonly without?: readonly string[];
  /**
   * The package creates its servers without Express: the listener its tests pass to `http.createServer` becomes an
   * application's handler, on Express and on Sluice.
   */
  readonly wraps?: true;
  /** Express version for the reference, if the package installs none. */
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
   * Arguments its authors use to run all tests, if {@linkcode Suite.tests} selects only some. The other tests are
   * counted, not run.
   */
  readonly all?: readonly string[];
  /** A command with arguments that creates files for the tests before each run. */
  readonly prepare?: readonly [string, ...string[]];
  /** Links to create before its tests run: paths, each with a folder in the repository. */
  readonly links?: Readonly<Record<string, string>>;
  /** The program that installs its packages, npm by default. */
  readonly installer?: "pnpm";
  /** A note for readers. */
  readonly note?: string;
}

/** A test's result. */
export type Outcome = "passed" | "failed";

/** A runner's record for a test: its full title and result. */
export type Written = readonly [title: string, outcome: Outcome | "skipped"];

/** Results by full title, without skipped tests. */
export type Results = ReadonlyMap<string, Outcome>;
