// writes how each test ended to the file FIELD_RESULTS, for every version of Mocha
const { writeFileSync } = require("node:fs");

module.exports = function (runner) {
  const seen = [];
  const note = (outcome) => (test) => seen.push([test.fullTitle(), outcome]);
  runner.on("pass", note("passed"));
  runner.on("fail", note("failed"));
  runner.on("pending", note("skipped"));
  runner.on("fail", (test, error) => console.error(`FAILED ${test.fullTitle()}\n${error?.stack ?? error}\n`));
  // a process that ends before has no results: half of them would be taken for all
  runner.on("end", () => writeFileSync(process.env.FIELD_RESULTS, JSON.stringify(seen)));
};
