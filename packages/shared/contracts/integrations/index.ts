export * from './integration.ts';
export * from './integration-event.ts';
export * from './integration-state.ts';
