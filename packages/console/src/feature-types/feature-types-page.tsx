import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { featureTypesQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/counts.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { Shown } from '../ui/shown.tsx';
import { LifetimeForm } from './lifetime-form.tsx';

/** The types of flags, and how long flags of each are expected to live. */
export function FeatureTypesPage() {
  const missing = useMissing()('ADMIN');
  const query = useQuery(featureTypesQuery);
  const [edited, setEdited] = useState<Schemas['featureTypeSchema'] | null>(null);
  return (
    <>
      <PageHead title="Flag types" />
      <p>A flag that is older than the lifetime of its type is potentially stale. The types themselves are given.</p>
      <Shown query={query}>
        {({ types }) => (
          <Rows label="Flag types">
            {types.map((type) => (
              <Row
                key={type.id}
                name={<span className={rowName}>{type.name}</span>}
                description={type.description}
                facts={[type.lifetimeDays === null ? 'Lives for ever' : `Lives ${countOf(type.lifetimeDays, 'day')}`]}
                end={
                  <Button look="quiet" onClick={() => setEdited(type)} offBecause={missing}>
                    Change<span className="visually-hidden"> the lifetime of {type.name}</span>
                  </Button>
                }
              />
            ))}
          </Rows>
        )}
      </Shown>
      {edited !== null && <LifetimeForm type={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
