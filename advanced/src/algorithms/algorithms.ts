import type { AlgorithmName } from "../policy/policy.ts";
import type { Algorithm } from "./algorithm.ts";
import { concurrency } from "./concurrency.ts";
import { fixedWindow } from "./fixed_window.ts";
import { slidingApproximate } from "./sliding_approximate.ts";
import { slidingLog } from "./sliding_log.ts";
import { slidingWindow } from "./sliding_window.ts";
import { tokenBucket } from "./token_bucket.ts";

export const ALGORITHMS: Readonly<Record<AlgorithmName, Algorithm>> = {
  "fixed-window": fixedWindow,
  "sliding-window": slidingWindow,
  "sliding-log": slidingLog,
  "sliding-approximate": slidingApproximate,
  "token-bucket": tokenBucket,
  "concurrency": concurrency,
};
