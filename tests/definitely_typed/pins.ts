/**
 * The DefinitelyTyped tests to run, and the packages that such programs install. Each commit was the file's latest when
 * pinned; each types package has the version the file was written for.
 */

/** A DefinitelyTyped file. */
export interface Pinned {
  /** Its path in the repository. */
  readonly path: string;
  /** The file's commit. */
  readonly commit: string;
}

/** The tests' repository. */
export const REPOSITORY = "https://github.com/DefinitelyTyped/DefinitelyTyped.git";

/** The tests and their commits. */
export const PINNED: readonly Pinned[] = [
  { path: "types/express/express-tests.ts", commit: "b7dbec9db97c287fec3c4cb3800f68af38c802a6" },
  {
    path: "types/express-serve-static-core/express-serve-static-core-tests.ts",
    commit: "bb5fd01ebe26fe184402f33574edd79ab1fad168",
  },
  { path: "types/serve-static/v1/serve-static-tests.ts", commit: "b7dbec9db97c287fec3c4cb3800f68af38c802a6" },
  { path: "types/body-parser/body-parser-tests.ts", commit: "20314bca022b261b30578ce493890be5adc86c0d" },
  { path: "types/cookie-parser/cookie-parser-tests.ts", commit: "bb5fd01ebe26fe184402f33574edd79ab1fad168" },
  { path: "types/express-session/express-session-tests.ts", commit: "a8c41d32210740197227d73437da3587c2a352f6" },
];

/** Packages such a program installs besides Sluice, which it installs as `express`. */
export const PACKAGES: Readonly<Record<string, string>> = {
  "@types/body-parser": "1.19.6",
  "@types/cookie-parser": "1.4.10",
  "@types/express-session": "1.17.0",
  "@types/node": "22.20.5",
  "@types/serve-static": "1.15.10",
};
