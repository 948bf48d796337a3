import { useId } from 'react';
import field from '../../ui/field.module.css';
import styles from './share-field.module.css';

interface Props {
  label: string;
  /** In percent. Text, since a person may be typing. */
  value: string;
  onChange: (value: string) => void;
  step?: number;
  hint?: string;
  error?: string | undefined;
  offBecause?: string | undefined;
}

/** A share in percent, by slider and by number. */
export function ShareField({ label, value, onChange, step = 1, hint, error, offBecause }: Props) {
  const id = useId();
  const common = {
    min: 0,
    max: 100,
    step,
    value: value === '' ? '' : Number(value),
    disabled: offBecause !== undefined,
  };
  return (
    <div className={field.field}>
      <label htmlFor={id} className={field.label}>
        {label}
      </label>
      <div className={styles.row}>
        <input
          type="range"
          {...common}
          value={Number(value)}
          aria-label={`${label}, slider`}
          aria-valuetext={`${value} %`}
          className={styles.range}
          onChange={(event) => onChange(event.target.value)}
        />
        <span className={styles.number}>
          <input
            id={id}
            type="number"
            inputMode="decimal"
            {...common}
            aria-invalid={error !== undefined || undefined}
            aria-describedby={`${id}-words`}
            title={offBecause}
            className={field.input}
            onChange={(event) => onChange(event.target.value)}
          />
          <span aria-hidden="true">%</span>
        </span>
      </div>
      <p id={`${id}-words`} className={error === undefined ? field.hint : field.error}>
        {error ?? hint}
      </p>
    </div>
  );
}
