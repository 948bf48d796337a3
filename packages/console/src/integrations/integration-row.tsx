import { Link } from '@tanstack/react-router';
import { Time } from '../ui/time.tsx';
import type { Integration, Provider } from './draft.ts';
import { EnableSwitch } from './enable-switch.tsx';
import { destinationWords, filterWords } from './filter-words.ts';
import type { IntegrationState } from './health.ts';
import { HealthLine } from './health-line.tsx';
import styles from './integrations-page.module.css';

interface Props {
  integration: Integration;
  provider: Provider | undefined;
  state: IntegrationState | undefined;
}

/** The name of an integration: a system may have several of a provider. */
export function nameOf({ id, provider }: Integration, definition: Provider | undefined): string {
  return `${definition?.displayName ?? provider} ${id}`;
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
