import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Why the value is refused. */
  error?: string | undefined;
}

type Described = Pick<ComponentProps<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'>;

/** A label, a control, its hint and its error. `control` takes the properties that connect them. */
export function Field({ label, hint, error, control }: FieldProps & { control: (described: Described) => ReactNode }) {
  const id = useId();
  const describedBy = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean);
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {control({
        id,
        'aria-describedby': describedBy.join(' ') || undefined,
        'aria-invalid': error !== undefined || undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({ label, hint, error, ...rest }: FieldProps & ComponentProps<'input'>) {
  return (
    <Field
      {...{ label, hint, error }}
      control={(described) => <input type="text" {...rest} {...described} className={styles.input} />}
    />
  );
}

export function TextAreaField({ label, hint, error, ...rest }: FieldProps & ComponentProps<'textarea'>) {
  return (
    <Field
      {...{ label, hint, error }}
      control={(described) => <textarea rows={3} {...rest} {...described} className={styles.input} />}
    />
  );
}

export function SelectField({ label, hint, error, children, ...rest }: FieldProps & ComponentProps<'select'>) {
  return (
    <Field
      {...{ label, hint, error }}
      control={(described) => (
        <select {...rest} {...described} className={styles.input}>
          {children}
        </select>
      )}
    />
  );
}

export function CheckField({ label, ...rest }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...rest} />
      <span>{label}</span>
    </label>
  );
}
