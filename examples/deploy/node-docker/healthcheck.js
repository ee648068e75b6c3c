// Docker runs this every few seconds: it exits with 0 if the service responds, and with 1 if not.
const url = `http://127.0.0.1:${process.env.PORT ?? 3000}/health`;
const healthy = await fetch(url, { signal: AbortSignal.timeout(2000) }).then(({ ok }) => ok, () => false);
process.exit(healthy ? 0 : 1);
