/**
 * Finds the folder of the viewer of the API's pages. It is larger than all else that the demo needs, so it is downloaded
 * when somebody first opens them, by a Deno of its own: an import here would be downloaded before the demo starts, or
 * written into the lock file. Your program needs nothing of this, but `deno add npm:swagger-ui-dist`.
 */
export async function viewer(): Promise<string> {
  const program = 'import viewer from "npm:swagger-ui-dist@5.35.0"; console.log(viewer.absolutePath());';
  const args = ["eval", "--quiet", "--no-config", "--no-lock", program];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  const [folder, problem] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (!success) throw new Error(`The viewer could not be downloaded: ${problem}`);
  return folder!;
}
