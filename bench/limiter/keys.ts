/** Creates addresses for that many IPv4 clients, as flat strings, like those from a socket. */
export function ipv4Keys(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const bits = Math.imul(i + 1, 0x9e3779b1) >>> 0;
    return [bits >>> 24, bits >>> 16 & 255, bits >>> 8 & 255, bits & 255].join(".");
  });
}

/** Creates addresses for that many IPv6 clients, no two in the same /56. */
export function ipv6Keys(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const bits = Math.imul(i + 1, 0x9e3779b1) >>> 8;
    return ["2001:db8", (bits >>> 8).toString(16), ((bits & 255) << 8).toString(16), "a1b2:c3d4:e5f6:1"].join(":");
  });
}

/** Creates a walk over indices in random order: every index once per pass, at least `length` steps long. */
export function randomWalk(places: number, length: number): Uint32Array {
  const pass = Uint32Array.from({ length: places }, (_, i) => i);
  let state = 88_172_645;
  for (let i = places - 1; i > 0; i--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (i + 1);
    [pass[i], pass[other]] = [pass[other]!, pass[i]!];
  }
  const walk = new Uint32Array(Math.ceil(length / places) * places);
  for (let at = 0; at < walk.length; at += places) walk.set(pass, at);
  return walk;
}
