import type { Schemas } from '../../api/client.ts';
import { type Errors, errorAt } from '../../api/property-errors.ts';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { parameterWords } from '../strategy-words.ts';
import { withPasted } from './pasted-values.ts';
import { ShareField } from './share-field.tsx';
import { StickinessField } from './stickiness-field.tsx';

type Parameter = Schemas['strategySchema']['parameters'][number];

interface Props {
  type: Schemas['strategySchema'];
  parameters: Record<string, string>;
  errors: Errors;
  project: string;
  onChange: (parameters: Record<string, string>) => void;
}

/** The parameters of a strategy, by the definitions of its type. */
export function ParametersField({ type, parameters, errors, project, onChange }: Props) {
  return type.parameters.map((parameter) => {
    const { name } = parameter;
    const value = parameters[name] ?? '';
    const set = (changed: string) => onChange({ ...parameters, [name]: changed });
    if (type.name === 'flexibleRollout' && name === 'stickiness') {
      return <StickinessField key={name} project={project} value={value} onChange={set} />;
    }
    return (
      <ParameterField
        key={name}
        {...{ parameter, value }}
        onChange={set}
        error={errorAt(errors, `.parameters.${name}`)}
      />
    );
  });
}

function labelOf({ name, required }: Parameter): string {
  const words = parameterWords[name];
  if (words !== undefined) return words.charAt(0).toUpperCase() + words.slice(1);
  return required ? `${name} (required)` : name;
}

interface FieldProps {
  parameter: Parameter;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function ParameterField({ parameter, value, error, onChange }: FieldProps) {
  const { type, description } = parameter;
  const hint = description || undefined;
  const common = { label: labelOf(parameter), error, ...(hint !== undefined && { hint }) };
  switch (type) {
    case 'percentage':
      return <ShareField {...common} value={value} onChange={onChange} />;
    case 'list': {
      const { length } = withPasted([], value).values;
      const count = length === 1 ? 'One value' : `${length.toLocaleString()} values`;
      return (
        <TextAreaField
          {...common}
          hint={`${hint ?? 'A list'}, between commas or one a line. ${count}.`}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value.replaceAll(/\r?\n/g, ','))}
        />
      );
    }
    case 'boolean':
      return (
        <SelectField {...common} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">Not set</option>
          <option>true</option>
          <option>false</option>
        </SelectField>
      );
    default:
      return (
        <TextField
          {...common}
          inputMode={type === 'number' ? 'decimal' : 'text'}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}
