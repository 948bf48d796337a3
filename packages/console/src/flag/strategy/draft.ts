import type { Schemas } from '../../api/client.ts';
import type { Constraint, StrategySettings, StrategyVariant } from '../../save/change.ts';

/** A list item of a form keeps its key while other items come and go. */
export type Keyed<Item> = Item & { key: number };

/** A strategy while it is edited. */
export interface Draft extends Omit<StrategySettings, 'constraints' | 'variants'> {
  constraints: Keyed<Constraint>[];
  variants: Keyed<StrategyVariant>[];
}

let lastKey = 0;

export function keyed<Item>(item: Item): Keyed<Item> {
  lastKey += 1;
  return { ...item, key: lastKey };
}

export function toDraft(strategy: StrategySettings): Draft {
  return { ...strategy, constraints: strategy.constraints.map(keyed), variants: strategy.variants.map(keyed) };
}

/** As it is sent. */
export function fromDraft({ constraints, variants, title, ...rest }: Draft): StrategySettings {
  return {
    ...rest,
    title: title?.trim() || null,
    constraints: constraints.map(({ key: _key, ...constraint }) => constraint),
    variants: variants.map(({ key: _key, ...variant }) => variant),
  };
}

type StrategyType = Schemas['strategySchema'];

/** A strategy of the type before anything is chosen. */
export function emptyStrategy(type: string, feature: string, stickiness = 'default'): StrategySettings {
  const parameters: Record<string, string> =
    type === 'flexibleRollout' ? { rollout: '100', stickiness, groupId: feature } : {};
  return { name: type, title: null, disabled: false, segments: [], constraints: [], variants: [], parameters };
}

/** For the default strategy of a project, which suits each of its flags. */
export function asDefault(type: StrategyType): StrategyType {
  const parameters = type.parameters.map((parameter) =>
    parameter.name === 'groupId'
      ? { ...parameter, required: false, description: 'Empty: each flag is a group of its own' }
      : parameter,
  );
  return { ...type, parameters };
}

/** The parameters of another type: those of the same name stay, and others get their first value. */
export function parametersFor(
  { name, parameters }: StrategyType,
  present: Record<string, string>,
  feature: string,
): Record<string, string> {
  const initial = emptyStrategy(name, feature).parameters;
  const share = present.rollout ?? present.percentage ?? '100';
  return Object.fromEntries(
    parameters.map((parameter) => {
      const isShare = parameter.name === 'rollout' || parameter.name === 'percentage';
      return [parameter.name, isShare ? share : (present[parameter.name] ?? initial[parameter.name] ?? '')];
    }),
  );
}
