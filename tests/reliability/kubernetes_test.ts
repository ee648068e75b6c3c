/** A short deployment as on Kubernetes, and pods that lose requests, which it must notice. */
import { assertEquals, assertMatch } from "@std/assert";
import { onKubernetes } from "../../reliability/chaos/kubernetes.ts";

const SHORT = { calmMs: 1000, rushMs: 4000, rolls: 1 };

Deno.test("ten times the load and a rolling update restart no pod by liveness, and lose no request", async () => {
  const { broken, lost, remark, sent } = await onKubernetes("Deno", SHORT);
  // some requests may fail: on a busy machine, even the normal load may be too much for a while
  assertEquals([lost, sent > 1000], [0, true], broken);
  assertMatch(remark, /^0 restarts by liveness/);
});

Deno.test("a rolling update notices what pods lose that end at once on SIGTERM", async () => {
  const { broken } = await onKubernetes("Deno", SHORT, "tests/fixtures/reliability/careless_pod.ts");
  assertMatch(broken!, /Connection reset|Connection refused|ended before/);
});
