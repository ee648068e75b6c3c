import { PATIENCE_MS } from "../support/patience.ts";
import type { Depart } from "./disconnecting.ts";

/** How long a case waits for something, in ms: half its time limit, so it fails with its own message. */
export const CASE_PATIENCE_MS = PATIENCE_MS / 2;

/** Features that a runtime may lack; a subject that lacks one gives the reason. */
export type Feature =
  | "files"
  | "length"
  | "refusal"
  | "bodiless"
  | "unpacking"
  | "compression"
  | "peer"
  | "connection"
  | "host"
  | "octets"
  | "forwarded"
  | "websocket"
  | "topics"
  | "ping"
  | "buffered"
  | "pausing"
  | "closeCodes"
  | "pieces"
  | "head"
  | "abort"
  | "cut"
  | "cancel"
  | "upload"
  | "context"
  | "socketContext";

/** Sends a request to a subject; redirects are not followed. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Tools for a case. */
export interface Visit {
  /** Sends the subject a request. */
  readonly ask: Ask;
  /** Sends the subject a request and disconnects before the response. */
  readonly depart: Depart;
  /** The subject's origin. */
  readonly origin: string;
  /** A flag name that no other case uses. */
  readonly flag: string;
  /** Why the subject lacks a feature, `undefined` if it has it. */
  lacks(feature: Feature): string | undefined;
}

/** One application behavior. */
export interface Case {
  /** A sentence that describes it. */
  readonly name: string;
  /** Features it requires of the runtime. */
  readonly needs: readonly Feature[];
  /** Throws if the subject behaves differently. */
  run(visit: Visit): Promise<void>;
}

/** A chapter in the contract. */
export interface Chapter {
  readonly title: string;
  readonly cases: readonly Case[];
}

/** The function that `chapter` passes to its callback to add a case; features the case needs come last. */
export type State = (name: string, run: (visit: Visit) => Promise<void>, ...needs: Feature[]) => void;

/** Makes a chapter. */
export function chapter(title: string, write: (it: State) => void): Chapter {
  const cases: Case[] = [];
  write((name, run, ...needs) => cases.push({ name, needs, run }));
  return { title, cases };
}

/** Sends a request and returns the body as a string. */
export async function text(ask: Ask, path: string, init?: RequestInit): Promise<string> {
  return await (await ask(path, init)).text();
}

/** Sends a request and parses the JSON body. */
export async function json(ask: Ask, path: string, init?: RequestInit): Promise<unknown> {
  return await (await ask(path, init)).json();
}

/** Sends a request and returns the status, the body and the values of some headers. */
export async function seen(ask: Ask, path: string, init?: RequestInit, ...headers: string[]): Promise<unknown[]> {
  const response = await ask(path, init);
  const values = headers.map((name) => response.headers.get(name));
  return [response.status, await response.text(), ...values];
}

/** Polls until one of the program's flags has a value. */
export async function flagged(ask: Ask, name: string, value = 1): Promise<void> {
  const late = Date.now() + CASE_PATIENCE_MS;
  while (Number(await text(ask, `/flags/${name}`)) < value) {
    if (Date.now() > late) throw new Error(`The flag ${name} is not raised`);
    // in process, timers would never run between two responses
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Waits until the program has `count` notes about connections with a flag, and returns them. */
export async function noted(ask: Ask, flag: string, count = 1): Promise<unknown[]> {
  const late = Date.now() + CASE_PATIENCE_MS;
  for (;;) {
    const notes = await json(ask, `/socket-notes/${flag}`) as unknown[];
    if (notes.length >= count) return notes;
    if (Date.now() > late) throw new Error(`Only ${notes.length} of ${count} notes: ${JSON.stringify(notes)}`);
  }
}
