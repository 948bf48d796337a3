import { useMissing } from '../app/session.ts';
import type { Flag, FlagEnvironment } from '../save/after.ts';
import { useSave } from '../save/save.tsx';
import { orderChange } from './order-change.ts';
import { StrategyCard } from './strategy-card.tsx';
import styles from './strategy-list.module.css';
import type { SegmentNames } from './strategy-words.ts';
import { useDragOrder } from './use-drag-order.ts';

interface Props {
  flag: Flag;
  environment: FlagEnvironment;
  names: SegmentNames;
}

/** The strategies of a flag in an environment. They are ordered by dragging, or by the menu of each. */
export function StrategyList({ flag, environment, names }: Props) {
  const save = useSave();
  const missing = useMissing();
  const { list, handleOf, markOf } = useDragOrder(
    (from, to) => void save({ project: flag.project, feature: flag.name }, orderChange(environment, from, to)),
  );
  const { name, strategies } = environment;
  const canMove = strategies.length > 1 && missing('UPDATE_FEATURE_STRATEGY', flag.project, name) === null;
  return (
    <ol ref={list} className={styles.list} aria-label={`Strategies in ${name}`}>
      {strategies.map((strategy, index) => (
        <li key={strategy.id} className={styles.item} data-mark={markOf(index)}>
          {canMove && (
            <span className={styles.handle} title="Drag to change the order" aria-hidden="true" {...handleOf(index)}>
              ⠿
            </span>
          )}
          <StrategyCard {...{ flag, environment, strategy, names }} />
        </li>
      ))}
    </ol>
  );
}
