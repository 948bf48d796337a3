export * from './endpoint.ts';
export * from './signal.ts';
