import { type Errors, errorAt } from '../../api/property-errors.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import styles from './action-set.module.css';
import type { ActionDraft, ActionName, Definitions } from './draft.ts';
import { ParameterField } from './parameter-field.tsx';

interface Props {
  projectId: string;
  definitions: Definitions;
  action: ActionDraft;
  position: number;
  count: number;
  errors: Errors;
  onChange: (action: ActionDraft) => void;
  onMove: (position: number) => void;
  onRemove: () => void;
}

/** An action and its parameters, as the API defines them. */
export function ActionEditor(props: Props) {
  const { projectId, definitions, action, position, count, errors, onChange, onMove, onRemove } = props;
  const { description, parameters } = definitions[action.action];
  const path = `.actions[${position - 1}]`;
  return (
    <fieldset className={styles.item} aria-label={`Action ${position}`}>
      <div className={styles.head}>
        <SelectField
          label="Action"
          hint={description}
          error={errors[`${path}.action`] ?? errors[path]}
          value={action.action}
          onChange={(event) => onChange({ ...action, action: event.target.value as ActionName })}
        >
          {Object.entries(definitions).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </SelectField>
        <div className={styles.order}>
          <Button
            look="quiet"
            aria-label={`Move action ${position} up`}
            offBecause={position === 1 ? 'It is the first one.' : null}
            onClick={() => onMove(position - 1)}
          >
            ↑
          </Button>
          <Button
            look="quiet"
            aria-label={`Move action ${position} down`}
            offBecause={position === count ? 'It is the last one.' : null}
            onClick={() => onMove(position + 1)}
          >
            ↓
          </Button>
          <Button
            look="quiet"
            aria-label={`Remove action ${position}`}
            offBecause={count === 1 ? 'A set has at least one action.' : null}
            onClick={onRemove}
          >
            Remove
          </Button>
        </div>
      </div>
      <div className={styles.pair}>
        {parameters
          .filter(({ type }) => type !== 'hidden')
          .map((parameter) => (
            <ParameterField
              key={parameter.name}
              {...{ projectId, parameter }}
              values={action.parameters}
              error={errorAt(errors, `${path}.executionParams.${parameter.name}`)}
              onChange={(value) =>
                onChange({ ...action, parameters: { ...action.parameters, [parameter.name]: value } })
              }
            />
          ))}
      </div>
    </fieldset>
  );
}
