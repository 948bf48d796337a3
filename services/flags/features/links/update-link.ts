import type { ServedContext } from '@yardarm/shared/bus';
import type { updateFeatureLink as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { changeLinks } from './change-links.ts';
import { linkNotFound } from './link.ts';
import { updateLinkRow } from './links.repo.ts';

/** As in the public product, a link keeps its title when the caller gives none. */
export async function updateLink(
  resources: FlagsResources,
  { linkId: id, url, title, ...place }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await changeLinks(resources, place, context, async (trx, links) => {
    const link = links.find((one) => one.id === id);
    if (!link) throw linkNotFound(id);
    await updateLinkRow(trx, { id, url, title: title === undefined ? link.title : title });
  });
}
