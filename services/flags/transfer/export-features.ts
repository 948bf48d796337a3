import { encodeOutput, type Frame, piecesOf, readAhead, type ServedContext } from '@yardarm/shared/bus';
import { exportFeatures as contract, type ExportedFeatures } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { recordChangeAtOnce } from '../changes/record-change.ts';
import type { FlagsTables } from '../db/schema.ts';
import { runLargeRead } from '../large-reads.ts';
import { findMissingEnvironments } from '../places/environments/environments.repo.ts';
import { hasProject } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { type ExportedItem, findExportedNames, readExport } from './export.repo.ts';
import { inEvents } from './import-events.ts';

type Input = z.output<typeof contract.input>;

/**
 * An export is recorded in the log. It is encoded in parts, between which other requests run. A slow caller occupies
 * the memory of the deflated parts alone.
 */
export function exportFeatures(resources: FlagsResources, input: Input, context: ServedContext): AsyncGenerator<Frame> {
  return readAhead(
    (push) =>
      runLargeRead(resources, context, async () => {
        const slicer = new TimeSlicer(context);
        const items = await recordExport(resources, input, context, slicer);
        if (items.length === 0) push(encodeOutput(contract, toExport([])));
        for (const piece of piecesOf(items)) {
          await slicer.next();
          push(encodeOutput(contract, toExport(piece)));
        }
      }),
    context,
  );
}

async function recordExport(
  resources: FlagsResources,
  { environment, downloadFile: _, ...filter }: Input,
  context: ServedContext,
  slicer: TimeSlicer,
): Promise<ExportedItem[]> {
  return await recordChangeAtOnce(resources, async (trx, emit) => {
    await requirePlaces(trx, environment, filter.project);
    const names = await findExportedNames(trx, filter);
    requireAll(filter.features ?? [], names);
    const found: ExportedItem[] = [];
    for await (const items of readExport(trx, names, environment, slicer)) found.push(...items);
    const { project } = filter;
    await emit(
      ...inEvents(names).map((features) => ({
        ...{ context, orderingKey: `export:${context.requestId}` },
        events: [
          {
            ...{ type: 'features-exported' as const, environment, data: { features } },
            ...(project !== undefined && { project }),
          },
        ],
      })),
    );
    return found;
  });
}

function toExport(items: readonly ExportedItem[]): ExportedFeatures {
  const kinds = Map.groupBy(items, ({ kind }) => kind);
  const of = <Kind extends keyof ExportedFeatures>(kind: Kind) =>
    (kinds.get(kind) ?? []).map(({ value }) => value) as ExportedFeatures[Kind];
  return {
    features: of('features'),
    featureStrategies: of('featureStrategies'),
    featureEnvironments: of('featureEnvironments'),
    contextFields: of('contextFields').map(({ project, ...field }) => ({ ...field, ...(project && { project }) })),
    featureTags: of('featureTags'),
    segments: of('segments'),
    tagTypes: of('tagTypes'),
    dependencies: of('dependencies'),
    links: of('links'),
  };
}

async function requirePlaces(
  trx: Transaction<FlagsTables>,
  environment: string,
  project: string | undefined,
): Promise<void> {
  const [missing] = await findMissingEnvironments(trx, [environment]);
  if (missing !== undefined) throw unknown('environment', missing, 'an existing environment');
  if (project !== undefined && !(await hasProject(trx, project))) {
    throw unknown('project', project, 'an existing project');
  }
}

function requireAll(asked: readonly string[], names: readonly string[]): void {
  const found = new Set(names);
  const missing = asked.find((name) => !found.has(name));
  if (missing !== undefined) throw unknown('features', missing, 'names of flags');
}

function unknown(property: string, value: string, words: string): AppError {
  return new AppError('bad-data', `The .${property} property should be ${words}. You sent ${redactValue(value, [])}.`);
}
