import { useId } from 'react';
import { TextField } from '../../ui/field.tsx';
import type { ActionDraft, ActionName, Definitions } from './draft.ts';
import { useSuggestions } from './suggestions.ts';

interface Props {
  projectId: string;
  parameter: Definitions[ActionName]['parameters'][number];
  /** The parameters of the action: the strategies of a flag depend on the flag. */
  values: ActionDraft['parameters'];
  error: string | undefined;
  onChange: (value: string) => void;
}

const hints: Partial<Record<string, string>> = {
  featureName: 'A name, or a path into the payload such as {{payload.labels.flag}}',
  tag: 'A type and a value, such as simple:beta',
  rollout: '0 to 100',
  strategyId: 'The id of a strategy of the flag',
};

/** A parameter of an action. It may be a path into the payload, so it is a text with suggestions and no choice. */
export function ParameterField({
  projectId,
  parameter: { name, label, optional, options },
  values,
  error,
  onChange,
}: Props) {
  const id = useId();
  const suggestions = useSuggestions(projectId, name, values, options);
  return (
    <>
      <TextField
        label={optional ? `${label} (can be empty)` : label}
        required={!optional}
        maxLength={1000}
        list={id}
        hint={hints[name]}
        error={error}
        autoCapitalize="none"
        spellCheck={false}
        value={values[name] ?? ''}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {suggestions.map(({ value, words }) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </datalist>
    </>
  );
}
