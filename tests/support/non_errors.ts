/** Functions that throw, or reject with, a non-error or a value that `next` treats specially. */
export const THROWING_NOTHING: readonly (() => never)[] = [undefined, null, "", 0, "route", "router"].flatMap(
  (thrown) => {
    const throws = (): never => {
      throw thrown;
    };
    const rejects = () => Promise.reject(thrown) as never;
    return [throws, rejects];
  },
);
