export * from './action-run.ts';
export * from './action-set.ts';
export * from './endpoint.ts';
export * from './lease.ts';
export * from './limits.ts';
export * from './signal.ts';
export * from './signal-list.ts';
