import type { Errors } from '../../api/property-errors.ts';
import { ConditionEditor } from '../../flag/strategy/condition-editor.tsx';
import { TextField } from '../../ui/field.tsx';
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
  const { key, contextName } = filter;
  const path = `.match.payload.${contextName.trim()}`;
  return (
    <ConditionEditor
      label={`Filter ${position}`}
      name={`filter ${position}`}
      condition={filter}
      {...{ path, errors, onRemove }}
      onChange={(changed) => onChange({ ...changed, key })}
      field={
        <TextField
          label="Parameter"
          required
          maxLength={500}
          placeholder="labels.severity"
          error={isRepeated ? 'Another filter has it too. A set has one filter for a parameter.' : errors[path]}
          autoCapitalize="none"
          spellCheck={false}
          value={contextName}
          onChange={(event) => onChange({ ...filter, contextName: event.target.value })}
        />
      }
    />
  );
}
