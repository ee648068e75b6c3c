const FIELDS = "use fields: (req, res) => ({ … })";
const LEVELLED = "the level follows from the status";
const SELECTED = "use sample, or mount it at a path";
const PINO = "use stream: pino({ … }), which has it";

/** Options from pino-http, pino, morgan and express-winston. */
export const INSTEAD: Readonly<Record<string, string>> = {
  logger: "use stream, which accepts loggers such as pino()",
  transports: "use stream, which accepts loggers such as winston's",
  destination: "use stream",
  serializers: FIELDS,
  wrapSerializers: FIELDS,
  customProps: FIELDS,
  customAttributeKeys: FIELDS,
  customErrorObject: FIELDS,
  customReceivedObject: FIELDS,
  customSuccessObject: FIELDS,
  customErrorMessage: FIELDS,
  customErroredMessage: FIELDS,
  customReceivedMessage: FIELDS,
  customSuccessMessage: FIELDS,
  customSuccessfulMessage: FIELDS,
  base: FIELDS,
  name: FIELDS,
  mixin: FIELDS,
  customLogLevel: LEVELLED,
  useLevel: LEVELLED,
  customLevels: LEVELLED,
  useOnlyCustomLevels: LEVELLED,
  levelComparison: LEVELLED,
  genReqId: "use app.use(requestId({ generator }))",
  autoLogging: SELECTED,
  skip: SELECTED,
  immediate: "a request is logged when it ends",
  buffer: "use stream, which may buffer",
  quietReqLogger: "req.log adds only the request's ids",
  quietResLogger: "a request's line has no nested objects",
  messageKey: 'the key is "message"; to rename it, use stream: pino({ messageKey })',
  errorKey: 'the key is "error"; to rename it, use stream: (line, { error, ...record }) => …',
  enabled: "use level; without logs, leave out the middleware",
  nestedKey: PINO,
  timestamp: PINO,
  formatters: PINO,
  transport: PINO,
  browser: PINO,
  hooks: PINO,
  crlf: PINO,
  depthLimit: PINO,
  edgeLimit: PINO,
  mixinMergeStrategy: PINO,
  msgPrefix: PINO,
  onChild: PINO,
};

const WITH_FIELDS = "pass the fields with each line: write .info({ book: 7 }, message)";
const LEVEL = 'the levels are info, warn and error, and the option level sets the minimum: log({ level: "warn" })';

/** Members of pino's loggers. */
export const NO_MEMBERS: Readonly<Record<string, string>> = {
  trace: "write .info(message, fields)",
  debug: "write .info(message, fields)",
  fatal: "write .error(message, fields)",
  silent: "leave out the line",
  child: WITH_FIELDS,
  bindings: WITH_FIELDS,
  setBindings: WITH_FIELDS,
  onChild: WITH_FIELDS,
  msgPrefix: "begin the message with it",
  level: LEVEL,
  levels: LEVEL,
  levelVal: LEVEL,
  isLevelEnabled: LEVEL,
  flush: "lines go to the stream at once",
};
