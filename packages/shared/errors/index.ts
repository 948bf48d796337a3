export { AppError, coerceError } from './app-error.ts';
export { describeIssues, payloadError, redactValue, withoutOwnSecrets } from './issues.ts';
export { refuseTooDeep, refuseUnstorable } from './storable.ts';
