import { RefetchStreams } from '../ofrep/refetch-streams.ts';
import type { SdkReads } from '../routes.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { Views } from '../snapshots/views.ts';
import { OpenStreams } from '../streaming/open-streams.ts';
import { SdkStreams } from '../streaming/sdk-streams.ts';

/** The reads of SDKs with room for the bodies and streams of a test. */
export function sdkReadsOf(snapshots: Snapshots): SdkReads {
  const views = new Views(1_000_000);
  const openStreams = new OpenStreams(10);
  const sdkStreams = new SdkStreams(snapshots, views, openStreams);
  const refetchStreams = new RefetchStreams(snapshots, openStreams);
  return { snapshots, views, openStreams, sdkStreams, refetchStreams };
}
