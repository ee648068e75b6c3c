// writes each test's result to the file FIELD_RESULTS
const { writeFileSync } = require("node:fs");

const seen = [];
module.exports = class {
  specDone({ fullName, status, failedExpectations }) {
    seen.push([fullName, status === "passed" || status === "failed" ? status : "skipped"]);
    for (const { message, stack } of failedExpectations) console.error(`FAILED ${fullName}\n${message}\n${stack}\n`);
  }
  jasmineDone() {
    // a process that exits earlier writes no results, since partial results would look complete
    writeFileSync(process.env.FIELD_RESULTS, JSON.stringify(seen));
  }
};
