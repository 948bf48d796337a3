import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissing } from '../../app/session.ts';
import type { Flag, FlagEnvironment } from '../../save/after.ts';
import { type FlagChange, type StrategySettings, settingsOf } from '../../save/change.ts';
import { useSave } from '../../save/save.tsx';
import { isolated } from '../../ui/direction.ts';
import { Empty } from '../../ui/shown.tsx';
import { EnvironmentFrame } from '../environment-frame.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { emptyStrategy } from './draft.ts';
import { StrategyForm } from './strategy-form.tsx';

const route = getRouteApi(
  '/projects/$projectId/features/$featureName/environments/$environment/strategies/$strategyId',
);

/** The last part of the address of a strategy that is not there yet. */
const newId = 'new';

/** Adds a strategy to a flag in an environment, or edits one. */
export function StrategyPage() {
  const { projectId, featureName, environment: name, strategyId } = route.useParams();
  const isNew = strategyId === newId;
  return (
    <EnvironmentFrame
      {...{ projectId, featureName, name }}
      title={isNew ? `Add a strategy in ${isolated(name)}` : `Edit a strategy in ${isolated(name)}`}
    >
      {({ flag, environment, defaultStickiness }) => {
        const initial = emptyStrategy('flexibleRollout', featureName, defaultStickiness);
        return <Editor key={strategyId} {...{ flag, environment, strategyId }} empty={initial} />;
      }}
    </EnvironmentFrame>
  );
}

interface EditorProps {
  flag: Flag;
  environment: FlagEnvironment;
  strategyId: string;
  empty: StrategySettings;
}

function Editor({ flag, environment: { name, type, strategies }, strategyId, empty }: EditorProps) {
  const navigate = route.useNavigate();
  const save = useSave();
  const missing = useMissing();
  const now = strategies.find(({ id }) => id === strategyId);
  // What the person saw first. A later read does not replace what was typed.
  const [before] = useState(now);
  const isNew = strategyId === newId;
  if (!isNew && before === undefined) return <Empty title="There is no such strategy any more" />;

  const { project, name: feature } = flag;
  const toFlag = {
    to: '/projects/$projectId/features/$featureName',
    params: { projectId: project, featureName: feature },
  } as const;
  const onSave = async (strategy: StrategySettings) => {
    const place = { environment: name, environmentType: type };
    const change: FlagChange =
      before === undefined
        ? { ...place, kind: 'add-strategy', strategy }
        : { ...place, kind: 'edit-strategy', before, after: strategy };
    const outcome = await save({ project, feature }, change);
    if (outcome === 'done' || outcome === 'discarded') await navigate({ ...toFlag, ignoreBlocker: true });
    return outcome;
  };
  return (
    <>
      {before !== undefined && <ChangedMeanwhile {...{ project, feature, before, now }} environment={name} />}
      <StrategyForm
        {...{ project, feature, onSave }}
        submit={isNew ? 'Review and add' : 'Review and save'}
        initial={before === undefined ? empty : settingsOf(before)}
        offBecause={missing(isNew ? 'CREATE_FEATURE_STRATEGY' : 'UPDATE_FEATURE_STRATEGY', project, name)}
        onCancel={() => void navigate(toFlag)}
      />
    </>
  );
}
