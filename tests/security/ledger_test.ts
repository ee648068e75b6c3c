/** Attacks that worked on other packages, one test per class. docs/cve-ledger.md lists them. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { formatted } from "../support/formatted.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import type { Flaw } from "./ledger/flaw.ts";
import { LEDGER } from "./ledger/ledger.ts";
import { ledgerPage } from "./ledger/page.ts";
import { startLedger } from "./ledger/server.ts";

const PAGE = new URL("../../docs/cve-ledger.md", import.meta.url);
const ALL: readonly Flaw[] = LEDGER.flatMap(({ flaws }) => flaws);

function nameOf({ identifiers, package: from, here }: Flaw): string {
  return `${identifiers[0]} of ${from}: ${here}`;
}

async function check({ open }: Flaw, attack: () => Promise<void> | void): Promise<void> {
  if (open === undefined) return await attack();
  // a closed gap must not stay on the page
  await assertRejects(async () => await attack(), Error);
}

for (const flaw of ALL) {
  if ("attack" in flaw) Deno.test(nameOf(flaw), () => check(flaw, () => flaw.attack()));
}

Deno.test("the attacks over sockets do not work on any runtime", async (t) => {
  await using stack = new AsyncDisposableStack();
  // concurrently, since startup takes most of the time
  const starting = LISTENING_RUNTIMES.filter(({ ignore }) => !ignore).map(startLedger);
  const servers = (await Promise.all(starting)).map((server) => stack.use(server));
  for (const { name, ignore } of LISTENING_RUNTIMES) {
    const server = servers.find(({ runtime }) => runtime === name)!;
    for (const flaw of ALL) {
      if (!("attackServer" in flaw)) continue;
      await t.step({
        name: `on ${name}, ${nameOf(flaw)}`,
        ignore: ignore || flaw.lacks?.[name] !== undefined,
        fn: () => check(flaw, () => flaw.attackServer(server)),
      });
    }
  }
});

Deno.test("each class has identifiers of its own, and a sentence for what went wrong and for what Sluice does", () => {
  const identifiers = ALL.flatMap((flaw) => flaw.identifiers);
  assertEquals(identifiers.length, new Set(identifiers).size);
  assertEquals(ALL.length, new Set(ALL.map(({ here }) => here)).size);
  assert(ALL.length >= 45, `${ALL.length} classes`);
  for (const one of identifiers) assertMatch(one, /^(?:CVE-20\d\d-\d{4,}|GHSA(?:-[2-9cfghjmpqrvwx]{4}){3})$/);
  for (const { identifiers: [first], flaw, here } of ALL) {
    assert(first !== undefined);
    assertMatch(flaw, /^[A-Z`].*\.$/);
    assertMatch(here, /[^.]$/);
  }
});

Deno.test("docs/cve-ledger.md lists every class", async () => {
  const page = await formatted(ledgerPage(LEDGER));
  if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PAGE, page);
  const committed = await Deno.readTextFile(PAGE).catch(() => "");
  assertEquals(committed, page, "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/security");
});
