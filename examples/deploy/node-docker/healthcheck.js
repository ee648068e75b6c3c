// What Docker asks every few seconds: 0 for a service that answers, 1 for one that does not.
const url = `http://127.0.0.1:${process.env.PORT ?? 3000}/health`;
const healthy = await fetch(url, { signal: AbortSignal.timeout(2000) }).then(({ ok }) => ok, () => false);
process.exit(healthy ? 0 : 1);
