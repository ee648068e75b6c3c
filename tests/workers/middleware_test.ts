/** `@sluice/middleware` and `@sluice/openapi` in a Worker without any Node API: without `nodejs_compat`. */
import { MIDDLEWARE_CONTRACT, OPENAPI_CONTRACT, outcomesOf } from "../contracts/app_contract.ts";
import { SUBJECTS } from "../contracts/subjects.ts";
import { withWorker, WORKERD } from "../support/workerd.ts";

const CONTRACT = [...MIDDLEWARE_CONTRACT, ...OPENAPI_CONTRACT];
const gaps = {
  ...SUBJECTS.find(({ name }) => name === "workerd default")!.gaps,
  context: "without `nodejs_compat` there is no `AsyncLocalStorage`",
};

Deno.test(
  "all of @sluice/middleware and @sluice/openapi runs in a Worker without nodejs_compat",
  WORKERD,
  async (t) => {
    const options = { flags: ["enable_request_signal"], bindings: { NODE_ENV: "test" } };
    await withWorker("tests/contracts/entries/exported.ts", options, async ({ origin }) => {
      const ask = (path: string, init?: RequestInit) => fetch(origin + path, { redirect: "manual", ...init });
      const stop = () => Promise.resolve();
      const subject = { name: "workerd without nodejs_compat", gaps, origin, ask, noticesResets: true, stop };
      const outcomes = await outcomesOf(CONTRACT, subject);
      for (const { title, cases } of CONTRACT) {
        for (const one of cases) {
          const { gaps: lacking, error } = outcomes.get(one)!;
          if (lacking.length > 0) continue;
          await t.step(`${title}: ${one.name}`, () => {
            if (error !== null) throw error;
          });
        }
      }
    });
  },
);
