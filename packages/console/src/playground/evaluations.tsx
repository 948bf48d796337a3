import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/badge.tsx';
import { isolated } from '../ui/direction.ts';
import { Empty } from '../ui/shown.tsx';
import styles from './evaluations.module.css';
import { Why } from './why.tsx';

type Answer = Schemas['advancedPlaygroundResponseSchema'];
type Evaluation = Schemas['advancedPlaygroundEnvironmentFeatureSchema'];

interface Props {
  answer: Answer;
  environments: string[];
}

/** Each flag with what it is in each environment, so that environments can be compared. */
export function Evaluations({ answer, environments }: Props) {
  const invalid = answer.warnings?.invalidContextProperties ?? [];
  if (answer.features.length === 0) return <Empty title="There is no flag in this project" />;
  return (
    <>
      {invalid.length > 0 && (
        <p className={styles.warning} role="status">
          SDKs ignore what is not a text or a number: {invalid.join(', ')}.
        </p>
      )}
      <ul className={styles.list}>
        {answer.features.map((feature) => (
          <li key={feature.name} className={styles.flag}>
            <h2 className={styles.name}>
              <Link
                to="/projects/$projectId/features/$featureName"
                params={{ projectId: feature.projectId, featureName: feature.name }}
              >
                {feature.name}
              </Link>
            </h2>
            <div className={styles.environments}>
              {environments.map((environment) => (
                <div key={environment} className={styles.environment}>
                  <h3>{environment}</h3>
                  {(feature.environments[environment] ?? []).map((evaluation) => (
                    <Evaluated key={JSON.stringify(evaluation.context)} evaluation={evaluation} />
                  ))}
                </div>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Evaluated({ evaluation }: { evaluation: Evaluation }) {
  const { isEnabled, variant, context } = evaluation;
  const fields = Object.entries(context).filter(([name]) => name !== 'appName' && name !== 'environment');
  return (
    <details className={styles.evaluated}>
      <summary>
        <Badge look={isEnabled ? 'good' : 'plain'}>{isEnabled ? 'on' : 'off'}</Badge>{' '}
        {variant.enabled && <Badge>variant {variant.name}</Badge>}{' '}
        <span className={styles.context}>
          {fields.map(([name, value]) => `${isolated(name)} ${isolated(value)}`).join(', ')}
        </span>
      </summary>
      <Why evaluation={evaluation} />
    </details>
  );
}
