import { randomBytes, randomUUID } from 'node:crypto';
import { makeToken } from '@yardarm/shared/auth';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import { findExistingSelectors, type ResolvedToken, resolveToken } from '@yardarm/shared/contracts/accounts';
import { createLogger } from '@yardarm/shared/log';
import { inject } from 'vitest';
import { createTokens, type Tokens } from '../auth/tokens.ts';
import { createUnknownTokenLimit } from '../auth/unknown-token-limit.ts';

export const log = createLogger({ service: 'test', level: 'silent' });
export const sdk = makeToken('*:development.');
export const admin = makeToken('*:*.');

export function resolved(made: typeof sdk, part: Partial<ResolvedToken> = {}): ResolvedToken {
  return {
    ...{ id: 1, kind: 'client', name: 'sdk', selector: made.selector, hash: made.hash, expiresAt: null },
    ...{ environment: 'development', projects: ['*'], actor: null, mustChangePassword: false },
    ...part,
  } as ResolvedToken;
}

export function actorOf(id: number): NonNullable<ResolvedToken['actor']> {
  return { kind: id < 0 ? 'admin-token' : 'user', id, username: `user-${id}`, grants: [{ permissions: ['ADMIN'] }] };
}

/** The gateway's cache of tokens, over a real bus with a stand-in for accounts that knows two tokens. */
export class TokensUnderTest {
  readonly prefix: string;
  readonly gateway: Bus;
  readonly accounts: Bus;
  /** What accounts knows, by selector. */
  readonly stored = new Map([
    [sdk.selector, resolved(sdk)],
    [admin.selector, resolved(admin, { kind: 'admin', environment: null, actor: actorOf(-42) })],
  ]);
  readonly asked: string[] = [];
  /** The requests for many selectors. */
  readonly checked: string[][] = [];
  /** Runs in accounts between the lookup of a token and the answer. */
  beforeAnswer: (selector: string) => Promise<void> = async () => undefined;
  now = Date.now();
  tokens: Tokens;

  private constructor(prefix: string, gateway: Bus, accounts: Bus) {
    this.prefix = prefix;
    this.gateway = gateway;
    this.accounts = accounts;
    accounts.serve(resolveToken, async ({ selector }) => {
      this.asked.push(selector);
      const token = this.stored.get(selector) ?? null;
      await this.beforeAnswer(selector);
      return { token };
    });
    accounts.serve(findExistingSelectors, async ({ selectors }) => {
      this.checked.push(selectors);
      return { existing: selectors.filter((selector) => this.stored.has(selector)) };
    });
    this.tokens = createTokens(
      gateway,
      createUnknownTokenLimit(3, () => this.now),
      { clock: () => this.now },
    );
  }

  static async start(): Promise<TokensUnderTest> {
    const prefix = `t${randomBytes(6).toString('hex')}`;
    const options = { url: inject('natsUrl'), prefix, log };
    const [gateway, accounts] = await Promise.all([
      connectBus({ ...options, name: 'gateway' }),
      connectBus({ ...options, name: 'accounts' }),
    ]);
    const rig = new TokensUnderTest(prefix, gateway, accounts);
    await Promise.all([accounts.flush(), gateway.flush()]);
    return rig;
  }

  context(): RequestContext {
    return { requestId: randomUUID(), actor: null, deadline: Date.now() + 2_000, traceparent: null };
  }

  async find(made: typeof sdk, address = '10.0.0.1'): Promise<ResolvedToken | null> {
    return this.tokens.find(made, { context: this.context(), address });
  }

  async stop(): Promise<void> {
    this.tokens.stop();
    await Promise.all([this.gateway.drain(), this.accounts.drain()]);
  }
}
