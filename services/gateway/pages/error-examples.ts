import { noAccess } from '@yardarm/shared/auth';
import type { ErrorCode, ErrorDetail } from '@yardarm/shared/contracts';
import { AppError } from '@yardarm/shared/errors';
import { inMaintenance } from '@yardarm/shared/service';
import { needsToken, wrongKind } from '../auth/authenticator.ts';
import { contentTypeError, type ErrorBody, errorBody, tooLargeError } from '../routing/error-body.ts';
import { bodyTypesOf, defaultBodyLimitBytes } from '../routing/read-body.ts';
import type { Route } from '../routing/route.ts';

const description = 'The .description property should be a string. You sent 77.';
const weakPassword = 'The password must contain at least one number.';

const messages: Record<
  Exclude<ErrorCode, 'no-access' | 'content-type' | 'content-too-large' | 'maintenance'>,
  string
> = {
  validation: `The request payload you provided doesn't conform to the schema. ${description}`,
  'bad-data': 'The .newProjectId property should be a project. You sent "nowhere".',
  'limit-exceeded': 'There are already 2000 API tokens; there can be at most 2000.',
  'weak-password': weakPassword,
  'role-in-use':
    'The role "Release manager" is in use: take it from every user, service account, group and project before you delete it.',
  unauthenticated:
    'You must log in to use Yardarm. Your request had no authorization header, so we could not authorize you.',
  'password-mismatch': 'The combination of password and username you provided is invalid.',
  'invalid-token': 'Token was not valid',
  forbidden: 'A page of another site may not use your session to change something here.',
  'operation-denied': 'This cannot be done here.',
  'archived-feature': 'The feature "checkout" is archived, and cannot be switched.',
  'incompatible-project': 'The project "web" does not have the same environments as the flag "checkout".',
  'invalid-operation': 'A flag that others depend on cannot depend on another flag.',
  'not-found': 'Could not find anything with the ID "77".',
  'method-not-allowed': 'This method is not allowed here.',
  'name-exists': 'There is already something with the name "checkout".',
  conflict: 'Another request changed it at the same time.',
  'precondition-failed': 'The feature "checkout" has the version 12, and the request expects 11.',
  unprocessable:
    'The Idempotency-Key was used for a signal with another body in the last 24 hours. Send this body with a key of its own.',
  'rate-limited': 'Too many attempts. Try again in 42 seconds.',
  internal: 'Something went wrong on our side. The id of this error is in our log.',
  unavailable: 'The service is unavailable at the moment. Nothing was done.',
  timeout: 'No answer came in time: whether it was done is not known.',
};

const details: Partial<Record<ErrorCode, ErrorDetail[]>> = {
  validation: [{ message: description, path: 'description' }],
  'weak-password': [{ message: weakPassword, validationErrors: [weakPassword] }],
};

/** An error with this code at this route, made by the code that makes real ones. */
export function errorExample(code: ErrorCode, route: Route): ErrorBody {
  return errorBody(exampleOf(code, route), {
    requestId: '7f9c2ba4-e88f-4d8a-9a3c-0d1e2f3a4b5c',
    audience: route.audience,
  });
}

function exampleOf(code: ErrorCode, route: Route): AppError {
  if (code === 'no-access') return noAccessTo(route);
  if (code === 'content-type') return contentTypeError('text/plain', bodyTypesOf(route));
  if (code === 'maintenance') return inMaintenance();
  if (code === 'content-too-large') return tooLargeError(route.bodyLimitBytes ?? defaultBodyLimitBytes);
  return new AppError(code, messages[code], { details: details[code] });
}

/** The refusal for a missing permission; on a route without one, for a token of another kind. */
function noAccessTo(route: Route): AppError {
  if (route.permission === undefined && needsToken(route)) {
    return wrongKind(route, route.audience === 'client' ? 'admin' : 'client');
  }
  return noAccess([route.permission ?? 'ADMIN'].flat(), route.anywhere ? 'anywhere' : { environment: 'production' });
}
