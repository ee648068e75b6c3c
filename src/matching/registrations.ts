let epoch = 0;

/** Notes that something was registered, which makes all existing indexes stale. */
export function noteRegistration(): void {
  epoch++;
}

/** Number of registrations so far; an index is current if it was built at this number. */
export function registrationEpoch(): number {
  return epoch;
}

let sockets = false;

/** Notes that a WebSocket route was registered somewhere in this process. */
export function noteSocket(): void {
  sockets = true;
}

/** Whether there is any WebSocket route in this process; if not, upgrades need not be considered. */
export function socketsExist(): boolean {
  return sockets;
}
