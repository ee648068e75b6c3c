import { cookies } from "./cookies.ts";
import type { Theme } from "./flaw.ts";
import { forwarding } from "./forwarding.ts";
import { framing } from "./framing.ts";
import { http2 } from "./http2.ts";
import { parsing } from "./parsing.ts";
import { paths } from "./paths.ts";
import { responses } from "./responses.ts";
import { sockets } from "./sockets.ts";
import { uploads } from "./uploads.ts";

/** Every class, in page order. */
export const LEDGER: readonly Theme[] = [
  framing,
  http2,
  sockets,
  paths,
  parsing,
  cookies,
  uploads,
  forwarding,
  responses,
];
