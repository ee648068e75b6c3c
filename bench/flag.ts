/** Value of a flag on the command line: `--name=value`. */
export function flag(name: string): string | undefined {
  return Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}
