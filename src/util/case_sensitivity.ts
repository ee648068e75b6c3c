/** Whether a router of this process takes `/Admin` and `/admin` for two paths. */
export let isCaseSignificant = false;

/** Notes that a router does so. */
export function noteCaseSensitivity(): void {
  isCaseSignificant = true;
}
