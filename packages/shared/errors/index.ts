export { AppError, coerceError } from './app-error.ts';
export { describeIssues, payloadError, shownValue } from './issues.ts';
export { refuseTooDeep, refuseUnstorable } from './storable.ts';
