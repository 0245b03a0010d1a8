import {
  DescribeFastSnapshotRestoresCommand,
  DescribeImagesCommand,
  DisableFastSnapshotRestoresCommand,
  type EC2Client,
  EnableFastSnapshotRestoresCommand,
} from '@aws-sdk/client-ec2'
import type { Driver } from '../provider'

/** Fast snapshot restore: disks have full performance from the first read, for a price per hour and zone. */
export function makeFastRestore(ec2: EC2Client): NonNullable<Driver['fastRestore']> {
  const snapshotsOf = async (image: string): Promise<string[]> => {
    const { Images = [] } = await ec2.send(new DescribeImagesCommand({ ImageIds: [image] }))
    const snapshots = Images.flatMap(({ BlockDeviceMappings = [] }) => BlockDeviceMappings).flatMap(
      ({ Ebs }) => Ebs?.SnapshotId ?? [],
    )
    if (snapshots.length === 0) throw new Error(`The image ${image} has no snapshots`)
    return snapshots
  }
  return {
    async set(image, zones, enabled) {
      const SourceSnapshotIds = await snapshotsOf(image)
      const request = { SourceSnapshotIds, AvailabilityZones: zones }
      const { Unsuccessful = [] } = enabled
        ? await ec2.send(new EnableFastSnapshotRestoresCommand(request))
        : await ec2.send(new DisableFastSnapshotRestoresCommand(request))
      // AWS rejects snapshots and zones individually, in a response with a success status.
      const [refused] = Unsuccessful.flatMap(({ FastSnapshotRestoreStateErrors = [] }) =>
        FastSnapshotRestoreStateErrors.flatMap(({ Error: error }) => error ?? []),
      )
      if (refused)
        throw Object.assign(new Error(refused.Message ?? 'AWS refused the request'), {
          name: refused.Code ?? 'Refused',
        })
    },
    async state(image) {
      const Values = await snapshotsOf(image)
      const { FastSnapshotRestores = [] } = await ec2.send(
        new DescribeFastSnapshotRestoresCommand({ Filters: [{ Name: 'snapshot-id', Values }] }),
      )
      return FastSnapshotRestores.map(({ AvailabilityZone = '', State = '' }) => ({
        zone: AvailabilityZone,
        state: State,
      }))
    },
  }
}
