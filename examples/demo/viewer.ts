/**
 * Finds the folder of the API pages' viewer. It is larger than the rest of the demo together, so a separate Deno
 * process downloads it when the pages are first opened: an import here would be downloaded before the demo starts, or
 * written into the lock file. Your program only needs `deno add npm:swagger-ui-dist`.
 */
export async function viewer(): Promise<string> {
  const program = 'import viewer from "npm:swagger-ui-dist@5.35.0"; console.log(viewer.absolutePath());';
  const args = ["eval", "--quiet", "--no-config", "--no-lock", program];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  const [folder, problem] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (!success) throw new Error(`The viewer could not be downloaded: ${problem}`);
  return folder!;
}
