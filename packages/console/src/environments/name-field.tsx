import { fieldError } from '../api/property-errors.ts';
import { TextField } from '../ui/field.tsx';

interface Props {
  value: string;
  error: Error | null;
  onChange: (name: string) => void;
}

/** The name of a new environment. */
export function NameField({ value, error, onChange }: Props) {
  return (
    <TextField
      label="Name"
      required
      maxLength={100}
      pattern="[a-zA-Z0-9~_.\-]+"
      title="Letters, digits and -_.~"
      autoCapitalize="none"
      spellCheck={false}
      hint="Letters, digits and -_.~. It cannot be changed later."
      error={fieldError(error, 'name')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
