/** Whether any router in this process distinguishes `/Admin` from `/admin`. */
export let isCaseSignificant = false;

/** Records that a router does so. */
export function noteCaseSensitivity(): void {
  isCaseSignificant = true;
}
