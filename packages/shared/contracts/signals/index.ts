export * from './endpoint.ts';
export * from './limits.ts';
export * from './signal.ts';
