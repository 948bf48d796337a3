import type { Errors } from '../../api/property-errors.ts';
import type { Constraint } from '../../save/change.ts';
import { Button } from '../../ui/button.tsx';
import items from '../../ui/items.module.css';
import { ConstraintEditor } from './constraint-editor.tsx';
import { type Keyed, keyed } from './draft.ts';
import styles from './strategy-form.module.css';

interface Props {
  /** Whose context fields are offered too; null for those of all projects alone. */
  project: string | null;
  constraints: Keyed<Constraint>[];
  errors: Errors;
  onChange: (constraints: Keyed<Constraint>[]) => void;
}

/** The conditions of a strategy, all of which must hold. */
export function ConstraintsField({ project, constraints, errors, onChange }: Props) {
  const add = () =>
    onChange([
      ...constraints,
      keyed({ contextName: 'userId', operator: 'IN', values: [], inverted: false, caseInsensitive: false }),
    ]);
  return (
    <>
      {constraints.length === 0 && <p className={styles.quiet}>No constraint: the context has no influence.</p>}
      <ol className={items.items} aria-label="Constraints">
        {constraints.map((constraint, index) => (
          <li key={constraint.key}>
            <ConstraintEditor
              {...{ project, constraint, errors }}
              path={`.constraints[${index}]`}
              position={index + 1}
              onChange={(changed) => onChange(constraints.with(index, { ...changed, key: constraint.key }))}
              onRemove={() => onChange(constraints.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ol>
      <Button onClick={add}>Add a constraint</Button>
    </>
  );
}
