export * from './event.ts';
export * from './event-types.ts';
export * from './log.ts';
