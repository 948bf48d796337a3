import type { Errors } from '../../api/property-errors.ts';
import { Button } from '../../ui/button.tsx';
import { ActionEditor } from './action-editor.tsx';
import { type ActionDraft, type Definitions, moved, newAction } from './draft.ts';

interface Props {
  projectId: string;
  definitions: Definitions;
  actions: readonly ActionDraft[];
  errors: Errors;
  onChange: (actions: readonly ActionDraft[]) => void;
}

/** The actions of a set, in their order. */
export function ActionsField({ projectId, definitions, actions, errors, onChange }: Props) {
  return (
    <>
      {actions.map((action, index) => (
        <ActionEditor
          key={action.key}
          {...{ projectId, definitions, action, errors }}
          position={index + 1}
          count={actions.length}
          onChange={(changed) => onChange(actions.map((each) => (each === action ? changed : each)))}
          onMove={(to) => onChange(moved(actions, index, to - 1))}
          onRemove={() => onChange(actions.filter((each) => each !== action))}
        />
      ))}
      <Button onClick={() => onChange([...actions, newAction('TOGGLE_FEATURE_OFF')])}>Add an action</Button>
    </>
  );
}
