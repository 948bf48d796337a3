import type { ServedContext } from '@yardarm/shared/bus';
import type { createFeatureLink as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { changeLinks } from './change-links.ts';
import { maxLinks, tooManyLinks } from './link.ts';
import { insertLink } from './links.repo.ts';

export async function createLink(
  resources: FlagsResources,
  { url, title = null, ...place }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await changeLinks(resources, place, context, async (trx, links) => {
    if (links.length >= maxLinks) throw tooManyLinks();
    await insertLink(trx, place.featureName, { url, title });
  });
}
