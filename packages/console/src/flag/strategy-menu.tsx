import { useMissing } from '../app/session.ts';
import type { Flag, FlagEnvironment } from '../save/after.ts';
import { type Strategy, settingsOf } from '../save/change.ts';
import { useSave } from '../save/save.tsx';
import { nameOf } from '../save/words.ts';
import { MenuItem } from '../ui/menu.tsx';
import { MoreMenu } from '../ui/more-menu.tsx';
import { orderChange } from './order-change.ts';
import type { SegmentNames } from './strategy-words.ts';

interface Props {
  flag: Flag;
  environment: FlagEnvironment;
  strategy: Strategy;
  names: SegmentNames;
}

/** What can be done with a strategy where it is: move, disable, copy, delete. */
export function StrategyMenu({ flag, environment, strategy, names }: Props) {
  const save = useSave();
  const missing = useMissing();
  const { project, name: feature } = flag;
  const { strategies } = environment;
  const place = placeOf(environment);
  const index = strategies.indexOf(strategy);
  const off = (permission: string, { name } = environment) => missing(permission, project, name);
  const apply = (change: Parameters<typeof save>[1]) => void save({ project, feature }, change);
  const moveTo = (position: number) => apply(orderChange(environment, index, position));

  return (
    <MoreMenu label={nameOf(strategy, names)}>
      {index > 0 && (
        <MenuItem offBecause={off('UPDATE_FEATURE_STRATEGY')} onClick={() => moveTo(index - 1)}>
          Move up
        </MenuItem>
      )}
      {index < strategies.length - 1 && (
        <MenuItem offBecause={off('UPDATE_FEATURE_STRATEGY')} onClick={() => moveTo(index + 1)}>
          Move down
        </MenuItem>
      )}
      <MenuItem
        offBecause={off('UPDATE_FEATURE_STRATEGY')}
        onClick={() =>
          apply({
            ...{ ...place, kind: 'edit-strategy', before: strategy },
            after: { ...settingsOf(strategy), disabled: !strategy.disabled },
          })
        }
      >
        {strategy.disabled ? 'Enable' : 'Disable'}
      </MenuItem>
      {flag.environments.map((to) => (
        <MenuItem
          key={to.name}
          offBecause={off('CREATE_FEATURE_STRATEGY', to)}
          onClick={() => apply({ ...placeOf(to), kind: 'add-strategy', strategy: settingsOf(strategy) })}
        >
          {to.name === environment.name ? 'Copy here' : `Copy to ${to.name}`}
        </MenuItem>
      ))}
      <MenuItem
        isDangerous
        offBecause={off('DELETE_FEATURE_STRATEGY')}
        onClick={() => apply({ ...place, kind: 'delete-strategy', before: strategy })}
      >
        Delete
      </MenuItem>
    </MoreMenu>
  );
}

const placeOf = ({ name, type }: FlagEnvironment) => ({ environment: name, environmentType: type });
