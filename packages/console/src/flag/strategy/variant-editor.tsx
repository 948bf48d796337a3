import { type Errors, errorAt } from '../../api/property-errors.ts';
import type { StrategyVariant } from '../../save/change.ts';
import { Button } from '../../ui/button.tsx';
import { isolated } from '../../ui/direction.ts';
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import items from '../../ui/items.module.css';
import { ShareField } from './share-field.tsx';
import styles from './strategy-form.module.css';

interface Props {
  variant: StrategyVariant;
  path: string;
  isAlone: boolean;
  errors: Errors;
  onChange: (variant: StrategyVariant) => void;
  onRemove: () => void;
}

type PayloadType = NonNullable<StrategyVariant['payload']>['type'];

/** Name, share and payload of a variant. To choose a share fixes it; the others share what is left. */
export function VariantEditor({ variant, path, isAlone, errors, onChange, onRemove }: Props) {
  const { name, weight, weightType, payload } = variant;
  const setPayload = (type: PayloadType | '', value: string) => {
    const { payload: _payload, ...rest } = variant;
    onChange(type === '' ? rest : { ...rest, payload: { type, value } });
  };
  return (
    <fieldset className={items.fields} aria-label={`Variant ${isolated(name)}`}>
      <div className={items.pair}>
        <TextField
          label="Name"
          autoCapitalize="none"
          spellCheck={false}
          error={errorAt(errors, `${path}.name`)}
          value={name}
          onChange={(event) => onChange({ ...variant, name: event.target.value })}
        />
        <ShareField
          label="Share"
          step={0.1}
          hint={weightType === 'fix' ? 'Fixed' : 'What the fixed ones leave, in equal parts'}
          error={errorAt(errors, `${path}.weight`)}
          value={String(weight / 10)}
          onChange={(value) => onChange({ ...variant, weightType: 'fix', weight: Math.round(Number(value) * 10) })}
          offBecause={isAlone ? 'A single variant has all of it.' : undefined}
        />
      </div>
      <div className={items.pair}>
        <SelectField
          label="Payload"
          value={payload?.type ?? ''}
          onChange={(event) => setPayload(event.target.value as PayloadType | '', payload?.value ?? '')}
        >
          <option value="">None</option>
          <option value="string">Text</option>
          <option value="json">JSON</option>
          <option value="csv">CSV</option>
          <option value="number">Number</option>
        </SelectField>
        {payload && (
          <TextAreaField
            label="Value of the payload"
            rows={payload.type === 'json' ? 3 : 1}
            spellCheck={false}
            error={errorAt(errors, `${path}.payload`)}
            value={payload.value}
            onChange={(event) => setPayload(payload.type, event.target.value)}
          />
        )}
      </div>
      <div className={styles.row}>
        <CheckField
          label="Fixed share"
          checked={weightType === 'fix'}
          onChange={(event) => onChange({ ...variant, weightType: event.target.checked ? 'fix' : 'variable' })}
        />
        <Button look="quiet" aria-label={`Remove the variant ${isolated(name)}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
