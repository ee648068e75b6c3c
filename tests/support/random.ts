// defined there because the limiter's test kit publishes it
export { seededRandom as random } from "../../advanced/src/testing/seeded_random.ts";
