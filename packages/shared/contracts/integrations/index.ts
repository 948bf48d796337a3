export * from './integration.ts';
export * from './integration-event.ts';
