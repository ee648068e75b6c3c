/**
 * Time the threads of a process have spent on a processor, in ns. Far steadier than the clock where others use the
 * machine too: who has to wait for a processor spends none of it.
 *
 * @param pid The process; Linux only
 * @param seen What its threads had when they were last looked at, for the next look: some may have ended by then
 */
export function processorTime(pid: number, seen: Map<string, number> = new Map()): number {
  for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
    const text = timeOf(`/proc/${pid}/task/${name}/schedstat`);
    if (text !== null) seen.set(name, Number(text.split(" ")[0]));
  }
  return seen.values().reduce((sum, time) => sum + time, 0);
}

// a thread may end between the list and the look
function timeOf(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || (error as { code?: string }).code === "ESRCH") return null;
    throw error;
  }
}
