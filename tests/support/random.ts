// the limiter's test kit publishes it, so it stands there
export { seededRandom as random } from "../../advanced/src/testing/seeded_random.ts";
