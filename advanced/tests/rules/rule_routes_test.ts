/** No spelling of a target reaches a handler without the policy for its route, or with a separate counter. */
import { assert, assertEquals } from "@std/assert";
import { rateLimit } from "@sluice/rate-limit";
import { PolicyRules } from "@sluice/rate-limit/rules";
import sluice from "@sluice/sluice";
import { fuzz } from "../../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../../reliability/fuzz/reported.ts";
import { onWeb } from "../../../reliability/fuzz/routers/fake_exchange.ts";
import { randomTarget, RouterFuzzer } from "../../../reliability/fuzz/routers/router_fuzzer.ts";
import { ROUTERS, type RouterSubject, ROUTES } from "../../../reliability/fuzz/routers/routers.ts";
import { oneOf, random } from "../../../tests/support/random.ts";

const SEED = 63;
const ROUNDS = 60;

for (const framework of Object.keys(ROUTERS)) {
  Deno.test(`what reaches a handler of ${framework} is concerned by the policy for its route`, async () => {
    const fuzzer = new RouterFuzzer(framework);
    const report = await fuzz(fuzzer, { seed: SEED, rounds: ROUNDS });
    assertEquals(report.findings, [], reported(report, "routers"));
    assert(fuzzer.reached > report.steps / 10, `only ${fuzzer.reached} of ${report.steps} reached a handler`);
  });
}

/** A router that ignores part of the path without the limiter's knowledge. */
function cutAt(end: RegExp): RouterSubject {
  return {
    options: {},
    open(limit, _choice, reached) {
      const app = sluice();
      app.use(rateLimit(limit), (req, _res, next) => {
        req.url = req.url.replace(end, "");
        next();
      });
      ROUTES.forEach((route, i) => {
        app.all(route.replace("*", "*rest"), (req, res) => {
          reached(i, req.params);
          res.end();
        });
      });
      app.use((_error: unknown, _req: unknown, res: { end(): void }, _next: unknown) => res.end());
      return onWeb((request) => app.fetch(request));
    },
  };
}

for (
  const [kind, end] of Object.entries({
    "a spelling leads past the policy for its route": /;.*/,
    "a spelling of a parameter has a counter of its own": /(?<=\/shops\/\w+)[;,].*/,
  })
) {
  Deno.test(`the fuzzer of routers finds that ${kind}`, async () => {
    const report = await fuzz(new RouterFuzzer("a cutting one", cutAt(end)), { seed: SEED, rounds: ROUNDS });
    assert(report.findings.some((finding) => finding.kind === kind), reported(report, "routers"));
  });
}

Deno.test("a file that is sent is concerned by the policy for its path", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${root}/docs`);
    await Deno.writeTextFile(`${root}/docs/a.txt`, "hello");
    const rules = new PolicyRules({
      policies: [
        { name: "a", routes: ["/docs/a.txt"], limit: 1e9, window: "1h" },
        { name: "by path", routes: ["/docs/*"], key: { path: 2 }, limit: 1e9, window: "1h" },
      ],
    });
    const app = sluice();
    app.use(rateLimit({ rules, validate: false, standardHeaders: "draft-8" }));
    app.use(sluice.static(root));
    const pick = random(SEED);
    const past: string[] = [];
    let sent = 0;
    for (let n = 0; n < 3000; n++) {
      const target = randomTarget(pick, oneOf(pick, ["/docs/a.txt", "//docs//a.txt", "/docs%2fa.txt"]));
      const request = Object.defineProperty(new Request("http://h/"), "url", { value: `http://h${target}` });
      const response = await app.fetch(request);
      if (await response.text() !== "hello") continue;
      sent++;
      const policies = response.headers.get("ratelimit-policy");
      if (policies !== '"a";q=1000000000;w=3600, "by path";q=1000000000;w=3600') past.push(`${target}: ${policies}`);
    }
    assertEquals(past, []);
    // under most spellings, no file is served
    assert(sent > 100, `only ${sent} of 3000 targets sent the file`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
