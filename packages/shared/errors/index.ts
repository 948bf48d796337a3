export { AppError, coerceError, throwFirst } from './app-error.ts';
export { badProperty, describeIssues, payloadError, redactTokens, redactValue } from './issues.ts';
export { refuseUnserializable, refuseUnstorable } from './storable.ts';
