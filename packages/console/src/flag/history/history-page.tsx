import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { eventsQuery } from '../../api/queries.ts';
import { EventList } from '../../events/event-list.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FlagFrame } from '../flag-frame.tsx';
import { localTimeOf, toIso } from '../strategy/local-time.ts';
import styles from './history.module.css';
import { PastView } from './past-view.tsx';

const route = getRouteApi('/projects/$projectId/features/$featureName/history');

/** What has happened to a flag, newest first, and what it was at a moment. */
export function HistoryPage() {
  const { projectId, featureName } = route.useParams();
  const { at } = route.useSearch();
  const navigate = route.useNavigate();
  const [atFirst] = useState(at);
  const query = useInfiniteQuery(eventsQuery({ feature: `IS:${featureName}` }));
  return (
    <FlagFrame project={projectId} feature={featureName}>
      <MomentForm key={at} at={at} onShow={(chosen) => void navigate({ search: chosen ? { at: chosen } : {} })} />
      {at !== undefined && <PastView project={projectId} feature={featureName} at={at} isChosenHere={at !== atFirst} />}
      <section className={styles.events} aria-labelledby="events">
        <h2 id="events">What has happened</h2>
        <EventList
          query={query}
          end={({ id, createdAt }) => (
            <Link
              className={styles.then}
              to="/projects/$projectId/features/$featureName/history"
              params={{ projectId, featureName }}
              search={{ at: createdAt }}
            >
              The flag then<span className="visually-hidden">, after event {id}</span>
            </Link>
          )}
        />
      </section>
    </FlagFrame>
  );
}

/** The moment at which the flag is shown. An event is chosen with its milliseconds, which the control rounds. */
function MomentForm({ at, onShow }: { at: string | undefined; onShow: (at: string | null) => void }) {
  const shown = at === undefined ? '' : localTimeOf(at);
  const [typed, setTyped] = useState(shown);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onShow(typed === shown && at !== undefined ? at : toIso(typed) || null);
  };
  return (
    <form className={styles.moment} onSubmit={submit}>
      <TextField
        label="As it was on"
        type="datetime-local"
        step={1}
        required
        max={localTimeOf(new Date().toISOString())}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit">Show the flag then</Button>
      {at !== undefined && (
        <Button look="quiet" onClick={() => onShow(null)}>
          Close
        </Button>
      )}
    </form>
  );
}
