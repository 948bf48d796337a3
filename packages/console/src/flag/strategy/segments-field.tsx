import { useQuery } from '@tanstack/react-query';
import { type Errors, errorAt } from '../../api/property-errors.ts';
import { segmentsQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { isolated } from '../../ui/direction.ts';
import { SelectField } from '../../ui/field.tsx';
import items from '../../ui/items.module.css';
import { constraintInWords } from '../strategy-words.ts';
import styles from './strategy-form.module.css';

interface Props {
  project: string;
  segments: number[];
  errors: Errors;
  onChange: (segments: number[]) => void;
}

/** The segments of a strategy. A context must be in all of them. */
export function SegmentsField({ project, segments, errors, onChange }: Props) {
  const { data } = useQuery(segmentsQuery);
  const all = data?.segments ?? [];
  const offered = all.filter(
    (each) => (each.project === null || each.project === project) && !segments.includes(each.id),
  );
  return (
    <>
      <ul className={items.items} aria-label="Segments">
        {segments.map((id) => {
          const segment = all.find((each) => each.id === id);
          return (
            <li key={id} className={`${items.item} ${styles.segment}`}>
              <div>
                <p className={styles.strong}>{segment?.name ?? `Segment ${id}`}</p>
                <p className={styles.quiet}>{(segment?.constraints ?? []).map(constraintInWords).join(' and ')}</p>
              </div>
              <Button
                look="quiet"
                aria-label={`Remove the segment ${isolated(segment?.name ?? `${id}`)}`}
                onClick={() => onChange(segments.filter((each) => each !== id))}
              >
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
      {all.length > 0 && (
        <SelectField
          label="Add a segment"
          error={errorAt(errors, '.segments')}
          value=""
          onChange={(event) => onChange([...segments, Number(event.target.value)])}
        >
          <option value="">{offered.length === 0 ? 'All are chosen' : 'Choose by name'}</option>
          {offered.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {data !== undefined && all.length === 0 && <p className={styles.quiet}>There is no segment yet.</p>}
    </>
  );
}
