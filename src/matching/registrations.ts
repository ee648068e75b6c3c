/** Number of registrations so far; an index built at this number is current. */
export let registrationEpoch = 0;

/** Records a registration, which invalidates all existing indexes. */
export function noteRegistration(): void {
  registrationEpoch++;
}

/** Whether this process has any WebSocket route; if not, upgrades need no check. */
export let socketsExist = false;

/** Records that a WebSocket route was registered in this process. */
export function noteSocket(): void {
  socketsExist = true;
}

/** Whether any router in this process has a page that limits exempt; if not, limits skip that check. */
export let pagesExist = false;

/** Records that such a page was registered in this process. */
export function notePage(): void {
  pagesExist = true;
}
