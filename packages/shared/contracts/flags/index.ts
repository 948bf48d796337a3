export * from './feature.ts';
export * from './feature-type.ts';
export * from './snapshot.ts';
export * from './strategy.ts';
