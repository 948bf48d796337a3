import type { ServedContext } from '@yardarm/shared/bus';
import type { validateImport as contract, ImportProblem, ImportProblems } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { actorOf } from '../changes/record-change.ts';
import type { FlagsResources } from '../resources.ts';
import { isBuiltIn } from '../targeting/strategies/known-strategies.ts';
import { leaveOutArchived } from './archived-flags.ts';
import { type ReadDocument, withDocument } from './import-document.ts';
import { type ImportPlan, planImport } from './import-plan.ts';
import { readImportTarget } from './prepare-import.ts';
import { inMessages } from './problems.ts';
import { missingPermissions } from './required-permissions.ts';

/** Writes nothing, and locks no flag. */
export async function validateImport(
  resources: FlagsResources,
  { document: sent }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<ImportProblems> {
  return await withDocument(resources, sent, context, (read) => problemsOf(resources, read, context));
}

async function problemsOf(
  resources: FlagsResources,
  read: ReadDocument,
  context: ServedContext,
): Promise<ImportProblems> {
  const target = await readImportTarget(resources, read, context);
  const { document, leftOut } = leaveOutArchived(read, target);
  const plan = await planImport(document, target, { limits: resources.limits, deadline: context.deadline });
  const missing = missingPermissions(plan, actorOf(context), document.place).map((names) => names.join(' or '));
  const message = 'You need these permissions for the changes of the import:';
  return {
    errors: inMessages(plan.problems.list()),
    warnings: inMessages([...warningsOf(plan), ...leftOut]),
    permissions: missing.length === 0 ? [] : [{ message, affectedItems: missing }],
  };
}

function warningsOf({ flags }: ImportPlan): ImportProblem[] {
  const switched = (isOn: boolean) =>
    flags.filter(({ enabled }) => enabled === isOn).map(({ imported }) => imported.name);
  const existing = flags.filter(({ before }) => before !== null).map(({ imported }) => imported.name);
  const custom = flags.flatMap(({ strategies }) =>
    (strategies?.added ?? []).map(({ name }) => name).filter((name) => !isBuiltIn(name)),
  );
  return [
    { message: 'These flags exist in the project and will be overwritten:', affectedItems: existing },
    { message: 'These flags will be switched on in the environment:', affectedItems: switched(true) },
    { message: 'These flags will be switched off in the environment:', affectedItems: switched(false) },
    {
      message: 'These custom strategy types will be used. Their parameters should be defined as where they come from:',
      affectedItems: [...new Set(custom)],
    },
  ].filter(({ affectedItems }) => affectedItems.length > 0);
}
