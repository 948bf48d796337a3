import { Link } from '@tanstack/react-router';
import type { Flag, FlagEnvironment } from '../save/after.ts';
import type { Strategy } from '../save/change.ts';
import { Badge } from '../ui/badge.tsx';
import styles from './strategy-card.module.css';
import { StrategyMenu } from './strategy-menu.tsx';
import { inWords, type SegmentNames } from './strategy-words.ts';
import { VariantShares } from './variant-shares.tsx';

interface Props {
  flag: Flag;
  environment: FlagEnvironment;
  strategy: Strategy;
  names: SegmentNames;
}

/** A strategy of a flag: for whom it is on, and what can be done with it. */
export function StrategyCard({ flag, environment, strategy, names }: Props) {
  const { title, disabled, variants, id } = strategy;
  const words = inWords(strategy, names);
  return (
    <article className={`${styles.card} ${disabled ? styles.disabled : ''}`}>
      <div className={styles.text}>
        <p className={styles.name}>
          <Link
            to="/projects/$projectId/features/$featureName/environments/$environment/strategies/$strategyId"
            params={{ projectId: flag.project, featureName: flag.name, environment: environment.name, strategyId: id }}
          >
            {title || words}
          </Link>{' '}
          {disabled && <Badge>disabled</Badge>}
        </p>
        {title && <p className={styles.quiet}>{words}</p>}
        {variants.length > 0 && <VariantShares variants={variants} />}
      </div>
      <StrategyMenu {...{ flag, environment, strategy, names }} />
    </article>
  );
}
