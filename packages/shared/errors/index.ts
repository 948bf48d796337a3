export { AppError, coerceError, isTransient, throwFirst } from './app-error.ts';
export { conforming } from './conforming.ts';
export { type ErrorFields, errorFields } from './error-fields.ts';
export {
  badProperty,
  describeIssues,
  maxDetails,
  payloadError,
  propertyName,
  queryError,
  redactTokens,
  redactValue,
} from './issues.ts';
export { hasAtMost, type JsonBounds, requireJsonSize } from './json-size.ts';
export { problemText } from './problem.ts';
export { isStorableText, refuseUnserializable, refuseUnstorable } from './storable.ts';
