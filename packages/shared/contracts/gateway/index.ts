export * from './streaming.ts';
