import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { errorsOf } from '../../api/property-errors.ts';
import { useMissing } from '../../app/session.ts';
import type { Flag, FlagEnvironment } from '../../save/after.ts';
import type { StrategyVariant, Variant } from '../../save/change.ts';
import { useLastChange } from '../../save/last-change.ts';
import { isSame } from '../../save/same.ts';
import { useSave } from '../../save/save.tsx';
import { variantsChanged } from '../../save/variant-words.ts';
import { Button } from '../../ui/button.tsx';
import { ChangedNotice } from '../../ui/changed-notice.tsx';
import { isolated } from '../../ui/direction.ts';
import { FormPage } from '../../ui/form-page.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/section.tsx';
import { EnvironmentFrame } from '../environment-frame.tsx';
import { keyed } from '../strategy/draft.ts';
import { VariantsField } from '../strategy/variants-field.tsx';
import { overridesInWords } from './override-words.ts';

const route = getRouteApi('/projects/$projectId/features/$featureName/environments/$environment/variants');

/** The variants of a flag in an environment. */
export function VariantsPage() {
  const { projectId, featureName, environment: name } = route.useParams();
  return (
    <EnvironmentFrame {...{ projectId, featureName, name }} title={`Variants in ${isolated(name)}`}>
      {({ flag, environment, defaultStickiness }) => (
        <VariantsForm key={name} {...{ flag, environment }} stickiness={defaultStickiness} />
      )}
    </EnvironmentFrame>
  );
}

/** A stored variant may lack what has a default. Its overrides stay as they are. */
function completed(variant: Variant): StrategyVariant {
  const { weightType = 'variable', stickiness = 'default' } = variant;
  return { ...variant, weightType, stickiness };
}

const toDraft = (variants: readonly Variant[]) => variants.map((variant) => keyed(completed(variant)));

function VariantsForm({
  flag,
  environment,
  stickiness,
}: {
  flag: Flag;
  environment: FlagEnvironment;
  stickiness: string;
}) {
  const navigate = route.useNavigate();
  const save = useSave();
  const by = useLastChange({ project: flag.project, feature: flag.name }, 'variants', environment.name);
  const missing = useMissing();
  const { name, type, variants: now } = environment;
  // What the person saw first. A later read does not replace what was typed.
  const [before, setBefore] = useState(now);
  const [draft, setDraft] = useState(() => toDraft(before));
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const after = draft.map(({ key: _key, ...variant }): Variant => variant);
  const isDirty = !isSame(after, before.map(completed));

  const toFlag = {
    to: '/projects/$projectId/features/$featureName',
    params: { projectId: flag.project, featureName: flag.name },
  } as const;
  const submit = async () => {
    if (!isDirty) return navigate(toFlag);
    setBusy(true);
    const outcome = await save(
      { project: flag.project, feature: flag.name },
      { kind: 'variants', environment: name, environmentType: type, before, after },
    );
    if (outcome === 'done' || outcome === 'discarded') await navigate({ ...toFlag, ignoreBlocker: true });
    setError(outcome instanceof Error ? outcome : null);
    setBusy(false);
  };
  return (
    <FormPage
      onSubmit={() => void submit()}
      said={error !== null && <p role="alert">Not saved: {error.message}</p>}
      buttons={
        <>
          <Button onClick={() => void navigate(toFlag)}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            isBusy={isBusy}
            offBecause={missing('UPDATE_FEATURE_ENVIRONMENT_VARIANTS', flag.project, name)}
          >
            Review and save
          </Button>
        </>
      }
    >
      <LeaveGuard isDirty={isDirty} />
      {!isSame(before, now) && (
        <ChangedNotice
          what="these variants"
          by={by}
          isCompared
          changes={variantsChanged(before, now)}
          onTake={() => {
            setBefore(now);
            setDraft(toDraft(now));
          }}
        />
      )}
      <Section title="Variants" hint="For users for whom a strategy without variants of its own is on.">
        <VariantsField
          {...{ project: flag.project, stickiness }}
          variants={draft}
          errors={errorsOf(error)}
          onChange={(changed) => {
            setDraft(changed);
            setError(null);
          }}
        />
        {overridesInWords(now).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </Section>
    </FormPage>
  );
}
