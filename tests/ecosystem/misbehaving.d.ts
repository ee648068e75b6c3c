/** Sets an application up. */
// deno-lint-ignore no-explicit-any -- either library
export default function misbehave(app: any): void;
/** Routes that end by themselves. */
export const ENDING: readonly string[];
