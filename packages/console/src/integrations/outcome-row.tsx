import { EventSentence } from '../events/event-sentence.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { Attempts } from './attempts.tsx';
import type { Integration } from './draft.ts';
import { type Outcome, outcomeLooks, outcomeWords } from './outcome-words.ts';
import styles from './outcomes.module.css';
import { Payload } from './payload.tsx';
import { RedeliverEvent } from './redeliver-event.tsx';

interface Props {
  integration: Integration;
  outcome: Outcome;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}

/** An event that was sent: what came of it, and on demand each attempt and what was sent. */
export function OutcomeRow({ integration, outcome, isOpen, onToggle }: Props) {
  const { id, state, event, details, createdAt } = outcome;
  const { look, label } = outcomeLooks[state];
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <span className={styles.state}>
          <Badge look={look}>{label}</Badge>
        </span>
        <div className={styles.text}>
          <p>
            <EventSentence event={event} />
          </p>
          <p className={styles.reason}>{outcomeWords(outcome)}</p>
          <p className={styles.quiet}>
            Event {event.id} · <Time at={createdAt} />
          </p>
        </div>
        <Button look="quiet" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'} <span className="visually-hidden">the attempts of event {event.id}</span>
        </Button>
      </div>
      {isOpen && (
        <div className={styles.detail}>
          <Attempts integrationId={integration.id} eventId={id} />
          <Payload {...{ details, event }} />
          <RedeliverEvent {...{ integration, outcome }} />
        </div>
      )}
    </li>
  );
}
