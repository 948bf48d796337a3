import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { featureTypesQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/counts.ts';
import { EditedInDialog } from '../ui/edited.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { Shown } from '../ui/shown.tsx';
import { LifetimeForm } from './lifetime-form.tsx';

/** The types of flags, and how long flags of each are expected to live. */
export function FeatureTypesPage() {
  const missing = useMissing()('ADMIN');
  const query = useQuery(featureTypesQuery);
  /** The id of the type whose form is open. */
  const [edited, setEdited] = useState<string | null>(null);
  const editedType = query.data?.types.find(({ id }) => id === edited);
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
                  <Button look="quiet" onClick={() => setEdited(type.id)} offBecause={missing}>
                    Change<span className="visually-hidden"> the lifetime of {type.name}</span>
                  </Button>
                }
              />
            ))}
          </Rows>
        )}
      </Shown>
      {editedType && (
        <EditedInDialog what="this lifetime" now={editedType} settingsOf={({ lifetimeDays }) => lifetimeDays}>
          {(before) => <LifetimeForm type={before} onClose={() => setEdited(null)} />}
        </EditedInDialog>
      )}
    </>
  );
}
