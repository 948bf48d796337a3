import type { IncomingHttpHeaders } from 'node:http';
import { copyOf, type PresentedToken, readToken, requirePermission, tokenOfHeader } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { ResolvedToken, TokenKind } from '@yardarm/shared/contracts/accounts';
import type { SignalToken } from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { type MaybePromise, whenThere } from '@yardarm/shared/waiting';
import { LRUCache } from 'lru-cache';
import type { Audience, Route, SignalSender } from '../routing/route.ts';
import { isCrossSite } from './cross-site.ts';
import type { SeenTokens } from './seen-tokens.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { SignalTokens } from './signal-tokens.ts';
import type { Tokens } from './tokens.ts';

/** An actor and its token on admin routes, a token on SDK routes, a sender on signal routes. */
export interface AuthResult {
  actor: Actor | null;
  token: ResolvedToken | null;
  sender: SignalSender | null;
}

export interface AuthRequest {
  readonly host: string | undefined;
  /** Whether the caller uses HTTPS, to the gateway or to a trusted proxy. */
  readonly isSecure: boolean;
  /** The parameters of the path as they were sent, before the schema of the route. */
  pathParams: Readonly<Record<string, unknown>>;
  header(name: string): string | undefined;
  /** This property is read only when another service is asked. */
  readonly address: string;
  /** This property is read only when another service is asked. */
  readonly context: RequestContext;
}

type Kind = TokenKind | 'signal';

type TokenAudience = Exclude<Audience, 'public'>;
type TokenRoute = Route & { audience: TokenAudience };

const kindsOf: Record<TokenAudience, readonly Kind[]> = {
  admin: ['admin', 'personal', 'session'],
  client: ['client'],
  frontend: ['frontend'],
  evaluation: ['client', 'frontend'],
  signal: ['signal'],
};

const kindNames: Record<Kind, string> = {
  admin: 'an admin token',
  personal: 'a personal access token or a token of a service account',
  client: 'a client token',
  frontend: 'a frontend token',
  session: 'a session, which comes in its cookie alone',
  signal: 'a signal endpoint token',
};

const audienceNames: Record<TokenAudience, string> = {
  admin: 'an admin token, a personal access token or a token of a service account',
  client: 'a client token',
  frontend: 'a frontend token',
  evaluation: 'a client or a frontend token',
  signal: 'a token of the signal endpoint',
};

interface Presented {
  text: string;
  read: PresentedToken;
  isSignalShaped: boolean;
  isInCookie: boolean;
}

/**
 * Authenticates and authorizes requests. The checks, in this order:
 *
 *   1. The token is present and valid: else `unauthenticated`, `rate-limited` after too many unknown ones, or
 *      `unavailable` when it cannot be checked.
 *   2. The route's audience accepts its kind: else `no-access`.
 *   3. A session is used by a page of this site: else `forbidden`.
 *   4. Its owner has no password to choose first: else `forbidden`.
 *   5. Its actor has the route's permission in the project and environment that the path names, or in any if the body
 *      names them: else `no-access`.
 *
 * The body is read after these checks. The service that owns the resource checks the permission again.
 */
export interface Authenticator {
  /** The result at once when memory has the token. Refusals are thrown, or reject the promise. */
  authenticate(route: Route, authRequest: AuthRequest): MaybePromise<AuthResult>;
  /** The token of the headers if it was accepted lately: a name of the caller, which proves nothing. */
  acceptedToken(headers: IncomingHttpHeaders): string | undefined;
}

/**
 * The texts of accepted tokens are hashed once, since hashing is most of the cost of authentication from memory. A few
 * thousand callers share a gateway, and an entry takes some 300 bytes.
 */
const maxHashed = 5_000;

/** Without `signalTokens`, for a gateway that serves no signals, their tokens are unknown. */
export function createAuthenticator(
  tokens: Tokens,
  signalTokens: SignalTokens | null,
  seenTokens: Pick<SeenTokens, 'record'>,
  sessionCookie: SessionCookie,
): Authenticator {
  /**
   * The hashes of accepted texts. The token is still checked with every request. Refused texts are not stored. The time
   * of a lookup reveals nothing about the stored texts, since V8 seeds its hash.
   */
  const hashed = new LRUCache<string, PresentedToken>({ max: maxHashed });

  /** The token of the header; on admin routes without a header that of the cookie. */
  function presentedToken(route: TokenRoute, { header, isSecure }: AuthRequest): Presented {
    const authorization = authorizationOf(route, header);
    // Signal routes have no other scheme, as their documents say.
    const isReadable = route.audience !== 'signal' || /^\s*bearer\s/i.test(authorization ?? '');
    const inHeader = isReadable ? tokenOfHeader(authorization) : null;
    const isCookieRead = route.audience === 'admin' && authorization === undefined;
    const inCookie = isCookieRead ? sessionCookie.read(header('cookie'), isSecure) : null;
    const text = inHeader ?? inCookie;
    if (text === null) throw isReadable ? noToken() : noBearer();
    const read = hashed.get(text) ?? readToken(text);
    if (!read) throw invalidToken();
    // Only tokens of signal endpoints have this prefix, so it decides which service to ask.
    return { text, read, isSignalShaped: text.startsWith('signal_'), isInCookie: inHeader === null };
  }

  function authorizeSender(
    route: TokenRoute,
    presented: Presented,
    found: SignalToken | null,
    authRequest: AuthRequest,
  ): AuthResult {
    if (!found) throw invalidToken();
    requireKind(route, 'signal');
    rememberHash(presented);
    const { id: tokenId, endpoint } = found;
    const { name } = authRequest.pathParams;
    // The same answer for the endpoint of another token as for one that does not exist.
    if (name !== endpoint.name) {
      throw new AppError('not-found', `Could not find the signal endpoint "${String(name).slice(0, 100)}".`);
    }
    if (!endpoint.enabled) throw new AppError('not-found', `The signal endpoint "${endpoint.name}" is switched off.`);
    return { actor: null, token: null, sender: { endpointId: endpoint.id, tokenId } };
  }

  function rememberHash({ text, read }: Presented): void {
    if (!hashed.has(text)) hashed.set(copyOf(text), read);
  }

  function authorize(
    route: TokenRoute,
    presented: Presented,
    token: ResolvedToken | null,
    authRequest: AuthRequest,
  ): AuthResult {
    if (!token || (presented.isInCookie && token.kind !== 'session')) throw invalidToken();
    requireKind(route, token.kind);
    if (token.kind === 'session') requireSameSite(route, presented, authRequest);
    seenTokens.record(token.id);
    rememberHash(presented);
    if (token.mustChangePassword && !route.beforePasswordChange) throw mustChoosePassword();
    if (token.actor && route.permission) {
      const { projectId, environment } = authRequest.pathParams;
      const place = {
        project: typeof projectId === 'string' ? projectId : undefined,
        environment: typeof environment === 'string' ? environment : undefined,
      };
      requirePermission(token.actor, route.permission, route.anywhere ? 'anywhere' : place);
    }
    return { actor: token.actor, token, sender: null };
  }

  return {
    authenticate(route, authRequest) {
      if (!needsToken(route)) return { actor: null, token: null, sender: null };
      const presented = presentedToken(route, authRequest);
      if (presented.isSignalShaped) {
        const found = signalTokens?.find(presented.read, authRequest) ?? null;
        return whenThere(found, (token) => authorizeSender(route, presented, token, authRequest));
      }
      return whenThere(tokens.find(presented.read, authRequest), (token) =>
        authorize(route, presented, token, authRequest),
      );
    },
    acceptedToken({ authorization, cookie }) {
      const inHeader = tokenOfHeader(authorization);
      const text = inHeader ?? sessionCookie.read(cookie, true) ?? sessionCookie.read(cookie, false);
      return text !== null && hashed.has(text) ? text : undefined;
    },
  };
}

export function needsToken(route: Route): route is TokenRoute {
  return route.audience !== 'public';
}

/** The header that holds the token. With X-API-Key, `Authorization` may hold the login of a proxy, such as Basic. */
function authorizationOf({ audience }: TokenRoute, header: AuthRequest['header']): string | undefined {
  const authorization = header('authorization');
  const apiKey = audience === 'evaluation' ? header('x-api-key') : undefined;
  const token = tokenOfHeader(authorization);
  // The name of another scheme ends with a space, which no token has.
  const isToken = token !== null && !/\s/.test(token);
  return isToken ? authorization : (apiKey ?? authorization);
}

function requireKind(route: TokenRoute, kind: Kind): void {
  if (!kindsOf[route.audience].includes(kind)) throw wrongKind(route, kind);
}

/** A browser sends the cookie with requests of any page. A session in a header was copied out of its cookie. */
function requireSameSite(route: TokenRoute, presented: Presented, { host, isSecure, header }: AuthRequest): void {
  if (!presented.isInCookie) throw wrongKind(route, 'session');
  const isChange = route.method !== 'get' || (route.writes ?? false) !== false;
  if (isCrossSite({ isChange, host, isSecure, origin: header('origin'), fetchSite: header('sec-fetch-site') })) {
    throw new AppError('forbidden', 'A page of another site may not use your session to change something here.');
  }
}

function mustChoosePassword(): AppError {
  return new AppError(
    'forbidden',
    'You must choose a new password first: POST /api/admin/user/change-password with the old one and the new one.',
  );
}

function noToken(): AppError {
  return new AppError(
    'unauthenticated',
    'You must log in to use Yardarm. Your request had no authorization header, so we could not authorize you.',
  );
}

function noBearer(): AppError {
  return new AppError(
    'unauthenticated',
    'You must log in to use Yardarm. Send the token of the signal endpoint in the header "Authorization: Bearer <token>".',
  );
}

/** Does not say whether the token is malformed, unknown, expired or revoked. */
function invalidToken(): AppError {
  return new AppError('unauthenticated', 'You must log in to use Yardarm. The token that you sent is not valid.');
}

export function wrongKind(route: TokenRoute, kind: Kind): AppError {
  const needed = {
    admin: [route.permission ?? 'ADMIN'].flat()[0],
    client: 'CLIENT',
    frontend: 'FRONTEND',
    evaluation: 'FRONTEND',
    signal: 'SIGNAL',
  }[route.audience];
  return new AppError(
    'no-access',
    `You need the "${needed}" permission to perform this action: you sent ${kindNames[kind]}, and this endpoint takes ${audienceNames[route.audience]}.`,
  );
}
