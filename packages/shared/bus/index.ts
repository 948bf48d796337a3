export { eventPace, pauseAfter } from '../pace/pace.ts';
export type {
  Answer,
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
export type { BusOptions } from './bus-options.ts';
export { connectBus } from './connect-bus.ts';
export { connectInBackground } from './connect-in-background.ts';
export { type EncodedAnswer, encodeAnswer } from './encode-answer.ts';
export { encodeItems, encodeOutput, encodeParts, encodeTexts, Frame, listFieldOf, textsOf } from './frames.ts';
export { type PieceLimits, pieceLimits, piecesOf, splitIntoPieces } from './pieces.ts';
export { readAhead } from './read-ahead.ts';
export { requestBeforeChange } from './request-before-change.ts';
export { serveUseCases } from './serve-use-cases.ts';
export { OtherSystemError, type StreamOwner } from './stream-owner.ts';
export {
  beginning,
  countBehind,
  countDropped,
  handledIn,
  hasReached,
  isLost,
  isSamePosition,
  type StreamPosition,
} from './stream-position.ts';
export { subjectToken, tokenText } from './subjects.ts';
