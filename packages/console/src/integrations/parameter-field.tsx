import type { ChangeEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { TextAreaField, TextField } from '../ui/field.tsx';
import { mask, type Parameter } from './draft.ts';
import styles from './parameter-field.module.css';

interface Props {
  parameter: Parameter;
  value: string;
  /** A value is stored that is not shown. */
  isStored: boolean;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** A parameter of a provider. A stored secret is kept until it is replaced. */
export function ParameterField({ parameter, value, isStored, error, onChange }: Props) {
  const { displayName, description, placeholder, type, required } = parameter;
  if (value === mask) return <KeptSecret {...{ parameter, error, onChange }} />;
  const field = {
    label: required ? displayName : `${displayName} (optional)`,
    hint: description,
    error,
    placeholder,
    value,
    required,
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(event.target.value),
  };
  return (
    <div className={styles.parameter}>
      {type === 'textfield' ? (
        <TextAreaField {...field} rows={4} />
      ) : (
        <TextField {...field} inputMode={type === 'url' ? 'url' : 'text'} />
      )}
      {isStored && (
        <Button look="quiet" onClick={() => onChange(mask)}>
          Keep the stored value<span className="visually-hidden"> of {displayName}</span>
        </Button>
      )}
    </div>
  );
}

function KeptSecret({ parameter, error, onChange }: Pick<Props, 'parameter' | 'error' | 'onChange'>) {
  const { displayName, required } = parameter;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend, which a row of buttons has not
    <div className={styles.parameter} role="group" aria-label={displayName}>
      <p className={styles.label}>{required ? displayName : `${displayName} (optional)`}</p>
      <div className={styles.kept}>
        <span>A value is stored. It is not shown.</span>
        <Button look="quiet" onClick={() => onChange('')}>
          {required ? 'Replace' : 'Replace or remove'}
          <span className="visually-hidden"> {displayName}</span>
        </Button>
      </div>
      {error !== undefined && <p className={styles.error}>{error}</p>}
    </div>
  );
}
