import type { ServedContext } from '@yardarm/shared/bus';
import type { patchFeature as contract, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { GroupCommit } from '../changes/group-commit.ts';

export interface Patch {
  input: z.output<typeof contract.input>;
  context: ServedContext;
}

export type Patches = GroupCommit<Patch, VersionedFeature>;
