export * from './service-account.ts';
export * from './token.ts';
