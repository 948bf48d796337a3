import { useId } from 'react';
import styles from './choice-list.module.css';
import { CheckField } from './field.tsx';

interface Props {
  label: string;
  choices: { value: string; label: string }[];
  chosen: string[];
  error?: string | undefined;
  onChange: (chosen: string[]) => void;
}

/** Any number of several choices. */
export function ChoiceList({ label, choices, chosen, error, onChange }: Props) {
  const id = useId();
  return (
    <fieldset className={styles.choices} aria-describedby={error === undefined ? undefined : id}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <CheckField
          key={choice.value}
          label={choice.label}
          checked={chosen.includes(choice.value)}
          onChange={(event) =>
            onChange(event.target.checked ? [...chosen, choice.value] : chosen.filter((each) => each !== choice.value))
          }
        />
      ))}
      {error !== undefined && (
        <p id={id} className={styles.error}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
