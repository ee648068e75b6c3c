import type { LedgerServer } from "./server.ts";

/** A class of vulnerabilities that another package had, and an attack that shows Sluice's behavior. */
export type Flaw = InProcess | OnSockets;

interface Described {
  /** CVE and GHSA identifiers. */
  readonly identifiers: readonly string[];
  /** The package that had it. */
  readonly package: string;
  /** What went wrong there. */
  readonly flaw: string;
  /** What Sluice does; prefixed with the identifier, it is the name of the test. */
  readonly here: string;
  /** Why Sluice also has the flaw: the attack must then succeed, so that the row changes once Sluice resists it. */
  readonly open?: string;
}

interface InProcess extends Described {
  /** Attacks an application in process; throws if it works. */
  attack(): Promise<void> | void;
}

interface OnSockets extends Described {
  /** Attacks the program over a raw socket on every runtime; throws if it works. */
  attackServer(server: LedgerServer): Promise<void>;
  /** Why a runtime cannot be attacked in this way. */
  readonly lacks?: Readonly<Partial<Record<LedgerServer["runtime"], string>>>;
}

/** Flaws with one theme, in a file of their own. */
export interface Theme {
  /** Heading on the page. */
  readonly title: string;
  /** The file, below `tests/security/ledger/`. */
  readonly file: string;
  /** The flaws. */
  readonly flaws: readonly Flaw[];
}
