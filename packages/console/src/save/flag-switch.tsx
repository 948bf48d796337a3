import { useState } from 'react';
import { Switch } from '../ui/switch.tsx';
import { type FlagChange, needsReview, type Target } from './change.ts';
import { useSave } from './save.tsx';

interface Props {
  target: Target;
  environment: { name: string; type: string; enabled: boolean };
  /** Why the switch cannot be used, as a sentence. */
  offBecause: string | null;
}

/**
 * The switch of a flag in an environment. A press that needs no review shows at once, until it is saved or refused. The
 * lists show it some tens of milliseconds later, when their reads on the way are given up.
 */
export function FlagSwitch({ target, environment: { name, type, enabled }, offBecause }: Props) {
  const save = useSave();
  const [pressed, setPressed] = useState<FlagChange & { kind: 'switch' }>();
  const press = (isOn: boolean) => {
    const change = { kind: 'switch', environment: name, environmentType: type, isOn } as const;
    const saved = save(target, change);
    if (needsReview(change)) return;
    setPressed(change);
    // A later press has a state of its own.
    void saved.finally(() => setPressed((now) => (now === change ? undefined : now)));
  };
  return (
    <Switch
      label={`${target.feature} in ${name}`}
      isOn={pressed?.isOn ?? enabled}
      onChange={press}
      offBecause={offBecause}
    />
  );
}
