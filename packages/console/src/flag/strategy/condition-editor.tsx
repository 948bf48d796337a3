import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { type Errors, errorAt } from '../../api/property-errors.ts';
import type { Constraint } from '../../save/change.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import styles from './condition-editor.module.css';
import { canIgnoreCase, type Operator, operatorGroups, valueKindOf, withOperator } from './operators.ts';
import { SingleValueField } from './single-value-field.tsx';
import { ValuesField } from './values-field.tsx';

interface Props {
  /** Names the whole. */
  label: string;
  /** As in `constraint 2`. */
  name: string;
  condition: Constraint;
  /** Chooses what is compared. */
  field: ReactNode;
  operators?: typeof operatorGroups;
  legalValues?: Schemas['legalValueSchema'][];
  /** Of the condition in the body that is sent. */
  path: string;
  errors: Errors;
  onChange: (condition: Constraint) => void;
  onRemove: () => void;
}

/** What is compared, an operator, and what it compares with: a constraint of a strategy, or a filter of signals. */
export function ConditionEditor(props: Props) {
  const { label, name, condition, field, operators = operatorGroups, legalValues = [], path, errors, onChange } = props;
  const { operator, values = [], value = '', inverted, caseInsensitive } = condition;
  return (
    <fieldset className={styles.editor} aria-label={label}>
      <div className={styles.head}>
        {field}
        <SelectField
          label="Operator"
          error={errorAt(errors, `${path}.operator`)}
          value={operator}
          onChange={(event) => onChange(withOperator(condition, event.target.value as Operator))}
        >
          {operators.map((group) => (
            <optgroup key={group.label} label={group.label}>
              {group.operators.map(([each, words]) => (
                <option key={each} value={each}>
                  {words}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        <Button look="quiet" onClick={props.onRemove} aria-label={`Remove ${name}`}>
          Remove
        </Button>
      </div>
      {valueKindOf(operator) === 'list' ? (
        <ValuesField
          {...{ values, legalValues, isNetwork: operator === 'IN_CIDR' }}
          error={errorAt(errors, `${path}.values`)}
          onChange={(changed) => onChange({ ...condition, values: changed })}
        />
      ) : (
        <SingleValueField
          {...{ operator, legalValues, value }}
          error={errorAt(errors, `${path}.value`)}
          onChange={(changed) => onChange({ ...condition, value: changed })}
        />
      )}
      <div className={styles.checks}>
        <CheckField
          label="The opposite (not)"
          checked={inverted}
          onChange={(event) => onChange({ ...condition, inverted: event.target.checked })}
        />
        {canIgnoreCase(operator) && (
          <CheckField
            label="Ignore upper and lower case"
            checked={caseInsensitive}
            onChange={(event) => onChange({ ...condition, caseInsensitive: event.target.checked })}
          />
        )}
      </div>
    </fieldset>
  );
}
