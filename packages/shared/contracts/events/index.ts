export * from './event.ts';
export * from './event-catalogue.ts';
export * from './event-text.ts';
export * from './event-types.ts';
export * from './log.ts';
export * from './outbox.ts';
export * from './search.ts';
export * from './tail.ts';
