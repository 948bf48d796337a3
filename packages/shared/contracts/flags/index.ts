export * from './context-field.ts';
export * from './feature.ts';
export * from './feature-type.ts';
export * from './project.ts';
export * from './snapshot.ts';
export * from './strategy.ts';
export * from './strategy-type.ts';
