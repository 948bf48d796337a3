export * from './action-run.ts';
export * from './action-set.ts';
export * from './admission.ts';
export * from './endpoint.ts';
export * from './limits.ts';
export * from './signal.ts';
export * from './signal-list.ts';
