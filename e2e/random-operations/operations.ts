import * as contracts from '@yardarm/shared/contracts/flags';
import fc from 'fast-check';
import { type Operation, operation } from './operation.ts';
import { operationsOnFlags } from './operations-on-flags.ts';
import { constraintsOf, environments, projects } from './scene.ts';

const at = { project: fc.constantFrom(...projects), environment: fc.constantFrom(...environments) };
const third = { projectId: 'third' };
const place = fc.nat({ max: 2 });
const value = fc.constantFrom('one', 'two');

const onSegmentsAndTags = [
  operation(1, 'create segment', { place }, async ({ place }, { ask, segments, prefix }) => {
    const input = { name: `${prefix}after-${segments[place]}`, constraints: [] };
    segments[place] = (await ask(contracts.createSegment, input)).id;
  }),
  operation(4, 'change segment', { place, value, description: value }, ({ place, value, description }, scene) => {
    const id = scene.segments[place]!;
    const changed = { name: `${scene.prefix}segment-${id}`, description, constraints: constraintsOf(value) };
    return scene.ask(contracts.updateSegment, { id, ...changed });
  }),
  operation(1, 'delete segment', { place }, ({ place }, { ask, segments }) =>
    ask(contracts.deleteSegment, { id: segments[place]! }),
  ),
  operation(1, 'delete tag', { value }, ({ value }, { ask }) => ask(contracts.deleteTag, { type: 'simple', value })),
];

const onPlaces = [
  operation(
    1,
    'create project',
    {},
    (_, { ask }) => ask(contracts.createProject, { id: 'third', name: 'Third' }),
    true,
  ),
  operation(1, 'archive project', {}, (_, { ask }) => ask(contracts.archiveProject, third)),
  operation(1, 'revive project', {}, (_, { ask }) => ask(contracts.reviveProject, third)),
  operation(2, 'delete project', {}, (_, { ask }) => ask(contracts.deleteProject, third), true),
  operation(
    3,
    'add environment',
    at,
    ({ project, environment }, { ask }) => ask(contracts.addProjectEnvironment, { projectId: project, environment }),
    true,
  ),
  operation(
    1,
    'remove environment',
    at,
    ({ project, environment }, { ask }) => ask(contracts.removeProjectEnvironment, { projectId: project, environment }),
    true,
  ),
  operation(
    2,
    'create environment',
    {},
    (_, { ask }) => ask(contracts.createEnvironment, { name: 'extra', type: 'test' }),
    true,
  ),
  operation(
    1,
    'clone environment',
    {},
    (_, { ask }) => {
      const clone = { name: 'extra', type: 'test', projects: ['*'] };
      return ask(contracts.cloneEnvironment, { name: 'production', clone });
    },
    true,
  ),
  operation(1, 'delete environment', {}, (_, { ask }) => ask(contracts.deleteEnvironment, { name: 'extra' }), true),
];

export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(...operationsOnFlags, ...onSegmentsAndTags, ...onPlaces);
