import type { Errors } from '../../api/property-errors.ts';
import { Button } from '../../ui/button.tsx';
import styles from './action-set.module.css';
import { type FilterDraft, newFilter } from './draft.ts';
import { FilterEditor } from './filter-editor.tsx';

interface Props {
  filters: readonly FilterDraft[];
  errors: Errors;
  /** The parameter that two filters name. */
  repeated: string | null;
  onChange: (filters: readonly FilterDraft[]) => void;
}

/** The filters of a set. Without any, every signal of the endpoint matches. */
export function FiltersField({ filters, errors, repeated, onChange }: Props) {
  return (
    <>
      {filters.length === 0 && <p className={styles.quiet}>Without a filter it runs for every signal.</p>}
      {filters.map((filter, index) => (
        <FilterEditor
          key={filter.key}
          {...{ filter, errors }}
          position={index + 1}
          isRepeated={repeated !== null && filter.contextName.trim() === repeated}
          onChange={(changed) => onChange(filters.map((each) => (each === filter ? changed : each)))}
          onRemove={() => onChange(filters.filter((each) => each !== filter))}
        />
      ))}
      <Button onClick={() => onChange([...filters, newFilter()])}>Add a filter</Button>
    </>
  );
}
