// prints each node:test result as JSON
export default async function* (events) {
  const [seen, names] = [[], []];
  for await (const { type, data } of events) {
    if (type === "test:start") names[data.nesting] = data.name;
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    const title = [...names.slice(0, data.nesting), data.name].join(" ");
    const isSkipped = data.skip !== undefined || data.todo !== undefined;
    seen.push([title, isSkipped ? "skipped" : type === "test:pass" ? "passed" : "failed"]);
    if (type === "test:fail" && !isSkipped) {
      console.error(`FAILED ${title}\n${data.details?.error?.cause?.stack ?? data.details?.error}\n`);
    }
  }
  yield JSON.stringify(seen);
}
