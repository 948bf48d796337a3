import { requestBeforeChange, type ServedContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import { resolveActor } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { FlagsResources } from '../../resources.ts';

/**
 * The service account that does a step, with the permissions that accounts names. The sender of the step chooses which
 * one, and nothing else: the grants in its request do not count. An account that does not exist has no permission; its
 * step still has the outcome of an earlier delivery. Throws `unavailable` while accounts does not answer.
 */
export async function resolveAccount(
  { bus }: Pick<FlagsResources, 'bus'>,
  serviceAccountId: number | undefined,
  context: ServedContext,
): Promise<Actor> {
  const id = serviceAccountId ?? accountOfEarlierSender(context);
  const ask = { ...context, actor: null };
  const { actor } = await requestBeforeChange(ask, (inner) =>
    bus.request(resolveActor, { serviceAccountId: id }, inner),
  );
  return actor ?? { kind: 'service-account', id, username: `${id}`, grants: [] };
}

/** FOR ONE RELEASE: signals of the release before names the account as the actor of the request. */
function accountOfEarlierSender({ actor }: ServedContext): number {
  if (actor?.kind !== 'service-account') throw new AppError('no-access', 'Only a service account does steps.');
  return actor.id;
}
