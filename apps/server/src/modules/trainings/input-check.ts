import { isInCloud } from '@flotilla/contract/clusters/entity'
import { isAdmin } from '@flotilla/contract/access'
import { NO_SUCH_APP } from '@flotilla/contract/courses/entity'
import { TRAINING_DURATION_MS, type TrainingInput } from '@flotilla/contract/trainings/entity'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import type { ClustersApi } from '../clusters/open'
import type { UnknownApps } from '../courses/courses'
import type { CoursesApi } from '../courses/open'
import type { Users } from '../users/users'
import type { FoundTraining } from './store'

type Options = {
  users: Pick<Users, 'get'>
  clusters: Pick<ClustersApi, 'find' | 'isThisMachine'>
  courses: CoursesApi
  unknownApps: UnknownApps
  /** Whether self-registered users may use this machine without approval. */
  machineOpenToAnyone: () => Promise<boolean>
  now: () => number
}

/** Validates the input of a workshop. Returns when it starts and ends. */
export function makeInputCheck({ users, clusters, courses, unknownApps, machineOpenToAnyone, now }: Options) {
  const mayUse = async (userId: string, clusterId: string): Promise<boolean> => {
    const found = await clusters.find(await users.get(userId), clusterId).catch(() => null)
    return found !== null
  }

  return async (me: Caller, { data }: TrainingInput, before?: FoundTraining) => {
    const fields: Record<string, string> = {}
    const startTime = data.startTime ?? before?.start_time.getTime() ?? now()
    const endTime = data.endTime ?? before?.end_time.getTime() ?? startTime + TRAINING_DURATION_MS
    if (endTime <= startTime) fields['data.endTime'] = 'Must be after the start'
    else if (!before && endTime <= now()) fields['data.endTime'] = 'Must be in the future'
    const { clusterId } = data
    const moves = clusterId !== before?.cluster_id || data.seatMode !== before.seat_mode
    if (clusterId !== null && moves) {
      const cluster = await clusters.find(me, clusterId).catch(() => null)
      if (!cluster) fields['data.clusterId'] = 'No such cluster, or it is not shared with you'
      // Seats give access to clusters that the owner may use, so an admin cannot choose any other for them.
      else if (before && before.owner_id !== me.id && !(await mayUse(before.owner_id, clusterId)))
        fields['data.clusterId'] =
          `${before.owner}, the owner of this workshop, has no access to this cluster. Share it with them first.`
      else if (data.seatMode === 'own' && !isInCloud(cluster))
        fields['data.clusterId'] = 'Only a cloud cluster can be the template for a cluster per seat'
      // Participants register themselves, so the site's rule for self-registered users also applies here.
      else if (clusters.isThisMachine(cluster) && !isAdmin(me) && !(await machineOpenToAnyone()))
        fields['data.clusterId'] =
          'Self-registered users need approval for this machine, so only an admin can choose it for a workshop'
    }
    const { courseId } = data
    if (courseId !== null && courseId !== before?.course_id && !(await courses.mayUse(me, courseId)))
      fields['data.courseId'] = 'No such course, or it is not shared with you'
    const addedApps = data.appIds.filter((id) => !before?.app_ids.includes(id))
    if ((await unknownApps(me, addedApps)).length > 0) fields['data.appIds'] = NO_SUCH_APP
    if (Object.keys(fields).length > 0) fail('bad_input', { fields })
    return { startTime: new Date(startTime), endTime: new Date(endTime) }
  }
}
