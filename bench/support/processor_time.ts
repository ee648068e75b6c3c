/**
 * Returns the processor time of all threads in a process, in ns. It is far steadier than wall-clock time on a shared
 * machine: a thread that waits for a processor uses no processor time.
 *
 * @param pid The process; Linux only
 * @param seen The threads' times at the last call, kept because some threads may have ended by the next call
 */
export function processorTime(pid: number, seen: Map<string, number> = new Map()): number {
  for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
    const text = timeOf(`/proc/${pid}/task/${name}/schedstat`);
    if (text !== null) seen.set(name, Number(text.split(" ")[0]));
  }
  return seen.values().reduce((sum, time) => sum + time, 0);
}

// a thread may end between listing and reading
function timeOf(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || (error as { code?: string }).code === "ESRCH") return null;
    throw error;
  }
}
