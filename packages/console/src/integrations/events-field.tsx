import { useMemo, useState } from 'react';
import type { Missing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, TextField } from '../ui/field.tsx';
import styles from './choice.module.css';
import { every } from './draft.ts';
import { EventGroupField } from './event-group-field.tsx';
import { eventGroups, foundIn, patternsIn } from './event-groups.ts';

interface Props {
  /** What the provider suggests. */
  suggested: readonly string[];
  chosen: string[];
  /** Why events of people cannot be chosen, and so not every event. */
  missingForPeople: Missing;
  error: string | undefined;
  onChange: (chosen: string[]) => void;
}

/** The events that an integration is sent: every one, or types by what they are about. */
export function EventsField({ suggested, chosen, missingForPeople, error, onChange }: Props) {
  const isEvery = chosen.includes(every);
  const [types, setTypes] = useState(isEvery ? [...suggested] : chosen);
  const [search, setSearch] = useState('');
  const groups = useMemo(() => eventGroups(suggested), [suggested]);
  const set = (values: string[]) => {
    setTypes(values);
    onChange(values);
  };
  const found = foundIn(groups, search);
  return (
    <fieldset className={styles.choice}>
      <legend className="visually-hidden">Events</legend>
      <div className={styles.modes}>
        <CheckField
          type="radio"
          label="Every event, also of types to come"
          checked={isEvery}
          aria-disabled={missingForPeople !== null || undefined}
          onChange={() => missingForPeople === null && onChange([every])}
        />
        <CheckField type="radio" label="Chosen types" checked={!isEvery} onChange={() => onChange(types)} />
      </div>
      {missingForPeople && <p className={styles.quiet}>For every event: {missingForPeople}</p>}
      {!isEvery && (
        <>
          <TextField
            label="Search in the types"
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <Patterns {...{ chosen }} onChange={set} />
          {found.length === 0 ? (
            <p className={styles.quiet}>No type matches.</p>
          ) : (
            <div className={styles.groups}>
              {found.map((group) => (
                <EventGroupField
                  key={group.title}
                  {...{ group, chosen }}
                  isOpen={search !== ''}
                  missing={group.isOfPeople ? missingForPeople : null}
                  onChange={set}
                />
              ))}
            </div>
          )}
        </>
      )}
      {error !== undefined && <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}

/** Beginnings of types such as `feature-*`, which the API takes and this form does not make. */
function Patterns({ chosen, onChange }: Pick<Props, 'chosen' | 'onChange'>) {
  const patterns = patternsIn(chosen);
  if (patterns.length === 0) return null;
  return (
    <div className={styles.patterns}>
      {patterns.map((pattern) => (
        <Button key={pattern} onClick={() => onChange(chosen.filter((each) => each !== pattern))}>
          <code>{pattern}</code> <span aria-hidden="true">×</span>
          <span className="visually-hidden">Remove</span>
        </Button>
      ))}
    </div>
  );
}
