import type { Row } from '../row.ts';
import { readRows } from './01-to-04-reads.ts';
import { patches, patchesWithoutIntegration } from './05-patch.ts';
import { patchesBesideALargeLog } from './05b-patch-beside-a-large-log.ts';
import { patchesWhileSdksReport } from './05c-patch-while-sdks-report.ts';
import { patchesWithIntegrations } from './05e-patch-with-integrations.ts';
import { creationsAndSwitches } from './05f-creations-and-switches.ts';
import { signalRows } from './06-signals.ts';
import { listingBesideSignals } from './06b-listing-beside-signals.ts';
import { recording } from './07-recording.ts';
import { search } from './08-search.ts';
import { totals } from './08b-totals.ts';
import { integrationEvents } from './09-integration-events.ts';
import { propagation } from './10-propagation.ts';
import { changeAmongMany } from './11-change-among-many.ts';
import { evaluation } from './12-evaluation.ts';
import { twoOfEach } from './13-two-of-each.ts';
import { memory } from './14-memory.ts';
import { start } from './15-start.ts';
import { largeInstallation } from './16-large-installation.ts';
import { streams } from './17-streams.ts';
import { signalToSwitch } from './18-signal-to-switch.ts';
import { hugeInstallationRow } from './19-huge-installation.ts';
import { firstRows } from './22-first-rows.ts';
import { consoleAtWork } from './23-console-at-work.ts';
import { changeOnScreen } from './24-change-on-screen.ts';

export const rows: readonly Row[] = [
  ...[...readRows, patches, patchesBesideALargeLog, patchesWhileSdksReport],
  ...[patchesWithoutIntegration, patchesWithIntegrations, creationsAndSwitches],
  ...[...signalRows, listingBesideSignals],
  ...[recording, search, totals, integrationEvents, propagation, changeAmongMany, evaluation, twoOfEach, memory, start],
  ...[largeInstallation, streams, signalToSwitch, hugeInstallationRow],
  ...[firstRows, consoleAtWork, changeOnScreen],
];
