import { Link } from '@tanstack/react-router';
import { Time } from '../ui/time.tsx';
import type { Integration, Provider } from './draft.ts';
import { EnableSwitch } from './enable-switch.tsx';
import { destinationWords, filterWords } from './filter-words.ts';
import type { IntegrationState } from './health.ts';
import { HealthLine } from './health-line.tsx';
import { nameOf } from './integration-name.ts';
import styles from './integrations-page.module.css';

interface Props {
  integration: Integration;
  provider: Provider | undefined;
  state: IntegrationState | undefined;
}

export function IntegrationRow({ integration, provider, state }: Props) {
  const { id, description, createdAt } = integration;
  const name = nameOf(integration, provider);
  return (
    <li className={styles.row}>
      <EnableSwitch {...{ integration, name }} />
      <div className={styles.text}>
        <Link to="/integrations/$id" params={{ id: String(id) }} className={styles.name}>
          {name}
        </Link>
        {description && <p className={styles.description}>{description}</p>}
        <p className={styles.quiet}>
          {filterWords(integration)} {destinationWords(integration)}{' '}
          {createdAt && (
            <>
              Made <Time at={createdAt} />.
            </>
          )}
        </p>
      </div>
      <HealthLine {...{ integration, state }} />
    </li>
  );
}
