import { type PresentedToken, readToken, requirePermission, tokenOfHeader } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { ResolvedToken, TokenKind } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { Audience, Route, SignalSender } from '../http/route.ts';
import { isCrossSite } from './cross-site.ts';
import type { SeenTokens } from './seen-tokens.ts';
import { readSessionCookie } from './session-cookie.ts';
import type { SignalTokens } from './signal-tokens.ts';
import type { Tokens } from './tokens.ts';

/** Who came in, and by which token: an actor on admin routes, a token on SDK routes, a sender on signal routes. */
export interface AuthResult {
  actor: Actor | null;
  token: ResolvedToken | null;
  sender: SignalSender | null;
}

/** What authentication reads of a request. */
export interface Credentials {
  method: string;
  /** The host that was asked, with its port. */
  host: string | undefined;
  params: Readonly<Record<string, unknown>>;
  /** A request header's value, by its lower-case name. */
  header(name: string): string | undefined;
}

/** What a request shows at the door. */
export interface AuthRequest extends Credentials {
  address: string;
  context: RequestContext;
}

type Kind = TokenKind | 'signal';

/** Which kinds of token open which door. Whatever is not here opens nothing. */
const kindsOf: Record<Exclude<Audience, 'public'>, readonly Kind[]> = {
  admin: ['admin', 'personal', 'session'],
  client: ['client'],
  frontend: ['frontend'],
  signal: ['signal'],
};

const kindWords: Record<Kind, string> = {
  admin: 'an admin token',
  personal: 'a personal access token or a token of a service account',
  client: 'a client token',
  frontend: 'a frontend token',
  session: 'a session, which comes in its cookie alone',
  signal: 'a signal endpoint token',
};

const audienceWords: Record<Audience, string> = {
  admin: 'an admin token, a personal access token or a token of a service account',
  client: 'a client token',
  frontend: 'a frontend token',
  signal: 'a token of the signal endpoint',
  public: 'any',
};

interface Presented {
  text: string;
  read: PresentedToken;
  isSignalShaped: boolean;
  isInCookie: boolean;
}

/**
 * The gateway's doors. A request passes, in this order:
 *
 *   1. a token there is, and it is valid: else `unauthenticated` (`rate-limited` after too many unknown ones, `unavailable` when it
 *      cannot be known)
 *   2. its kind opens this door: else `no-access`
 *   3. a session is used by a page of this site: else `forbidden`
 *   4. its owner has no password to choose first: else `forbidden`
 *   5. its actor holds the route's permission at the place that the path names: else `no-access`
 *
 * Only then the request is read. The service that owns the resource checks the permission again.
 */
export interface Authenticator {
  authenticate(route: Route, authRequest: AuthRequest): Promise<AuthResult>;
  /** The same without waiting. Null when that takes a question to another service; throws the same refusals. */
  authenticateNow(route: Route, credentials: Credentials): AuthResult | null;
}

/**
 * Texts of tokens that were let in are not hashed again with every request: that is most of what authentication from memory costs. A few
 * thousand callers share a gateway; each entry is some 300 bytes.
 */
const maxHashed = 5_000;

/** Makes the doors. */
export function createAuthenticator(
  tokens: Tokens,
  signalTokens: SignalTokens,
  seen: Pick<SeenTokens, 'note'>,
): Authenticator {
  /**
   * What was read of the texts that were let in, the oldest first. It says nothing of whether a token is good: that is asked every time.
   * Guesses are not kept, and a lookup by V8's seeded hash tells them nothing of the texts that are.
   */
  const hashed = new Map<string, PresentedToken>();

  /** The header's token, or on admin routes the cookie's when there is no header. */
  function presentedToken(route: Route, { header }: Credentials): Presented {
    const authorization = header('authorization');
    const inHeader = tokenOfHeader(authorization);
    const isCookieRead = route.audience === 'admin' && authorization === undefined;
    const inCookie = isCookieRead ? readSessionCookie(header('cookie')) : null;
    const text = inHeader ?? inCookie;
    if (text === null) {
      throw new AppError(
        'unauthenticated',
        'You must log in to use Yardarm. Your request had no authorization header, so we could not authorize you.',
      );
    }
    const read = hashed.get(text) ?? readToken(text);
    if (!read) throw invalidToken();
    // A secret begins with these letters exactly when it is a signal endpoint's: which service to ask is seen from outside.
    return { text, read, isSignalShaped: text.startsWith('signal_'), isInCookie: inHeader === null };
  }

  async function openToSender(route: Route, presented: Presented, authRequest: AuthRequest): Promise<AuthResult> {
    // A longer name than any endpoint can have finds none, without being carried about.
    const name = route.audience === 'signal' ? String(authRequest.params.name).slice(0, 200) : '';
    const found = await signalTokens.find(presented.read, name, authRequest.context, authRequest.address);
    if (!found) throw invalidToken();
    requireKind(route, 'signal');
    if (!found.endpoint?.enabled)
      throw new AppError('not-found', `Could not find the signal endpoint "${name.slice(0, 100)}".`);
    if (found.token.endpointId !== found.endpoint.id) throw invalidToken();
    return { actor: null, token: null, sender: { endpointId: found.endpoint.id, tokenId: found.token.id } };
  }

  function authorize(
    route: Route,
    presented: Presented,
    token: ResolvedToken | null,
    credentials: Credentials,
  ): AuthResult {
    if (!token || (presented.isInCookie && token.kind !== 'session')) throw invalidToken();
    requireKind(route, token.kind);
    if (token.kind === 'session') requireOwnPage(route, presented, credentials);
    seen.note(token.id);
    if (!hashed.has(presented.text)) hashed.set(presented.text, presented.read);
    if (hashed.size > maxHashed) hashed.delete(hashed.keys().next().value as string);
    if (token.mustChangePassword && !route.beforePasswordChange) throw passwordFirst();
    if (token.actor && route.permission) {
      const { projectId, environment } = credentials.params;
      requirePermission(token.actor, route.permission, {
        project: typeof projectId === 'string' ? projectId : undefined,
        environment: typeof environment === 'string' ? environment : undefined,
      });
    }
    return { actor: token.actor, token, sender: null };
  }

  return {
    async authenticate(route, authRequest) {
      if (route.audience === 'public') return { actor: null, token: null, sender: null };
      const presented = presentedToken(route, authRequest);
      if (presented.isSignalShaped) return openToSender(route, presented, authRequest);
      return authorize(
        route,
        presented,
        await tokens.find(presented.read, authRequest.context, authRequest.address),
        authRequest,
      );
    },
    authenticateNow(route, credentials) {
      if (route.audience === 'public') return null;
      const presented = presentedToken(route, credentials);
      const token = presented.isSignalShaped ? null : tokens.findNow(presented.read);
      return token && authorize(route, presented, token, credentials);
    },
  };
}

function requireKind(route: Route, kind: Kind): void {
  if (route.audience === 'public' || kindsOf[route.audience].includes(kind)) return;
  throw wrongKind(route, kind);
}

/** A browser sends a session's cookie whoever asks it to; a session in a header was taken out of its cookie. */
function requireOwnPage(route: Route, presented: Presented, { method, host, header }: Credentials): void {
  if (!presented.isInCookie) throw wrongKind(route, 'session');
  if (isCrossSite({ method, host, origin: header('origin'), fetchSite: header('sec-fetch-site') })) {
    throw new AppError('forbidden', 'A page of another site may not use your session to change something here.');
  }
}

function passwordFirst(): AppError {
  return new AppError(
    'forbidden',
    'You must choose a new password first: POST /api/admin/user/change-password with the old one and the new one.',
  );
}

/** A token that is malformed, unknown, expired or revoked: which of them is nobody's business. */
function invalidToken(): AppError {
  return new AppError('unauthenticated', 'You must log in to use Yardarm. The token that you sent is not valid.');
}

/** The refusal of a good token whose kind does not open the route's door. */
export function wrongKind(route: Route, kind: Kind): AppError {
  const needed = {
    admin: [route.permission ?? 'ADMIN'].flat()[0],
    client: 'CLIENT',
    frontend: 'FRONTEND',
    signal: 'SIGNAL',
    public: 'NONE',
  }[route.audience];
  return new AppError(
    'no-access',
    `You need the "${needed}" permission to perform this action: you sent ${kindWords[kind]}, and this endpoint takes ${audienceWords[route.audience]}.`,
  );
}
