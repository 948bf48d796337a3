import type { ServedContext } from '@yardarm/shared/bus';
import type { deleteFeatureLink as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { changeLinks } from './change-links.ts';
import { linkNotFound } from './link.ts';
import { deleteLinkRow } from './links.repo.ts';

export async function deleteLink(
  resources: FlagsResources,
  { linkId: id, ...place }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await changeLinks(resources, place, context, async (trx, links) => {
    if (links.every((link) => link.id !== id)) throw linkNotFound(id);
    await deleteLinkRow(trx, id);
  });
}
