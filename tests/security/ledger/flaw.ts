import type { LedgerServer } from "./server.ts";

/** A vulnerability class found in another package, and an attack that shows Sluice's behavior. */
export type Flaw = InProcess | OnSockets;

interface Described {
  /** CVE and GHSA identifiers. */
  readonly identifiers: readonly string[];
  /** The affected package. */
  readonly package: string;
  /** That package's flaw. */
  readonly flaw: string;
  /** Sluice's behavior; prefixed with the identifier, it is the test's name. */
  readonly here: string;
  /** Why Sluice also has the flaw. `attack` must then throw, so the row changes once the attack no longer works. */
  readonly open?: string;
}

interface InProcess extends Described {
  /** Attacks an application in process; throws if the attack works. */
  attack(): Promise<void> | void;
}

interface OnSockets extends Described {
  /** Attacks the program over a raw socket on every runtime; throws if the attack works. */
  attackServer(server: LedgerServer): Promise<void>;
  /** Why a runtime cannot be attacked this way. */
  readonly lacks?: Readonly<Partial<Record<LedgerServer["runtime"], string>>>;
}

/** Flaws with a common theme, in their own file. */
export interface Theme {
  /** Heading on the page. */
  readonly title: string;
  /** The file, in `tests/security/ledger/`. */
  readonly file: string;
  readonly flaws: readonly Flaw[];
}
