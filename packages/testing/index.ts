export * from './administration.ts';
export { startCollector, type TestCollector } from './collector.ts';
export { filesOf } from './database-files.ts';
export { createTestDatabase, type TestDatabase } from './databases.ts';
export { casesOfRun, isLongRun, longTest, propertyRuns } from './depth.ts';
export { type EventStream, openEventStream, readEvents, type StreamedEvent } from './event-stream.ts';
export { eventually } from './eventually.ts';
export { insertLargeFlags } from './large-flags.ts';
export { startNatsWithUsers, startTestNats, type TestNats } from './nats.ts';
export { compileCache } from './options.ts';
export type { ReceivedSpan } from './otlp.ts';
export * from './people.ts';
export { type ReceivedRequest, type ReceiverAnswer, startReceiver, type TestReceiver } from './receiver.ts';
export {
  expireMessages,
  namesOfStreams,
  publishWithoutBus,
  readWholeStream,
  removeStream,
  replaceStream,
  type StoredMessage,
  setDuplicateWindow,
} from './streams.ts';
export type { CallOptions, CallResult, TestSystem } from './system.ts';
