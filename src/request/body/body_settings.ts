import { describe } from "../../util/error_text.ts";
import { bytesOfSetting } from "../../util/bytes_setting.ts";
import type { SettingValue } from "../../exchange/app_like.ts";

const MIB = 1024 * 1024;

/** How long a body may stay unread after the response, in ms: as long as Node's server keeps such a connection. */
export const UNREAD_BODY_MS = 5000;

/** Maximum bytes that each request method reads; the `body limit` setting. */
export interface BodyLimits {
  /** For `req.json()`. */
  readonly json: number;
  /** For `req.text()`. */
  readonly text: number;
  /** For `req.arrayBuffer()`. */
  readonly arrayBuffer: number;
  /** For `req.blob()`. */
  readonly blob: number;
  /** For `req.formData()`. */
  readonly formData: number;
}

/**
 * The `body limit` setting as a program writes it: for all methods, or per method, with defaults for the other methods.
 */
export type BodyLimitSetting =
  | number
  | string
  | { readonly [Method in keyof BodyLimits]?: number | string | undefined };

const LIMITS: BodyLimits = { json: MIB, text: MIB, arrayBuffer: 10 * MIB, blob: 10 * MIB, formData: 10 * MIB };
const BUDGET = 256 * MIB;
const JSON_DEPTH = 1000;
const FORM_PARTS = 1000;
const TIMEOUT_MS = 30_000;

/** An application's settings, by name; compiled ones end in ` fn`. */
type Settings = Readonly<Record<string, SettingValue>>;

/** Compiles the body settings; `undefined` stands for the default. */
export const BODY_SETTINGS: readonly (readonly [string, (value: SettingValue) => unknown])[] = [
  ["body limit", (value) => value === undefined ? undefined : compileLimits(value)],
  ["body budget", (value) => value === undefined ? undefined : bytesOfSetting("body budget", value)],
  ["json depth", (value) => value === undefined ? undefined : countOf("json depth", "levels", value)],
  ["form parts limit", (value) => value === undefined ? undefined : countOf("form parts limit", "parts", value)],
  ["body timeout", (value) => value === undefined ? undefined : timeoutOf(value)],
];

/** Maximum bytes that a request method reads. */
export function bodyLimit(settings: Settings, method: keyof BodyLimits): number {
  return ((settings["body limit fn"] ?? LIMITS) as BodyLimits)[method];
}

/** Maximum bytes for all bodies being read in the process. */
export function bodyBudget(settings: Settings): number {
  return settings["body budget fn"] ?? BUDGET;
}

/** Maximum levels in JSON. */
export function jsonDepth(settings: Settings): number {
  return settings["json depth fn"] ?? JSON_DEPTH;
}

/** Maximum parts or fields in a form. */
export function formPartsLimit(settings: Settings): number {
  return settings["form parts limit fn"] ?? FORM_PARTS;
}

/** Idle time allowed between body bytes, in ms; 0 means no limit. */
export function bodyTimeout(settings: Settings): number {
  return settings["body timeout fn"] ?? TIMEOUT_MS;
}

function compileLimits(value: SettingValue): BodyLimits {
  if (typeof value !== "object" || value === null) {
    const limit = bytesOfSetting("body limit", value);
    return { json: limit, text: limit, arrayBuffer: limit, blob: limit, formData: limit };
  }
  const limits: Record<string, number> = { ...LIMITS };
  for (const [method, given] of Object.entries(value)) {
    if (!Object.hasOwn(LIMITS, method)) {
      throw new TypeError(
        `app.set("body limit", …): there is no ${method}; there are ${Object.keys(LIMITS).join(", ")}`,
      );
    }
    if (given !== undefined) limits[method] = bytesOfSetting("body limit", given);
  }
  return limits as unknown as BodyLimits;
}

function countOf(name: string, what: string, value: SettingValue): number {
  if (value === Infinity || Number.isInteger(value) && value > 0) return value;
  throw new TypeError(
    `app.set(${JSON.stringify(name)}, …) expects a number of ${what} from 1, or Infinity for no limit, not ${
      describe(value)
    }`,
  );
}

function timeoutOf(value: SettingValue): number {
  if (value === Infinity) return 0;
  if (typeof value === "number" && value >= 0) return value;
  throw new TypeError(`app.set("body timeout", …) expects ms, or 0 or Infinity for no timeout, not ${describe(value)}`);
}
