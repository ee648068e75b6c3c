/** Number of registrations so far; an index is current if it was built at this number. */
export let registrationEpoch = 0;

/** Notes that something was registered, which makes all existing indexes stale. */
export function noteRegistration(): void {
  registrationEpoch++;
}

/** Whether there is any WebSocket route in this process; if not, upgrades need not be considered. */
export let socketsExist = false;

/** Notes that a WebSocket route was registered somewhere in this process. */
export function noteSocket(): void {
  socketsExist = true;
}

/** Whether any router of this process has a page that limits leave alone; if not, no limit looks for one. */
export let pagesExist = false;

/** Notes that such a page was registered somewhere in this process. */
export function notePage(): void {
  pagesExist = true;
}
