import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { integrationStatesQuery } from '../api/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import type { Integration } from './draft.ts';
import styles from './health.module.css';
import { healthOf, type IntegrationState, waitingWords } from './health.ts';
import { NextAttempt } from './next-attempt.tsx';

/** The circuit of an integration, what waits and when it is sent. */
export function HealthPanel({ integration }: { integration: Integration }) {
  const query = useQuery(integrationStatesQuery);
  return (
    <Shown query={query}>
      {({ states }) => {
        const state = states.find(({ integrationId }) => integrationId === integration.id);
        return state && <Facts {...{ integration, state }} />;
      }}
    </Shown>
  );
}

function Facts({ integration, state }: { integration: Integration; state: IntegrationState }) {
  const { look, label, means } = healthOf(integration, state);
  const { pausedUntil, failingSince, nextAttemptAt, circuit } = state;
  return (
    <section className={styles.panel} aria-label="Health">
      <p>
        <Badge look={look}>{label}</Badge> {means}
        {circuit === 'open' && integration.enabled && ' A change of the settings ends the pause.'}
      </p>
      <dl className={styles.facts}>
        <Fact name="Circuit">{circuit}</Fact>
        {failingSince !== null && (
          <Fact name="Failing since">
            <Time at={failingSince} />
          </Fact>
        )}
        {circuit === 'open' && pausedUntil !== null && (
          <Fact name="Pause ends">
            <NextAttempt at={pausedUntil} />
          </Fact>
        )}
        <Fact name="Deliveries">{waitingWords(state) ?? 'None waits'}</Fact>
        <Fact name="Next attempt">
          {nextAttemptAt !== null && integration.enabled ? <NextAttempt at={nextAttemptAt} /> : 'none'}
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
