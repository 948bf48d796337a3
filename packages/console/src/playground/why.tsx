import type { Schemas } from '../api/client.ts';
import { constraintInWords } from '../flag/strategy-words.ts';
import styles from './why.module.css';

type Evaluation = Schemas['advancedPlaygroundEnvironmentFeatureSchema'];
type Strategy = Schemas['playgroundStrategySchema'];
type Constraint = Schemas['playgroundConstraintSchema'];

/** Why a flag is on or off: each strategy, its constraints and its segments, with what came out. */
export function Why({ evaluation }: { evaluation: Evaluation }) {
  const { isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, strategies } = evaluation;
  return (
    <ul className={styles.reasons}>
      {!isEnabledInCurrentEnvironment && <li>The flag is switched off in this environment.</li>}
      {hasUnsatisfiedDependency && <li>A flag that it depends on is not in the state it needs.</li>}
      {strategies.data.length === 0 && <li>It has no strategy, so it is on for everybody while it is switched on.</li>}
      {strategies.data.map((strategy) => (
        <li key={strategy.id}>
          <StrategyReason strategy={strategy} />
        </li>
      ))}
    </ul>
  );
}

function StrategyReason({ strategy }: { strategy: Strategy }) {
  const { name, title, disabled, result, constraints, segments, parameters } = strategy;
  const share = parameters.rollout === undefined ? '' : ` ${parameters.rollout} %`;
  return (
    <>
      <Mark result={disabled ? null : result.enabled} /> {title || `${name}${share}`}
      {disabled && ' is disabled'}
      <ul className={styles.conditions}>
        {constraints.map((constraint) => (
          <Condition key={JSON.stringify(constraint)} constraint={constraint} />
        ))}
        {segments.map((segment) => (
          <li key={segment.id}>
            <Mark result={segment.result} /> segment {segment.name}
            <ul className={styles.conditions}>
              {segment.constraints.map((constraint) => (
                <Condition key={JSON.stringify(constraint)} constraint={constraint} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  );
}

function Condition({ constraint }: { constraint: Constraint }) {
  return (
    <li>
      <Mark result={constraint.result} /> {constraintInWords(constraint)}
    </li>
  );
}

/** True, false, or not known: a strategy that only an SDK can evaluate, or one that is disabled. */
function Mark({ result }: { result: boolean | 'unknown' | null }) {
  if (result === true) return <span className={styles.yes}>✓ true:</span>;
  if (result === false) return <span className={styles.no}>✗ false:</span>;
  return <span>–{result === 'unknown' && ' unknown:'}</span>;
}
