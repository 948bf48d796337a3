import type { ServedContext } from '@yardarm/shared/bus';
import type { describeApplication as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { actorOf, recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { usageBounds } from '../usage.ts';
import { applicationEventData, applicationOrderingKey, tooManyApplications } from './application.ts';
import { countDescribedApplications, insertApplication, updateApplication } from './applications.repo.ts';

/** A new application has an event. What administrators say of it is for people and has none. */
export async function describeApplication(
  resources: FlagsResources,
  { appName: name, ...said }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const isNew = await insertApplication(trx, { name });
    await updateApplication(trx, { name, ...said });
    if (!isNew) return;
    const limit = usageBounds.applications;
    if ((await countDescribedApplications(trx)) > limit) throw tooManyApplications(limit);
    const data = applicationEventData({ name, ...said }, actorOf(context).username);
    const events = [{ type: 'application-created' as const, data }];
    await emit({ context, orderingKey: applicationOrderingKey(name), events });
  });
}
