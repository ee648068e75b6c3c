/**
 * `deno task fuzz --seed N --minutes M [--only=raw,orders]`: random input for all parts of Sluice, or the named ones,
 * for this many minutes each. Prints shrunk failures; the exit code is then 1.
 */
import { flags } from "../../scripts/flags.ts";
import { RUNTIMES } from "../support/children.ts";
import { AppFuzzer } from "./apps/app_fuzzer.ts";
import { ClosingFuzzer } from "./closings/closing_fuzzer.ts";
import { CONTEXT_SERVERS, ContextFuzzer } from "./contexts/context_fuzzer.ts";
import { ContextTarget } from "./contexts/context_target.ts";
import { EndingFuzzer } from "./endings/ending_fuzzer.ts";
import { fuzz, type FuzzOptions, type FuzzReport } from "./fuzzer.ts";
import { LATE_STORES } from "./late/late_fuzzer.ts";
import { LimiterFuzzer } from "./limiter/limiter_fuzzer.ts";
import { OrderFuzzer, SUBJECTS } from "./orders/order_fuzzer.ts";
import { PairsFuzzer } from "./pairs/pairs_fuzzer.ts";
import { ProgramFuzzer } from "./programs/program_fuzzer.ts";
import { RAW_SERVERS, RawFuzzer } from "./raw/raw_fuzzer.ts";
import { RequestFuzzer } from "./requests/request_fuzzer.ts";
import { buildTarget } from "./requests/target.ts";
import { reported } from "./reported.ts";
import { RouterFuzzer } from "./routers/router_fuzzer.ts";
import { ROUTERS } from "./routers/routers.ts";
import { SchemaFuzzer } from "./schemas/schema_fuzzer.ts";
import { LIBRARIES } from "./schemas/shape.ts";
import { SpellingFuzzer } from "./spellings/spelling_fuzzer.ts";
import { AccountFuzzer } from "./waits/account_fuzzer.ts";
import { RefusalFuzzer } from "./waits/refusal_fuzzer.ts";
import { WaitingFuzzer } from "./waits/waiting_fuzzer.ts";

const PARTS: Readonly<Record<string, (options: FuzzOptions) => Promise<FuzzReport[]>>> = {
  raw: (options) =>
    Promise.all(RAW_SERVERS.map(async (server) => {
      await using fuzzer = await RawFuzzer.on(server);
      return await fuzz(fuzzer, options);
    })),
  async requests(options) {
    using fuzzer = new RequestFuzzer(buildTarget());
    return [await fuzz(fuzzer, options)];
  },
  async apps({ forMs = Infinity, ...options }) {
    const reports: FuzzReport[] = [];
    for (const framework of ["Sluice", "Express 5", "Express 4"] as const) {
      await using fuzzer = await AppFuzzer.start({ framework });
      reports.push(await fuzz(fuzzer, { ...options, forMs: forMs / 3 }));
    }
    return reports;
  },
  async contexts(options) {
    await using express = await ContextTarget.express();
    return await Promise.all(CONTEXT_SERVERS.map(async (server) => {
      await using fuzzer = await ContextFuzzer.on(express, server);
      return await fuzz(fuzzer, options);
    }));
  },
  async limiter(options) {
    return [await fuzz(new LimiterFuzzer(), options)];
  },
  async waits({ forMs = Infinity, ...options }) {
    const third = { ...options, forMs: forMs / 3 };
    return [
      await fuzz(new RefusalFuzzer(), third),
      await fuzz(new WaitingFuzzer(), third),
      await fuzz(new AccountFuzzer(), third),
    ];
  },
  // one after the other, because they run in real time
  async late({ forMs = Infinity, ...options }) {
    const reports: FuzzReport[] = [];
    for (const start of LATE_STORES) {
      await using fuzzer = await start();
      reports.push(await fuzz(fuzzer, { ...options, forMs: forMs / LATE_STORES.length, smallerMs: 60_000 }));
      console.log(`${fuzzer.name}: ${fuzzer.decisions} decisions`);
    }
    return reports;
  },
  // one after the other, because each starts three servers at a time
  async orders({ forMs = Infinity, ...options }) {
    const reports: FuzzReport[] = [];
    for (const subject of SUBJECTS) {
      reports.push(await fuzz(await OrderFuzzer.on(subject), { ...options, forMs: forMs / SUBJECTS.length }));
    }
    return reports;
  },
  // one after the other, because a busy machine notices disconnects too late
  async endings({ forMs = Infinity, ...options }) {
    const reports: FuzzReport[] = [];
    for (const framework of ["Sluice", "Express"] as const) {
      for (const runtime of RUNTIMES) {
        await using fuzzer = await EndingFuzzer.on(framework, runtime);
        reports.push(await fuzz(fuzzer, { ...options, forMs: forMs / (2 * RUNTIMES.length) }));
      }
    }
    return reports;
  },
  // one after the other, because a busy machine runs timers late
  async closings({ forMs = Infinity, ...options }) {
    const reports: FuzzReport[] = [];
    for (const runtime of RUNTIMES) {
      reports.push(await fuzz(await ClosingFuzzer.on(runtime), { ...options, forMs: forMs / RUNTIMES.length }));
    }
    return reports;
  },
  async pairs(options) {
    const reports: FuzzReport[] = [];
    // one after the other, because they keep both cores busy
    for (const runtime of RUNTIMES) {
      await using fuzzer = await PairsFuzzer.on(runtime);
      reports.push(await fuzz(fuzzer, { ...options, smallerMs: 90_000 }));
    }
    return reports;
  },
  async programs(options) {
    using fuzzer = new ProgramFuzzer();
    return [await fuzz(fuzzer, options)];
  },
  async routers({ forMs = Infinity, ...options }) {
    const reports: FuzzReport[] = [];
    const frameworks = Object.keys(ROUTERS);
    for (const framework of frameworks) {
      reports.push(await fuzz(new RouterFuzzer(framework), { ...options, forMs: forMs / frameworks.length }));
    }
    return reports;
  },
  async spellings({ forMs = Infinity, ...options }) {
    const half = { ...options, forMs: forMs / 2 };
    return [await fuzz(new SpellingFuzzer("insensitive"), half), await fuzz(new SpellingFuzzer("sensitive"), half)];
  },
  async schemas({ forMs = Infinity, ...options }) {
    const reports: FuzzReport[] = [];
    for (const library of LIBRARIES) {
      reports.push(
        await fuzz(new SchemaFuzzer(library), { ...options, forMs: forMs / LIBRARIES.length, smallerMs: 5000 }),
      );
    }
    return reports;
  },
};

const { seed, minutes, only } = flags({ seed: 1 + Date.now() % 1_000_000_000, minutes: 1, only: Object.keys(PARTS) });
console.log(`seed ${seed}, ${minutes} min for each part`);
let findings = 0;
for (const part of only) {
  for (const report of await PARTS[part]!({ seed, forMs: minutes * 60_000 })) {
    findings += report.findings.length;
    console.log(reported(report, part));
  }
}
Deno.exit(findings > 0 ? 1 : 0);
