export type {
  Bus,
  BusMessage,
  ConsumeBatchesOptions,
  ConsumeOptions,
  Consumption,
  Reading,
  ReadOptions,
  RequestContext,
  ServedContext,
  StreamInfo,
} from './bus.ts';
export { type BusOptions, connectBus } from './connect-bus.ts';
export { subjectToken, tokenText } from './subjects.ts';
