let epoch = 0;

/** Notes that something was registered somewhere, so that every index built before is stale. */
export function noteRegistration(): void {
  epoch++;
}

/** Number of registrations so far; an index built at the same number is current. */
export function registrationEpoch(): number {
  return epoch;
}

let sockets = false;

/** Notes that a WebSocket route was registered somewhere in this process. */
export function noteSocket(): void {
  sockets = true;
}

/** Whether there is any WebSocket route at all; where there is none, nothing has to be asked about upgrades. */
export function socketsExist(): boolean {
  return sockets;
}
