import { randomUUID } from 'node:crypto';
import { readToken } from '@yardarm/shared/auth';
import * as contracts from '@yardarm/shared/contracts/accounts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { findMissingProjectsAndEnvironments, type Incarnation } from '@yardarm/shared/contracts/flags';
import { contextOf } from '@yardarm/testing/callers';
import { publishedEvent } from '@yardarm/testing/events';
import { type ServiceRig, startServiceRig } from '@yardarm/testing/service-rig';
import { loadAccountsConfig } from '../config.ts';
import { type AccountsOverrides, startAccounts } from '../service.ts';

export { admin, contextOf, race } from '@yardarm/testing/callers';

export interface AccountsRig extends ServiceRig<AccountsOverrides> {
  /** What a gateway gets for a token; null when the token is not valid. */
  resolved(secret: string): Promise<contracts.ResolvedToken | null>;
  /** The stand-in for flags: what it has, with the times of their creation, and what happens before it answers. */
  flags: { projects: Map<string, string>; environments: Map<string, string>; beforeAnswer(): Promise<void> };
  announce(event: Partial<PublishedEvent>): Promise<void>;
  /** The hints of accounts since the rig started. */
  hints: { tokenChanged: string[]; accessChanged: (number | null)[] };
}

/** Starts the rig. A stand-in answers for flags, with `default`, `other`, `development` and `production`. */
export async function startAccountsRig(settings: Record<string, string> = {}): Promise<AccountsRig> {
  const madeAtStart = (...ids: string[]) => new Map(ids.map((id) => [id, '2026-01-01T00:00:00.000Z']));
  const [projects, environments] = [madeAtStart('default', 'other'), madeAtStart('development', 'production')];
  const flags: AccountsRig['flags'] = { projects, environments, beforeAnswer: async () => {} };
  const hints: AccountsRig['hints'] = { tokenChanged: [], accessChanged: [] };
  const rig = await startServiceRig<AccountsOverrides>({
    ...{ name: 'accounts', settings },
    // Without a first admin, so that tests create all users themselves.
    start: (all, log, overrides = { makesInitialAdmin: false }) =>
      startAccounts(loadAccountsConfig(all), log, overrides),
    prepare(bus) {
      bus.serve(findMissingProjectsAndEnvironments, async (requested) => {
        const found = (kind: Incarnation['kind'], ids: readonly string[], existing: ReadonlyMap<string, string>) =>
          ids.flatMap((id): Incarnation[] => (existing.has(id) ? [{ kind, id, createdAt: existing.get(id)! }] : []));
        const answer = {
          projects: requested.projects.filter((id) => !projects.has(id)),
          environments: requested.environments.filter((name) => !environments.has(name)),
          found: [
            ...found('project', requested.projects, projects),
            ...found('environment', requested.environments, environments),
          ],
        };
        await flags.beforeAnswer();
        return answer;
      });
      bus.onHint(contracts.tokenChangedHint, ({ selector }) => void hints.tokenChanged.push(selector));
      bus.onHint(contracts.accessChangedHint, ({ userId }) => void hints.accessChanged.push(userId));
    },
  });
  await rig.service.processAll();

  return {
    ...rig,
    ...{ hints, flags },
    async announce(event) {
      const whole = publishedEvent(event);
      await rig.bus.publish(`evt.flags.${whole.type}`, whole, { msgId: randomUUID() });
    },
    async resolved(secret) {
      const { selector } = readToken(secret)!;
      return (await rig.bus.request(contracts.resolveToken, { selector }, contextOf(null))).token;
    },
  };
}

export const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString();

export function refusal(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  return promise.then(
    () => {
      throw new Error('was not refused');
    },
    ({ code, message }) => ({ code, message }),
  );
}
