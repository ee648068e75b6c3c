/**
 * The cost of a request, in counts that are the same on every machine. The current figures are in `counts.json`, which
 * shows every change for better or worse. `SLUICE_WRITE_COUNTS=1 deno task test --only=tests/performance` rewrites
 * them.
 */
import { assert, assertEquals } from "@std/assert";
import sluice from "@sluice/sluice";
import { ask } from "../support/app.ts";
import type { Cost } from "./count_program.ts";
import { runProgram } from "./run_program.ts";

/** Figures by contestant and scenario. */
type Recorded<T> = Record<string, Record<string, T>>;

/** Number of objects made and accessed, in process and served by Deno. */
type Costs = Record<"inProcess" | "served", Recorded<Cost>>;

interface Figures {
  /** Number of objects made and accessed. */
  readonly costs: Costs;
  /** Bytes allocated, without the optimizing compilers. */
  readonly bytes: Recorded<number>;
}

const FILE = new URL("counts.json", import.meta.url);
/** Tolerance in bytes: V8 may lay out an object differently. */
const BYTES_APART = 64;
const COUNTING_BYTES = [
  ...["--expose-gc", "--no-opt", "--no-maglev"],
  ...["--min-semi-space-size=64", "--max-semi-space-size=64"],
];

const [all, bytes] = await Promise.all([
  runProgram<Costs>("count_program.ts"),
  runProgram<Recorded<number>>("allocation_program.ts", ...COUNTING_BYTES),
]);
if (Deno.env.get("SLUICE_WRITE_COUNTS") === "1") {
  await Deno.writeTextFile(FILE, JSON.stringify({ costs: all, bytes }, null, 2) + "\n");
}
const recorded = JSON.parse(await Deno.readTextFile(FILE)) as Figures;
const { inProcess: costs, served } = all;

for (const mode of ["lean", "defaults"]) {
  const names = Object.keys(costs[mode]!);

  Deno.test(`${mode}: a chain of synchronous handlers answers synchronously, without a promise`, () => {
    const synchronous = names.filter((name) => name !== "JSON body");
    assertEquals(synchronous.length, 8);
    for (const name of synchronous) {
      const { atOnce, counts } = costs[mode]![name]!;
      assert(atOnce, name);
      assertEquals(counts["promise"], undefined, name);
    }
  });

  Deno.test(`${mode}: a request makes one response, and no request, headers, URL, query or stream`, () => {
    for (const name of names) {
      const made = Object.entries(costs[mode]![name]!.counts).filter(([what]) => /^(new|copied) /.test(what));
      assertEquals(made.map(([, times]) => times), [1], name);
    }
  });

  Deno.test(`${mode}: nothing reads the client's address or whether it has left`, () => {
    for (const name of names) {
      const { counts } = costs[mode]![name]!;
      for (const what of ["request.signal", "info.remoteAddr", "info.completed", "request.clone()"]) {
        assertEquals(counts[what], undefined, `${name}: ${what}`);
      }
    }
  });
}

Deno.test("lean: nothing reads the request's headers if there is neither a body nor an error page", () => {
  const names = Object.keys(costs["lean"]!).filter((name) => name !== "JSON body" && name !== "404");
  assertEquals(names.length, 7);
  for (const name of names) assertEquals(costs["lean"]![name]!.counts["request.headers"], undefined, name);
});

Deno.test("served by Deno, a request is answered synchronously and its headers are not accessed, even with a JSON body", () => {
  for (const mode of ["lean", "defaults"]) {
    const names = Object.keys(served[mode]!);
    assertEquals(names.length, 9);
    for (const name of names) {
      const { atOnce, counts } = served[mode]![name]!;
      const touched = Object.keys(counts).filter((what) => /^request|^promise/.test(what));
      assertEquals([atOnce, touched], [true, []], `${mode}: ${name}`);
    }
  }
});

Deno.test("the objects a request makes and accesses match counts.json", () => {
  assertEquals(all, recorded.costs);
});

Deno.test("the bytes a request allocates match counts.json", () => {
  const apart = Object.entries(bytes).flatMap(([mode, all]) =>
    Object.entries(all).flatMap(([name, now]) => {
      const then = recorded.bytes[mode]?.[name] ?? NaN;
      return Math.abs(now - then) <= BYTES_APART ? [] : [`${mode}, ${name}: ${now} bytes, recorded are ${then}`];
    })
  );
  assertEquals(apart, []);
});

Deno.test("one next() serves every handler of a router", async () => {
  const app = sluice();
  const seen = new Set<unknown>();
  for (let i = 0; i < 10; i++) {
    app.use((_req, _res, next) => {
      seen.add(next);
      next();
    });
  }
  app.get("/", (_req, res) => res.send("done"));
  const response = await ask(app, "/");
  assertEquals(await response.text(), "done");
  assertEquals(seen.size, 1);
});
