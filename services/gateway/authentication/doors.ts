import { isSameHash, readToken, tokenOfHeader } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { resolveSignalToken } from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import type { Door, Route, SignalSender } from '../http/route.ts';
import type { Tokens } from './tokens.ts';

/** Who came in, and by which token: an actor on admin routes, a token on client routes, a sender on signal routes. */
export interface Opened {
  actor: Actor | null;
  token: ResolvedToken | null;
  sender: SignalSender | null;
}

/** What a request shows at the door. */
export interface Knock {
  authorization: string | undefined;
  params: Readonly<Record<string, unknown>>;
  context: RequestContext;
}

/** Which kinds of token open which door. Signal routes take a token of the endpoint that their path names, and no other. */
const opens: Record<Exclude<Door, 'public' | 'signal'>, readonly ResolvedToken['kind'][]> = {
  admin: ['admin', 'personal', 'session'],
  client: ['client'],
};

const kindInWords: Record<ResolvedToken['kind'], string> = {
  admin: 'an admin token',
  personal: 'a personal access token or a token of a service account',
  client: 'a client token',
  frontend: 'a frontend token',
  session: 'a session',
};

const fittingInWords: Record<Door, string> = {
  admin: 'an admin token, a personal access token or a token of a service account',
  client: 'a client token',
  signal: 'a token of the signal endpoint',
  public: 'any',
};

/** The gateway's doors. `open` throws `unauthenticated` without a valid token and `no-access` with one of the wrong kind. */
export function createDoors(bus: Bus, tokens: Tokens): { open(route: Route, knock: Knock): Promise<Opened> } {
  async function resolveSignal(endpointName: string, selector: string, hash: string, context: RequestContext) {
    const { endpoint, token } = await bus.request(resolveSignalToken, { endpointName, selector }, context);
    return { endpoint, token: token && isSameHash(token.hash, hash) ? token : null };
  }

  async function openSignalDoor(route: Route, knock: Knock): Promise<SignalSender> {
    const presented = presentedToken(knock.authorization);
    // A longer name than any endpoint can have finds none, without being carried about.
    const name = String(knock.params.name).slice(0, 200);
    const { endpoint, token } = await resolveSignal(name, presented.selector, presented.hash, knock.context);
    if (!token) {
      const other = await tokens.find(presented, knock.context);
      throw other ? wrongKind(route, kindInWords[other.kind]) : invalidToken();
    }
    if (!endpoint?.enabled)
      throw new AppError('not-found', `Could not find the signal endpoint "${name.slice(0, 100)}".`);
    if (token.endpointId !== endpoint.id) throw invalidToken();
    return { endpointId: endpoint.id, tokenId: token.id };
  }

  return {
    async open(route, knock) {
      if (route.door === 'public') return { actor: null, token: null, sender: null };
      if (route.door === 'signal') return { actor: null, token: null, sender: await openSignalDoor(route, knock) };
      const presented = presentedToken(knock.authorization);
      const token = await tokens.find(presented, knock.context);
      if (!token) {
        const isSignalToken =
          presented.isSignalShaped &&
          (await resolveSignal('', presented.selector, presented.hash, knock.context)).token;
        throw isSignalToken ? wrongKind(route, 'a signal endpoint token') : invalidToken();
      }
      if (!opens[route.door].includes(token.kind)) throw wrongKind(route, kindInWords[token.kind]);
      return { actor: token.actor, token, sender: null };
    },
  };
}

function presentedToken(authorization: string | undefined) {
  const text = tokenOfHeader(authorization);
  if (text === null) {
    throw new AppError(
      'unauthenticated',
      'You must log in to use Yardarm. Your request had no authorization header, so we could not authorize you.',
    );
  }
  const presented = readToken(text);
  if (!presented) throw invalidToken();
  return { ...presented, isSignalShaped: text.startsWith('signal_') };
}

/** A token that is malformed, unknown, expired or revoked: which of them is nobody's business. */
function invalidToken(): AppError {
  return new AppError(
    'unauthenticated',
    'You must log in to use Yardarm. The token in your authorization header is not valid.',
  );
}

function wrongKind(route: Route, kind: string): AppError {
  const needed = { admin: [route.permission ?? 'ADMIN'].flat()[0], client: 'CLIENT', signal: 'SIGNAL', public: 'NONE' }[
    route.door
  ];
  return new AppError(
    'no-access',
    `You need the "${needed}" permission to perform this action: you sent ${kind}, and this endpoint takes ${fittingInWords[route.door]}.`,
  );
}
