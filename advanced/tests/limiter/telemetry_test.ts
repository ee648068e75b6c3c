import { metrics } from "@opentelemetry/api";
import { type DataPoint, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Limiter, MemoryStore, observe, rateLimit } from "../../mod.ts";
import { FaultyStore } from "../../src/testing/faulty_store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";

/** A reader that collects on demand and has no timer. */
class ManualReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

function telemetry() {
  const reader = new ManualReader();
  const provider = new MeterProvider({ readers: [reader] });
  /** All values, as `instrument{attribute=value}`. */
  const read = async (): Promise<Record<string, number>> => {
    const { resourceMetrics, errors } = await reader.collect();
    assertEquals(errors, []);
    const values: Record<string, number> = {};
    for (const { metrics } of resourceMetrics.scopeMetrics) {
      for (const { descriptor, dataPoints } of metrics) {
        for (const { attributes, value } of dataPoints as DataPoint<number>[]) {
          const { "rate_limit.name": name, ...rest } = attributes;
          const told = Object.entries(rest).map(([key, one]) => `,${key}=${one}`).join("");
          values[`${descriptor.name}{${name}${told}}`] = value;
        }
      }
    }
    return values;
  };
  return { provider, meter: provider.getMeter("test"), read };
}

Deno.test("a value that is no meter is refused", () => {
  assertThrows(
    () => observe(new Limiter(), undefined as never, "api"),
    TypeError,
    "observe expects a meter as its second argument",
  );
});

Deno.test("observe reports requests by outcome and by name of the limiter", async () => {
  const { provider, meter, read } = telemetry();
  const limit = rateLimit({ limit: 2, skip: () => true });
  const other = new Limiter({ limits: [{ name: "a", limit: 2 }, { name: "b", limit: 1, shadow: true }] });
  observe(limit.limiter, meter, "api");
  observe(other, meter, "other");
  limit({}, {} as never, () => {});
  for (let i = 0; i < 3; i++) other.consume("x");
  const values = await read();
  assertEquals(values["rate_limit.requests{api,outcome=skipped}"], 1);
  assertEquals(values["rate_limit.requests{api,outcome=admitted}"], 0);
  assertEquals(values["rate_limit.requests{other,outcome=admitted}"], 2);
  assertEquals(values["rate_limit.requests{other,outcome=limited}"], 1);
  assertEquals(values["rate_limit.requests{other,outcome=shadowLimited}"], 2);
  assertEquals(values["rate_limit.keys{other}"], other.size);
  assertEquals(values["rate_limit.overflows{other}"], 0);
  await provider.shutdown();
});

Deno.test("observe reports decisions made without the store, and why", async () => {
  const { provider, meter, read } = telemetry();
  const clock = new VirtualClock();
  for (const onStoreFailure of ["local", "open", "closed"] as const) {
    const store = new FaultyStore(new MemoryStore({ clock: clock.read })).fail();
    const limiter = new Limiter({ store, onStoreFailure, clock: clock.read, timers: clock.timers });
    observe(limiter, meter, onStoreFailure);
    for (let i = 0; i < 7; i++) await limiter.consume("x");
  }
  const values = await read();
  const by = (name: string) =>
    ["decidedLocally", "failedOpen", "failedClosed"].map((one) =>
      values[`rate_limit.without_store{${name},by=${one}}`]
    );
  assertEquals([by("local"), by("open"), by("closed")], [[7, 0, 0], [0, 7, 0], [0, 0, 7]]);
  assertEquals(values["rate_limit.store_failures{local,kind=storeFailures}"], 5);
  assertEquals(values["rate_limit.store_failures{local,kind=breakerOpened}"], 1);
  await provider.shutdown();
});

Deno.test("observe reports how many commands to the store were saved", async () => {
  const { provider, meter, read } = telemetry();
  const clock = new VirtualClock();
  const memory = new MemoryStore({ clock: clock.read });
  const store = new FaultyStore(memory).delay(Promise.resolve());
  const times = { clock: clock.read, timers: clock.timers };
  const merging = new Limiter({ limit: 3, store, coalesce: true, denyCache: true, ...times });
  const leasing = new Limiter({ name: "leased", limit: 100, store, leases: 10, ...times });
  observe(merging, meter, "merging");
  observe(leasing, meter, "leasing");
  await Promise.all(Array.from({ length: 4 }, () => merging.consume("x")));
  await merging.consume("x");
  for (let i = 0; i < 10; i++) await leasing.consume("x");
  const values = await read();
  assertEquals(values["rate_limit.saved_commands{merging,how=coalesced}"], 3);
  assertEquals(values["rate_limit.saved_commands{merging,how=denyCacheHits}"], 1);
  assertEquals(values["rate_limit.saved_commands{leasing,how=leased}"], 9);
  assertEquals(store.calls, 2);
  await provider.shutdown();
});

Deno.test("observe ends when its end is called", async () => {
  const { provider, meter, read } = telemetry();
  const limiter = new Limiter();
  const end = observe(limiter, meter, "api");
  limiter.consume("x");
  assertEquals((await read())["rate_limit.requests{api,outcome=admitted}"], 1);
  end();
  limiter.consume("x");
  // the SDK repeats the last value
  assertEquals((await read())["rate_limit.requests{api,outcome=admitted}"], 1);
  await provider.shutdown();
});

Deno.test("observe accepts the meter of OpenTelemetry's API, which does nothing without an SDK", () => {
  const end = observe(new Limiter(), metrics.getMeter("app"), "api");
  assertStrictEquals(end(), undefined);
});
