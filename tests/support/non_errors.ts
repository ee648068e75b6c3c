/** Functions that throw, or reject with, a value that is not an error or that `next` treats specially. */
export const THROWING_NOTHING: readonly (() => never)[] = [undefined, null, "", 0, "route", "router"].flatMap(
  (thrown) => {
    const throws = (): never => {
      throw thrown;
    };
    const rejects = () => Promise.reject(thrown) as never;
    return [throws, rejects];
  },
);
