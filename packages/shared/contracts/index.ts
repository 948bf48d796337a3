export * from './actor.ts';
export * from './contract.ts';
export * from './day.ts';
export * from './errors.ts';
export * from './permission-schema.ts';
export * from './permissions.ts';
export * from './streams.ts';
