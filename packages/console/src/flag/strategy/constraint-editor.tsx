import { useQuery } from '@tanstack/react-query';
import { type Errors, errorAt } from '../../api/property-errors.ts';
import { contextFieldsQuery } from '../../api/queries.ts';
import type { Constraint } from '../../save/change.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { constraintInWords } from '../strategy-words.ts';
import styles from './constraint-editor.module.css';
import { canIgnoreCase, type Operator, operatorGroups, valueKindOf, withField, withOperator } from './operators.ts';
import { SingleValueField } from './single-value-field.tsx';
import { ValuesField } from './values-field.tsx';

interface Props {
  /** Whose context fields are offered too; null for those of all projects alone. */
  project: string | null;
  constraint: Constraint;
  path: string;
  position: number;
  errors: Errors;
  onChange: (constraint: Constraint) => void;
  onRemove: () => void;
}

/** A field of the context, an operator, and what it compares with. */
export function ConstraintEditor({ project, constraint, path, position, errors, onChange, onRemove }: Props) {
  const { data = [] } = useQuery(contextFieldsQuery(project));
  const { contextName, operator } = constraint;
  const field = data.find(({ name }) => name === contextName);
  const legalValues = field?.legalValues ?? [];
  const isTime = contextName === 'currentTime';
  const groups = operatorGroups.filter(({ label }) => (isTime ? label === 'Date' : label !== 'Date'));
  return (
    <fieldset className={styles.editor} aria-label={`Constraint ${position}: ${constraintInWords(constraint)}`}>
      <div className={styles.head}>
        <SelectField
          label="Field"
          error={errorAt(errors, `${path}.contextName`)}
          value={contextName}
          onChange={(event) => onChange(withField(constraint, event.target.value))}
        >
          {data.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
          {field === undefined && <option>{contextName}</option>}
        </SelectField>
        <SelectField
          label="Operator"
          value={operator}
          onChange={(event) => onChange(withOperator(constraint, event.target.value as Operator))}
        >
          {groups.map(({ label, operators }) => (
            <optgroup key={label} label={label}>
              {operators.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        <Button look="quiet" onClick={onRemove} aria-label={`Remove constraint ${position}`}>
          Remove
        </Button>
      </div>
      {valueKindOf(operator) === 'list' ? (
        <ValuesField
          values={constraint.values ?? []}
          {...{ legalValues, isNetwork: operator === 'IN_CIDR' }}
          error={errorAt(errors, `${path}.values`)}
          onChange={(values) => onChange({ ...constraint, values })}
        />
      ) : (
        <SingleValueField
          {...{ operator, legalValues }}
          value={constraint.value ?? ''}
          error={errorAt(errors, `${path}.value`)}
          onChange={(value) => onChange({ ...constraint, value })}
        />
      )}
      <div className={styles.checks}>
        <CheckField
          label="The opposite (not)"
          checked={constraint.inverted}
          onChange={(event) => onChange({ ...constraint, inverted: event.target.checked })}
        />
        {canIgnoreCase(operator) && (
          <CheckField
            label="Ignore upper and lower case"
            checked={constraint.caseInsensitive}
            onChange={(event) => onChange({ ...constraint, caseInsensitive: event.target.checked })}
          />
        )}
      </div>
    </fieldset>
  );
}
