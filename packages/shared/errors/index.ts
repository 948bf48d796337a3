export { AppError, coerceError, throwFirst } from './app-error.ts';
export { badProperty, describeIssues, payloadError, redactTokens, redactValue } from './issues.ts';
export { isStorableText, refuseUnserializable, refuseUnstorable } from './storable.ts';
