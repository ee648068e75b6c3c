/**
 * Runs a function and returns its console warnings.
 *
 * @param body The function
 */
export async function warningsOf(body: () => unknown): Promise<string[]> {
  const { warn } = console;
  const told: string[] = [];
  console.warn = (text) => void told.push(String(text));
  try {
    await body();
  } finally {
    console.warn = warn;
  }
  return told;
}
