import type { SdkReads } from '../routes.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { Views } from '../snapshots/views.ts';
import { SdkStreams } from '../streaming/sdk-streams.ts';

/** The reads of SDKs with room for the bodies and streams of a test. */
export function sdkReadsOf(snapshots: Snapshots): SdkReads {
  const views = new Views(1_000_000);
  return { snapshots, views, sdkStreams: new SdkStreams(snapshots, views, 10) };
}
