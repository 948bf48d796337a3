export { AppError, coerceError, isTransient, throwFirst } from './app-error.ts';
export { badProperty, describeIssues, payloadError, propertyName, redactTokens, redactValue } from './issues.ts';
export { problemText } from './problem.ts';
export { isStorableText, refuseUnserializable, refuseUnstorable } from './storable.ts';
