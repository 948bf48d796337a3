import * as contracts from '@yardarm/shared/contracts/flags';
import type { FlagsRig } from '../flags-rig.ts';
import { anyText, type ExpectedEvent, projectId, segmentData, type Write, write } from './write.ts';

type Data = Record<string, unknown>;

const team = { name: 'team', description: 'Owners', icon: null, color: null };

const tagTypeWrites: readonly Write[] = [
  write(
    contracts.createTagType,
    { name: 'team', description: 'Owners' },
    [{ type: 'tag-type-created', data: team }],
    'name-exists',
  ),
  write(contracts.updateTagType, { name: 'team', color: '#FFA500' }, [
    { type: 'tag-type-updated', data: { ...team, color: '#FFA500' }, preData: team },
  ]),
  write(contracts.ensureTagTypes, { tagTypes: [{ name: 'slack', description: 'Channel', icon: 'S' }] }, [
    { type: 'tag-type-created', data: { name: 'slack', description: 'Channel', icon: 'S', color: null } },
  ]),
  write(
    contracts.createTag,
    { type: 'team', value: 'sails' },
    [{ type: 'tag-created', data: { type: 'team', value: 'sails' } }],
    'name-exists',
  ),
  write(
    contracts.deleteTagType,
    { name: 'team' },
    [
      { type: 'tag-deleted', data: { type: 'team', value: 'sails' } },
      { type: 'tag-type-deleted', preData: { ...team, color: '#FFA500' } },
    ],
    'not-found',
  ),
];

const field = (name: string, changes: Data = {}): Data => ({
  ...{ name, description: null, stickiness: false, sortOrder: 0, legalValues: [], ...changes },
});
const gold = [{ value: 'gold' }];

/** The writes of a context field, of all projects or of one. */
function fieldWrites(name: string, place: { projectId: string } | undefined): Write[] {
  const project = place && { project: place.projectId };
  const data = (changes: Data = {}) => field(name, { ...project, ...changes });
  const event = (type: ExpectedEvent['type'], fields: Partial<ExpectedEvent>) => [{ type, ...project, ...fields }];
  const updated = (after: Data, before: Data) =>
    event('context-field-updated', { data: data(after), preData: data(before) });
  const send = (
    [ofAll, ofProject]: readonly [Parameters<typeof write>[0], Parameters<typeof write>[0]],
    input: Data,
    emits: ExpectedEvent[],
    again?: 'not-found' | 'name-exists',
  ) => write(place ? ofProject : ofAll, { ...place, name, ...input }, emits, again);
  const sorted = { sortOrder: 3 };
  return [
    send(
      [contracts.createContextField, contracts.createContextFieldOfProject],
      {},
      event('context-field-created', { data: data() }),
      'name-exists',
    ),
    send([contracts.updateContextField, contracts.updateContextFieldOfProject], sorted, updated(sorted, {})),
    send(
      [contracts.setLegalValue, contracts.setLegalValueOfProject],
      { value: 'gold' },
      updated({ ...sorted, legalValues: gold }, sorted),
    ),
    send(
      [contracts.deleteLegalValue, contracts.deleteLegalValueOfProject],
      { value: 'gold' },
      updated(sorted, { ...sorted, legalValues: gold }),
    ),
    send(
      [contracts.deleteContextField, contracts.deleteContextFieldOfProject],
      {},
      event('context-field-deleted', { preData: data(sorted) }),
      'not-found',
    ),
  ];
}

async function segmentNamed(rig: FlagsRig, expectedName: string): Promise<number> {
  const { segments } = await rig.ask(contracts.listSegments, {});
  return segments.find(({ name }) => name === expectedName)!.id;
}

const testers = segmentData('testers', { project: projectId });
const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['1'] }];
const checked = [{ ...constraints[0], caseInsensitive: false, inverted: false }];

const segmentWrites: readonly Write[] = [
  write(
    contracts.createSegment,
    { name: 'testers', project: projectId, constraints: [] },
    [{ type: 'segment-created', project: projectId, data: testers }],
    'name-exists',
  ),
  write(
    contracts.updateSegment,
    async (rig) => ({ id: await segmentNamed(rig, 'testers'), name: 'testers', project: projectId, constraints }),
    [
      {
        ...{ type: 'segment-updated', project: projectId },
        ...{ data: { ...testers, constraints: checked }, preData: testers },
      },
    ],
  ),
  write(
    contracts.deleteSegment,
    async (rig) => ({ id: await segmentNamed(rig, 'testers') }),
    [{ type: 'segment-deleted', project: projectId, preData: { ...testers, constraints: checked } }],
    'not-found',
  ),
];

const country = {
  ...{ name: 'country', title: 'By country', description: null, parameters: [], editable: true, deprecated: false },
};
const deprecation = (deprecated: boolean) =>
  write(contracts.setStrategyTypeDeprecated, { strategyName: 'country', deprecated }, [
    { type: deprecated ? 'strategy-deprecated' : 'strategy-reactivated', data: { name: 'country' } },
  ]);

const strategyTypeWrites: readonly Write[] = [
  write(
    contracts.createStrategyType,
    { name: 'country', title: 'By country', parameters: [] },
    [{ type: 'strategy-created', data: country }],
    'name-exists',
  ),
  write(contracts.updateStrategyType, { name: 'country', title: null, parameters: [] }, [
    { type: 'strategy-updated', data: { ...country, title: null }, preData: country },
  ]),
  deprecation(true),
  deprecation(false),
  write(
    contracts.deleteStrategyType,
    { name: 'country' },
    [{ type: 'strategy-deleted', data: { name: 'country' } }],
    'not-found',
  ),
];

const experiment = { id: 'experiment', name: anyText, description: anyText };

export const definitionWrites: readonly Write[] = [
  ...tagTypeWrites,
  ...fieldWrites('plan', undefined),
  ...fieldWrites('crew', { projectId }),
  ...segmentWrites,
  ...strategyTypeWrites,
  write(contracts.updateFeatureTypeLifetime, { id: 'experiment', lifetimeDays: 7 }, [
    {
      type: 'feature-type-updated',
      ...{ data: { ...experiment, lifetimeDays: 7 }, preData: { ...experiment, lifetimeDays: 40 } },
    },
  ]),
];
