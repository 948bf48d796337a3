import { type Errors, errorAt } from '../../api/property-errors.ts';
import {
  canIgnoreCase,
  type Operator,
  operatorGroups,
  valueKindOf,
  withOperator,
} from '../../flag/strategy/operators.ts';
import { SingleValueField } from '../../flag/strategy/single-value-field.tsx';
import { ValuesField } from '../../flag/strategy/values-field.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import styles from './action-set.module.css';
import type { FilterDraft } from './draft.ts';

interface Props {
  filter: FilterDraft;
  position: number;
  errors: Errors;
  isRepeated: boolean;
  onChange: (filter: FilterDraft) => void;
  onRemove: () => void;
}

/** A parameter of the payload, an operator, and what it compares with. */
export function FilterEditor({ filter, position, errors, isRepeated, onChange, onRemove }: Props) {
  const { key, contextName, operator, caseInsensitive, inverted } = filter;
  const path = `.match.payload.${contextName.trim()}`;
  const change = (changed: Partial<FilterDraft>) => onChange({ ...filter, ...changed });
  return (
    <fieldset className={styles.item} aria-label={`Filter ${position}`}>
      <div className={styles.head}>
        <TextField
          label="Parameter"
          required
          maxLength={500}
          placeholder="labels.severity"
          error={isRepeated ? 'Another filter has it too. A set has one filter for a parameter.' : errors[path]}
          autoCapitalize="none"
          spellCheck={false}
          value={contextName}
          onChange={(event) => change({ contextName: event.target.value })}
        />
        <SelectField
          label="Operator"
          error={errors[`${path}.operator`]}
          value={operator}
          onChange={(event) => onChange({ ...withOperator(filter, event.target.value as Operator), key })}
        >
          {operatorGroups.map(({ label, operators }) => (
            <optgroup key={label} label={label}>
              {operators.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        <Button look="quiet" onClick={onRemove} aria-label={`Remove filter ${position}`}>
          Remove
        </Button>
      </div>
      {valueKindOf(operator) === 'list' ? (
        <ValuesField
          values={filter.values ?? []}
          legalValues={[]}
          isNetwork={operator === 'IN_CIDR'}
          error={errorAt(errors, `${path}.values`)}
          onChange={(values) => change({ values })}
        />
      ) : (
        <SingleValueField
          {...{ operator, legalValues: [] }}
          value={filter.value ?? ''}
          error={errorAt(errors, `${path}.value`)}
          onChange={(value) => change({ value })}
        />
      )}
      <div className={styles.checks}>
        <CheckField
          label="The opposite (not)"
          checked={inverted}
          onChange={(event) => change({ inverted: event.target.checked })}
        />
        {canIgnoreCase(operator) && (
          <CheckField
            label="Ignore upper and lower case"
            checked={caseInsensitive}
            onChange={(event) => change({ caseInsensitive: event.target.checked })}
          />
        )}
      </div>
    </fieldset>
  );
}
